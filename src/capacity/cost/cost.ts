import type { BreakEven, CloudCost, LocalCost, Offer } from '../document/found-costs.ts'
import type { BillingRules, CloudPrice, PriceList } from './prices.ts'

/** Seconds that a provider bills for one recording. */
export function billedSeconds(
  { stepSeconds, rounding, minimumSeconds }: BillingRules,
  audioSeconds: number,
): number {
  // 30.000000000000004 s are 30 s: a step is not begun by a rounding error.
  const steps = stepSeconds === null ? null : Number((audioSeconds / stepSeconds).toPrecision(12))
  const stepped =
    steps === null || stepSeconds === null
      ? audioSeconds
      : stepSeconds * (rounding === 'up' ? Math.ceil(steps) : Math.round(steps))
  return Math.max(minimumSeconds, stepped)
}

/** Correct words of the recordings that are priced, and how long those last. */
export interface Worth {
  readonly audioSeconds: number
  readonly correctWords: number
}

/**
 * What a provider charges for these lengths, each rounded by its rules.
 *
 * @param durations seconds of each recording, as they were sent
 */
export function cloudCost(
  price: CloudPrice,
  durations: readonly number[],
  measured: { readonly worth: Worth; readonly errorRate: number | null } | null,
): CloudCost | null {
  const spoken = durations.reduce((sum, seconds) => sum + seconds, 0)
  if (!(spoken > 0)) return null
  const billed = durations.reduce((sum, seconds) => sum + billedSeconds(price, seconds), 0)
  const perAudioHour = (price.perAudioHour * billed) / spoken
  return {
    id: price.id,
    name: price.name,
    source: price.source,
    date: price.date,
    billedShare: billed / spoken,
    perAudioHour,
    perThousandCorrectWords: measured === null ? null : perThousandWords(perAudioHour, measured.worth),
    errorRate: measured?.errorRate ?? null,
  }
}

export interface LocalUse {
  /** Seconds of audio per second that it can do with its objective kept. */
  readonly capacityAudioSecondsPerSecond: number
  /** 0..1, of that capacity, over the whole day. */
  readonly utilisation: number
  readonly cpuSecondsPerAudioSecond: number
  readonly worth: Worth | null
}

const secondsPerHour = 3600
export const hoursPerDay = 24
/** A Julian year, in days. */
export const daysPerYear = 365.25

/** The part of a price list that a machine of one's own is priced by. */
export type OwnPrices = Pick<PriceList, 'machine' | 'electricity'>

/** What a machine of one's own costs for a day, whether it transcribes or not. */
export function fixedCosts({ machine, electricity }: OwnPrices): {
  readonly machinePerDay: number
  readonly idleEnergyPerDay: number
} {
  return {
    machinePerDay: machine.price / (machine.lifeYears * daysPerYear),
    idleEnergyPerDay: ((machine.idleWatts * hoursPerDay) / 1000) * electricity.perKilowattHour,
  }
}

/**
 * What the energy for an hour of audio costs, on top of the idle machine. Always estimated from processor seconds: the energy that a
 * host reports includes that of the idle machine, which is priced for itself.
 */
export function energyCost({ machine, electricity }: OwnPrices, cpuSecondsPerAudioSecond: number): number {
  const joules = cpuSecondsPerAudioSecond * secondsPerHour * machine.wattsPerBusyProcessor
  return (joules / secondsPerHour / 1000) * electricity.perKilowattHour
}

/** What a machine of one's own costs for an hour of audio, at the use that it is put to. */
export function localCost(prices: OwnPrices, use: LocalUse): LocalCost | null {
  const audioHoursPerDay = use.capacityAudioSecondsPerSecond * use.utilisation * hoursPerDay
  if (!(audioHoursPerDay > 0)) return null
  const { machinePerDay, idleEnergyPerDay } = fixedCosts(prices)
  const energyPerAudioHour = energyCost(prices, use.cpuSecondsPerAudioSecond)
  const perAudioHour = (machinePerDay + idleEnergyPerDay) / audioHoursPerDay + energyPerAudioHour
  return {
    utilisation: use.utilisation,
    audioHoursPerDay,
    machinePerDay,
    idleEnergyPerDay,
    energyPerAudioHour,
    energyIs: 'estimated',
    perAudioHour,
    perThousandCorrectWords: use.worth === null ? null : perThousandWords(perAudioHour, use.worth),
  }
}

function perThousandWords(perAudioHour: number, { audioSeconds, correctWords }: Worth): number | null {
  return correctWords === 0 ? null : (perAudioHour * (audioSeconds / secondsPerHour) * 1000) / correctWords
}

/**
 * Fixed costs of a day over what each hour of audio saves.
 *
 * @param mostAudioHoursPerDay that one machine can do
 */
export function breakEven(
  local: Pick<LocalCost, 'machinePerDay' | 'idleEnergyPerDay' | 'energyPerAudioHour'>,
  cloud: Pick<CloudCost, 'perAudioHour'>,
  mostAudioHoursPerDay: number,
): BreakEven {
  const saved = cloud.perAudioHour - local.energyPerAudioHour
  if (!(saved > 0)) return { kind: 'never' }
  const audioHoursPerDay = (local.machinePerDay + local.idleEnergyPerDay) / saved
  return audioHoursPerDay > mostAudioHoursPerDay
    ? { kind: 'beyondOneMachine', audioHoursPerDay }
    : { kind: 'at', audioHoursPerDay }
}

/**
 * The offers that no other one beats: none is at least as good in all three figures and better in one. An offer with
 * a figure that was not measured neither beats nor is beaten, and is not on the front.
 *
 * @returns ids in the order of the offers
 */
export function paretoFront(offers: readonly Offer[]): string[] {
  const known = offers.flatMap(({ id, errorRate, p95Ms, perAudioHour }) =>
    errorRate === null || p95Ms === null || perAudioHour === null
      ? []
      : [{ id, figures: [errorRate, p95Ms, perAudioHour] }],
  )
  const beats = (a: readonly number[], b: readonly number[]): boolean =>
    a.every((figure, index) => figure <= (b[index] ?? 0)) &&
    a.some((figure, index) => figure < (b[index] ?? 0))
  return known
    .filter(({ figures }) => !known.some((other) => beats(other.figures, figures)))
    .map(({ id }) => id)
}

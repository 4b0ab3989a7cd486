import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import { count, nonNegative, nullableNumber, part, share, text } from '#prelude/document-fields'
import type { BillingRules, CloudPrice, MachinePrice, PriceList } from './prices.ts'

const origin = {
  source: text.describe('Source of the price: an address, or words.'),
  date: text.describe('Date on which the price was read there.'),
}
const provider = { id: text.describe('Id in the price list.'), name: text.describe('Name of the provider.') }
const currency = text.describe('Currency of all amounts, ISO 4217.')
const utilisation = share.describe('Mean load over the capacity, around the clock, 0..1.')
const cost = {
  perAudioHour: nonNegative.describe('Cost of an hour of audio.'),
  perThousandCorrectWords: nullableNumber.describe(
    'Cost of a thousand correct words; null where nothing is scored.',
  ),
}

const localCostSchema = part('LocalCost', 'What your own machine costs.', {
  utilisation,
  audioHoursPerDay: nonNegative.describe('Hours of audio that the machine transcribes in a day.'),
  machinePerDay: nonNegative.describe('Cost of the machine per day of its life.'),
  idleEnergyPerDay: nonNegative.describe('Cost of the energy of the idle machine per day.'),
  energyPerAudioHour: nonNegative.describe(
    'Cost of the energy for an hour of audio, on top of the idle machine.',
  ),
  energyIs: z
    .literal('estimated')
    .describe('From processor seconds and a declared figure: what a host reports includes the idle machine.'),
  ...cost,
})
export type LocalCost = DeepReadonly<z.infer<typeof localCostSchema>>

const breakEvenSchema = z
  .union([
    z.strictObject({
      kind: z.literal('at').describe('Your own machine is cheaper from some use on.'),
      audioHoursPerDay: nonNegative.describe('Hours of audio per day from which it is cheaper.'),
    }),
    z.strictObject({
      kind: z.literal('never').describe('The energy for an hour of audio costs more than the provider asks.'),
    }),
    z.strictObject({
      kind: z.literal('beyondOneMachine').describe('One machine cannot transcribe so much in a day.'),
      audioHoursPerDay: nonNegative.describe(
        'Hours of audio per day from which one machine would be cheaper.',
      ),
    }),
  ])
  .meta({ id: 'BreakEven', description: 'From which use on your own machine is cheaper.' })
export type BreakEven = DeepReadonly<z.infer<typeof breakEvenSchema>>

const cloudCostSchema = z.strictObject({
  ...provider,
  ...origin,
  billedShare: nonNegative.describe(
    'Billed over sent seconds: 2 where rounding and minimums double the bill.',
  ),
  ...cost,
  errorRate: nullableNumber.describe(
    'Error rate of the provider, in the unit of `sweep.leads`; null where it was not measured.',
  ),
})
export type CloudCost = DeepReadonly<z.infer<typeof cloudCostSchema>>

const offer = part('Offer', 'One choice, by three figures of which less is better.', {
  id: text.describe('Contender or provider.'),
  errorRate: nullableNumber.describe('Error rate, in the unit of `sweep.leads`; null where not measured.'),
  p95Ms: nullableNumber.describe(
    '95th percentile of the response time in milliseconds; null where not measured.',
  ),
  perAudioHour: nullableNumber.describe('Cost of an hour of audio; null where not known.'),
})
export type Offer = DeepReadonly<z.infer<typeof offer>>

export const costs = part('FoundCosts', 'Costs of your own machine and of providers.', {
  currency,
  local: localCostSchema.nullable().describe('Null where no capacity was found.'),
  cloud: z
    .array(
      cloudCostSchema
        .extend({
          breakEven: breakEvenSchema
            .nullable()
            .describe('Against your own machine; null where that has no price.'),
        })
        .meta({ id: 'CloudCost', description: 'What a provider charges for these recordings.' }),
    )
    .describe('Providers of the price list.'),
  offers: z.array(offer).describe('What the Pareto front is made of.'),
  paretoFront: z.array(text).describe('Ids of the offers that no other one beats in all three figures.'),
})
export type FoundCosts = DeepReadonly<z.infer<typeof costs>>

export const habit = part('UserHabit', 'A user speaks, sends, waits for the text and pauses.', {
  meanAudioSeconds: nonNegative.describe('Mean length of a recording in seconds.'),
  meanPauseSeconds: nonNegative.describe('Mean pause after a text in seconds.'),
})
export type UserHabit = DeepReadonly<z.infer<typeof habit>>

const fleetSize = z.strictObject({
  machines: count.describe('Machines that sustain the users.'),
  machinesWithSpare: count.describe('One more, to tolerate the failure of one.'),
  usersPerMachine: count.describe('Users that one machine sustains.'),
})
export type FleetSize = DeepReadonly<z.infer<typeof fleetSize>>

const yearlyCostsSchema = part('YearlyCosts', 'What the users cost in a year.', {
  currency,
  utilisation: share.describe('Mean load of the year over that of all users at the same time, 0..1.'),
  audioHours: nonNegative.describe('Hours of audio that the users send in a year.'),
  own: z
    .strictObject({
      machines: count.describe('Machines, without a spare one.'),
      amount: nonNegative.describe('Cost per year, with the energy.'),
      ...origin,
    })
    .nullable()
    .describe('Your own machines; null where they cannot be priced.'),
  providers: z
    .array(z.strictObject({ ...provider, amount: nonNegative.describe('Cost per year.'), ...origin }))
    .describe('The same at providers.'),
})
export type YearlyCosts = DeepReadonly<z.infer<typeof yearlyCostsSchema>>

export const fleet = part('FoundFleet', 'Machines for a number of users.', {
  users: count.describe('Concurrent users in all.'),
  size: fleetSize
    .extend({
      basis: z
        .enum(['confirmed', 'measured', 'simulated', 'met'])
        .describe(
          'The users of one machine follow from the confirmed load, from the low end of the interval, or, where there is ' +
            'neither, from the highest load that met the objectives.',
        ),
    })
    .nullable()
    .describe('Null where one machine is not known to sustain one user.'),
  yearly: yearlyCostsSchema.nullable().describe('Null where no prices were given.'),
})
export type FoundFleet = DeepReadonly<z.infer<typeof fleet>>

/** Seconds that a provider bills for one recording. */
export function billedSeconds(
  { stepSeconds, rounding, minimumSeconds }: BillingRules,
  audioSeconds: number,
): number {
  // Rounding removes floating-point errors: 30.000000000000004 s must not begin another step.
  const steps = stepSeconds === null ? null : Number((audioSeconds / stepSeconds).toPrecision(12))
  const stepped =
    steps === null || stepSeconds === null
      ? audioSeconds
      : stepSeconds * (rounding === 'up' ? Math.ceil(steps) : Math.round(steps))
  return Math.max(minimumSeconds, stepped)
}

/** Correct words and length of the priced recordings. */
export interface Worth {
  readonly audioSeconds: number
  readonly correctWords: number
}

/**
 * The charge of a provider for these lengths, each rounded by its rules.
 *
 * @param durations lengths of the recordings in seconds, as they were sent
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
  /** Seconds of audio per second within the objectives. */
  readonly capacityAudioSecondsPerSecond: number
  /** Used share of that capacity over the whole day, 0..1. */
  readonly utilisation: number
  readonly cpuSecondsPerAudioSecond: number
  readonly worth: Worth | null
}

const secondsPerHour = 3600
export const hoursPerDay = 24
/** A Julian year, in days. */
const daysPerYear = 365.25

/** The part of a price list for an own machine. */
export type OwnPrices = Pick<PriceList, 'machine' | 'electricity'>

/** Daily costs of an own machine, whether it transcribes or not. */
export function fixedCosts({ machine, electricity }: OwnPrices) {
  return {
    machinePerDay: machine.price / (machine.lifeYears * daysPerYear),
    idleEnergyPerDay: ((machine.idleWatts * hoursPerDay) / 1000) * electricity.perKilowattHour,
  }
}

/**
 * Energy cost of an hour of audio in addition to the idle machine. It is always estimated from processor seconds,
 * because the reported energy of a host includes the idle machine, which is priced separately.
 */
export function energyCost({ machine, electricity }: OwnPrices, cpuSecondsPerAudioSecond: number): number {
  const joules = cpuSecondsPerAudioSecond * secondsPerHour * machine.wattsPerBusyProcessor
  return (joules / secondsPerHour / 1000) * electricity.perKilowattHour
}

/** Cost of an own machine per hour of audio, at the given utilisation. */
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
 * Audio hours per day at which the savings per hour equal the fixed costs of a day.
 *
 * @param maxAudioHoursPerDay that one machine can do
 */
export function breakEven(
  local: Pick<LocalCost, 'machinePerDay' | 'idleEnergyPerDay' | 'energyPerAudioHour'>,
  cloud: Pick<CloudCost, 'perAudioHour'>,
  maxAudioHoursPerDay: number,
): BreakEven {
  const saved = cloud.perAudioHour - local.energyPerAudioHour
  if (!(saved > 0)) return { kind: 'never' }
  const audioHoursPerDay = (local.machinePerDay + local.idleEnergyPerDay) / saved
  return audioHoursPerDay > maxAudioHoursPerDay
    ? { kind: 'beyondOneMachine', audioHoursPerDay }
    : { kind: 'at', audioHoursPerDay }
}

/**
 * The offers that no other one dominates: none is at least as good in all three figures and better in one. An offer
 * with a missing figure is not compared, and is not on the front.
 *
 * @returns ids in the order of the offers
 */
export function paretoFront(offers: readonly Offer[]): string[] {
  const complete = offers.flatMap(({ id, errorRate, p95Ms, perAudioHour }) =>
    errorRate === null || p95Ms === null || perAudioHour === null
      ? []
      : [{ id, figures: [errorRate, p95Ms, perAudioHour] }],
  )
  const beats = (a: readonly number[], b: readonly number[]): boolean =>
    a.every((figure, index) => figure <= (b[index] ?? 0)) &&
    a.some((figure, index) => figure < (b[index] ?? 0))
  return complete
    .filter(({ figures }) => !complete.some((other) => beats(other.figures, figures)))
    .map(({ id }) => id)
}

/**
 * Costs of a year. Each user speaks meanAudio / (meanAudio + meanPause) of the peak time; the mean is `utilisation` of it.
 *
 *   audio hours = users · speech share · hours of a year · utilisation
 *   own         = machines · (price / life + idle energy) + energy of an audio hour · audio hours
 *   provider    = price of an audio hour, as billed for these recordings · audio hours
 */
export function yearlyCosts(
  { users, machines }: { readonly users: number; readonly machines: number | null },
  { meanAudioSeconds, meanPauseSeconds }: UserHabit,
  costs: {
    readonly currency: string
    readonly utilisation: number
    readonly local: LocalCost | null
    readonly machine: Pick<MachinePrice, 'source' | 'date'>
    readonly cloud: readonly CloudCost[]
  },
): YearlyCosts {
  const { currency, utilisation, local, machine, cloud } = costs
  const speechShare = meanAudioSeconds / (meanAudioSeconds + meanPauseSeconds)
  const audioHours = users * speechShare * daysPerYear * hoursPerDay * utilisation
  const ownMachines =
    local === null || machines === null
      ? null
      : {
          machines,
          amount:
            machines * (local.machinePerDay + local.idleEnergyPerDay) * daysPerYear +
            local.energyPerAudioHour * audioHours,
          source: machine.source,
          date: machine.date,
        }
  return {
    currency,
    utilisation,
    audioHours,
    own: ownMachines,
    providers: cloud.map(({ id, name, perAudioHour, source, date }) => ({
      id,
      name,
      amount: perAudioHour * audioHours,
      source,
      date,
    })),
  }
}

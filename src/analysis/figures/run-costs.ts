import { type BreakEven, breakEven, energyCost, fixedCosts } from '#capacity'
import type { RunRecord } from '#journal'
import type { ContenderEvaluation } from '../documents/evaluation.ts'

/** Amounts are US dollars. */
export interface RunCosts {
  /** What a machine of one's own costs a day, whether it transcribes or not. */
  readonly machine: {
    readonly usdPerDay: number
    readonly idleEnergyUsdPerDay: number
    readonly source: string
    readonly date: string
  }
  /** Contenders that transcribe on this machine. */
  readonly local: readonly LocalRunCost[]
  readonly providers: readonly ProviderRunCost[]
}

export interface LocalRunCost {
  readonly contenderId: string
  /** For an hour of audio, on top of the idle machine: estimated from processor seconds. */
  readonly energyUsdPerAudioHour: number
  /** What it does in a day at the speed of this run. */
  readonly maxAudioHoursPerDay: number
}

export interface ProviderRunCost {
  readonly contenderId: string
  /** For an hour of audio of these lengths, as they are billed. */
  readonly usdPerAudioHour: number
  /** What the audio of this run cost. */
  readonly usd: number
  readonly source: string
  readonly date: string
  /** From how much audio a day a machine of one's own is cheaper, by each local contender. */
  readonly breakEven: readonly LocalBreakEven[]
}

/** `contenderId` null: no contender was measured on this machine, and its energy for the audio is left out. */
export type LocalBreakEven = BreakEven & { readonly contenderId: string | null }

const hoursPerDay = 24

/**
 * What providers ask for audio beside what a machine of one's own costs.
 *
 * @returns null where no contender has a price that can be looked up, or the record says nothing of machines
 */
export function runCosts(
  { ownPrices }: Pick<RunRecord, 'ownPrices'>,
  contenders: readonly ContenderEvaluation[],
): RunCosts | null {
  const priced = contenders.flatMap((one) =>
    one.cost === null || one.cost.usd === 0 ? [] : [{ ...one.cost, contender: one.contender }],
  )
  if (ownPrices === undefined || priced.length === 0) return null
  const fixed = fixedCosts(ownPrices)
  const local = contenders.flatMap(({ contender, cost, systemSpeed, cpuSecondsPerAudioSecond: cpu }) =>
    cost !== null || systemSpeed.value === null || cpu.value === null
      ? []
      : [
          {
            contenderId: contender.id,
            energyUsdPerAudioHour: energyCost(ownPrices, {
              cpuSecondsPerAudioSecond: cpu.value,
              joulesPerAudioHour: null,
            }),
            maxAudioHoursPerDay: systemSpeed.value * hoursPerDay,
          },
        ],
  )
  const none = { contenderId: null, energyUsdPerAudioHour: 0, maxAudioHoursPerDay: Number.POSITIVE_INFINITY }
  const { source, date } = ownPrices.machine
  return {
    machine: { usdPerDay: fixed.machinePerDay, idleEnergyUsdPerDay: fixed.idleEnergyPerDay, source, date },
    local,
    providers: priced.map(({ contender, usd, audioSeconds }) => {
      const usdPerAudioHour = usd / (audioSeconds / 3600)
      return {
        contenderId: contender.id,
        usdPerAudioHour,
        usd,
        source: contender.priceSource ?? '',
        date: contender.priceDate ?? '',
        breakEven: (local.length === 0 ? [none] : local).map((own) => ({
          contenderId: own.contenderId,
          ...breakEven(
            { ...fixed, energyPerAudioHour: own.energyUsdPerAudioHour },
            { perAudioHour: usdPerAudioHour },
            own.maxAudioHoursPerDay,
          ),
        })),
      }
    }),
  }
}

import { breakEven, fixedCosts } from '#capacity'
import type { RecordedOwnPrices } from '#journal'
import type { Bill } from '#run'
import type { PricedContender } from './prices.ts'

/** What one contender may cost, before anything is sent. Amounts are US dollars. */
export interface PlannedCost {
  readonly contenderId: string
  /** Of audio, warm-up included. */
  readonly minutes: number
  /** Null where no price is known. */
  readonly usd: number | null
  /** For an hour of audio of these lengths, as they are billed; null where no price is known. */
  readonly usdPerAudioHour: number | null
  /** Where the price was read, and when; null where that is not known. */
  readonly source: string | null
  readonly date: string | null
  /** Cost of an own machine for comparison; null where no comparison is possible. */
  readonly own: {
    readonly usdPerDay: number
    /** From so many hours of audio a day it is cheaper; its energy for the audio is left out. */
    readonly cheaperFromAudioHoursPerDay: number
  } | null
}

/** What a plan may cost, contender by contender. */
export function planCosts(
  bills: readonly Bill[],
  contenders: readonly PricedContender[],
  ownPrices: RecordedOwnPrices | undefined,
): readonly PlannedCost[] {
  return bills.map(({ contenderId, minutes, usd }) => {
    const contender = contenders.find(({ id }) => id === contenderId)
    const usdPerAudioHour = usd === null || minutes === 0 ? null : usd / (minutes / 60)
    return {
      contenderId,
      minutes,
      usd,
      usdPerAudioHour,
      source: contender?.priceSource ?? null,
      date: contender?.priceDate ?? null,
      own:
        ownPrices === undefined || usdPerAudioHour === null ? null : ownMachine(ownPrices, usdPerAudioHour),
    }
  })
}

function ownMachine(prices: RecordedOwnPrices, perAudioHour: number): PlannedCost['own'] {
  const fixed = fixedCosts(prices)
  const even = breakEven({ ...fixed, energyPerAudioHour: 0 }, { perAudioHour }, Number.POSITIVE_INFINITY)
  if (even.kind === 'never') return null
  return {
    usdPerDay: fixed.machinePerDay + fixed.idleEnergyPerDay,
    cheaperFromAudioHoursPerDay: even.audioHoursPerDay,
  }
}

import { billedSeconds } from '#capacity'
import { isBillable } from '#contract'
import type { AttemptLine, RecordedContender } from '#journal'
import type { MoneySpent } from '../../documents/costs.ts'

type Priced = Pick<RecordedContender, 'usdPerMinute' | 'priceSource' | 'priceDate' | 'billing'>

/**
 * What the audio sent to a contender cost, by the price of the config or the price list: warm-up and repeats are billed as well.
 * Failed requests are counted where they may be billed (`isBillable`), lengths as the provider rounds them where that is known.
 *
 * @param parts every sending to the contender, the warm-up's and the repeats too, in any number of parts
 * @returns null where there is no price, or none that can be looked up
 */
export function moneySpent(contender: Priced, parts: readonly (readonly AttemptLine[])[]): MoneySpent | null {
  const { usdPerMinute, billing } = contender
  if (usdPerMinute === null || usdPerMinute === undefined || isPriceUnsourced(contender)) return null
  let [audioSeconds, billed] = [0, 0]
  for (const sendings of parts) {
    for (const { outcome, audioSeconds: seconds } of sendings) {
      if (!outcome.ok && !isBillable(outcome.failure)) continue
      audioSeconds += seconds
      billed += billing === undefined ? seconds : billedSeconds(billing, seconds)
    }
  }
  const usd = (usdPerMinute * billed) / 60
  // Short recordings that are rounded up cost more an hour than the price says.
  const usdPerAudioHour = audioSeconds > 0 ? (usd / audioSeconds) * 3600 : usdPerMinute * 60
  return { usdPerAudioHour, audioSeconds, usd }
}

/** A price without its source and the date on which it was read. A price of zero needs no source. */
export function isPriceUnsourced({ usdPerMinute, priceSource, priceDate }: Priced): boolean {
  return (usdPerMinute ?? 0) > 0 && (priceSource == null || priceDate == null)
}

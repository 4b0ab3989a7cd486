import type { AttemptLine } from '#journal'
import type { MoneySpent } from './evaluation.ts'

/**
 * What the audio sent to a contender cost, by the price that the config gives: warm-up and repeats are billed as well.
 * Failed requests are counted, because most providers bill what they have taken; how a provider rounds is not known here.
 *
 * @param sendings every sending to the contender, warm-up and repeats included
 * @returns null where the config gives no price
 */
export function moneySpent(
  usdPerMinute: number | null | undefined,
  sendings: readonly AttemptLine[],
): MoneySpent | null {
  if (usdPerMinute === null || usdPerMinute === undefined) return null
  const audioSeconds = sendings.reduce((sum, attempt) => sum + attempt.audioSeconds, 0)
  return {
    usdPerAudioHour: usdPerMinute * 60,
    audioSeconds,
    usd: (usdPerMinute * audioSeconds) / 60,
  }
}

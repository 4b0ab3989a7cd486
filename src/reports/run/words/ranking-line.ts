import type { Ranking } from '#analysis'
import { wordsOfMetric } from '../../layout/rate-words.ts'

/** Where no place is certain, a longer list says nothing more. */
const maxListed = 4

/**
 * Places instead of ranks: `1 base · 1–2 tiny · 3 slow`. Two contenders need none, because the answer says it.
 *
 * @returns null where there is nothing to rank
 */
export function placesText(ranking: Ranking | null): string | null {
  if (ranking === null || ranking.bands.length < 3) return null
  const count = ranking.bands.length
  const isOpen = ranking.bands.every(({ firstPlace, lastPlace }) => firstPlace === 1 && lastPlace === count)
  if (isOpen && count > maxListed) return `no order among the ${count} contenders`
  return ranking.bands.map((band) => `${placeText(band)} ${band.contenderId}`).join(' · ')
}

/** `1`, or `1–2` where the difference of places is not certain. */
export function placeText({ firstPlace, lastPlace }: Ranking['bands'][number]): string {
  return firstPlace === lastPlace ? String(firstPlace) : `${firstPlace}–${lastPlace}`
}

/** Explains what a rank means. */
export function placesMeaning({ metric, confidence, comparisonCount }: Ranking): string {
  const { long } = wordsOfMetric(metric)
  return `by ${long}, failures as empty transcripts; sure together at ${Math.round(confidence * 100)}% over ${comparisonCount} pairs`
}

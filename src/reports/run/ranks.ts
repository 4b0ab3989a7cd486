import type { ContenderEvaluation } from '#analysis/documents/contender-evaluation'
import type { Evaluation } from '#analysis/documents/evaluation'
import type { Ranking } from '#analysis/documents/ranking'
import { wordsOfMetric } from '../layout/units.ts'

/** If no position is certain, a ranking of more contenders than this is not listed. */
const maxListed = 4

/**
 * Ranges of ranks: `1 base · 1–2 tiny · 3 slow`. Two contenders need none, because the answer names the better one.
 *
 * @returns null if there is nothing to rank
 */
export function ranksText(ranking: Ranking | null): string | null {
  if (ranking === null || ranking.bands.length < 3) return null
  const count = ranking.bands.length
  const isOpen = ranking.bands.every(({ firstPlace, lastPlace }) => firstPlace === 1 && lastPlace === count)
  if (isOpen && count > maxListed) return `no order among the ${count} contenders`
  return ranking.bands.map((band) => `${rankText(band)} ${band.contenderId}`).join(' · ')
}

/** `1`, or `1–2` if the difference between ranks is not certain. */
export function rankText({ firstPlace, lastPlace }: Ranking['bands'][number]): string {
  return firstPlace === lastPlace ? String(firstPlace) : `${firstPlace}–${lastPlace}`
}

export function ranksMeaning({ metric, confidence, comparisonCount }: Ranking): string {
  const { long } = wordsOfMetric(metric)
  return `by ${long}, failures as empty transcripts; sure together at ${Math.round(confidence * 100)}% over ${comparisonCount} pairs`
}

export function ranksWithMeaning(ranking: Ranking | null): readonly string[] {
  const ranks = ranksText(ranking)
  return ranking === null || ranks === null ? [] : [`${ranks} (${ranksMeaning(ranking)})`]
}

export function inRankOrder(
  evaluation: Pick<Evaluation, 'contenders' | 'ranking'>,
): readonly ContenderEvaluation[] {
  const { contenders, ranking } = evaluation
  const indexes = new Map(ranking?.bands.map(({ contenderId }, index) => [contenderId, index]))
  const indexOf = ({ contender }: ContenderEvaluation): number =>
    indexes.get(contender.id) ?? contenders.length
  return contenders.toSorted((a, b) => indexOf(a) - indexOf(b))
}

import type { ErrorLevel } from '#scoring'
import type { ContenderDifference, RateDifference } from '../../documents/evaluation.ts'
import type { Ranking } from '../../documents/ranking.ts'
import { canDecide, pairedRates, pairUtterances, type scoresWithFailures } from './paired-rates.ts'

/**
 * The first two of the ranking, compared over the utterances that both were asked, every failed request as an empty
 * transcript, as in the ranking.
 *
 * @param scores of every contender, with failures
 * @returns null with fewer than two contenders that were scored, or nothing that both were asked
 */
export function contenderDifference(
  ranking: Ranking | null,
  scores: ReadonlyMap<string, ReturnType<typeof scoresWithFailures>>,
  { seed, leads }: { readonly seed: number; readonly leads: ErrorLevel },
): ContenderDifference | null {
  const [first, second] = ranking?.bands.map(({ contenderId }) => contenderId) ?? []
  if (first === undefined || second === undefined) return null
  const pairs = pairUtterances(scores.get(first) ?? new Map(), scores.get(second) ?? new Map())
  const rates = pairedRates(pairs, leads, seed)
  if (rates.difference === null) return null
  const isMirrored = rates.difference < 0
  const [better, worse] = isMirrored ? [second, first] : [first, second]
  const differenceOf = (level: ErrorLevel): RateDifference | null => {
    const { difference, interval } = level === leads ? rates : pairedRates(pairs, level, seed)
    if (difference === null) return null
    if (!isMirrored) return { value: difference, interval }
    return { value: 0 - difference, interval: interval === null ? null : mirrored(interval) }
  }
  const [words, characters] = [differenceOf('words'), differenceOf('characters')]
  const { interval } = (leads === 'words' ? words : characters) ?? { interval: null }
  return {
    better,
    worse,
    wordErrorRate: words ?? { value: 0, interval: null },
    characterErrorRate: characters,
    isResolved: interval !== null && interval.low > 0 && canDecide(rates),
    utteranceCount: pairs.length,
    differingCount: rates.differingCount,
  }
}

function mirrored<Bounds extends { readonly low: number; readonly high: number }>(interval: Bounds): Bounds {
  return { ...interval, low: 0 - interval.high, high: 0 - interval.low }
}

import type { ScoredContender } from './contender-evaluation.ts'
import type { ContenderDifference, ContenderEvaluation } from './evaluation.ts'
import { canDecide, pairedRates, pairUtterances, talliedRun, utteranceScores } from './paired-rates.ts'

/**
 * The two best contenders, compared over the utterances that both answered. Who is among the two is told by
 * the rate with failures as empty transcripts, so that leaving out the difficult utterances wins nothing;
 * who of the two is better, by the utterances that they share.
 *
 * @returns null with fewer than two contenders that were scored, or nothing that both answered
 */
export function contenderDifference(
  scored: readonly ScoredContender[],
  evaluations: readonly ContenderEvaluation[],
  seed: number,
): ContenderDifference | null {
  const [first, second] = evaluations
    .filter((evaluation) => evaluation.words.rate !== null)
    .sort((a, b) => rankRate(a) - rankRate(b))
  if (first === undefined || second === undefined) return null
  const scores = (evaluation: ContenderEvaluation): ReturnType<typeof utteranceScores> => {
    const own = scored.find(({ judged }) => judged.contender.id === evaluation.contender.id)
    return own === undefined ? new Map() : utteranceScores([talliedRun(own)])
  }
  const pairs = pairUtterances(scores(first), scores(second))
  const rates = pairedRates(pairs, 'words', seed)
  if (rates.difference === null) return null
  const isMirrored = rates.difference < 0
  const [better, worse] = isMirrored ? [second, first] : [first, second]
  const interval = isMirrored && rates.interval !== null ? mirrored(rates.interval) : rates.interval
  return {
    better: better.contender.id,
    worse: worse.contender.id,
    wordErrorRate: { value: Math.abs(rates.difference), interval },
    isResolved: interval !== null && interval.low > 0 && canDecide(rates),
    utteranceCount: pairs.length,
    differingCount: rates.differingCount,
  }
}

function rankRate(evaluation: ContenderEvaluation): number {
  return evaluation.wordsWithFailuresAsEmpty.rate ?? Number.POSITIVE_INFINITY
}

function mirrored<Bounds extends { readonly low: number; readonly high: number }>(interval: Bounds): Bounds {
  return { ...interval, low: 0 - interval.high, high: 0 - interval.low }
}

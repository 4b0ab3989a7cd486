import { type Clustering, clusteringsOf } from '#rates'
import { type ErrorLevel, rateMetrics } from '#scoring'
import { studentQuantile } from '#statistics'
import type { Ranking } from '../../documents/ranking.ts'
import { canDecide, type PairedUtterance, pairUtterances, type utteranceScores } from './paired-rates.ts'
import { type Claim, decide } from './verdicts.ts'

type UtteranceScores = ReturnType<typeof utteranceScores>

const confidence = 0.95

/**
 * Places by the leading error rate, every failed request counted as an empty transcript, so that leaving out the difficult half
 * wins nothing. Every contender is compared with every other one over the utterances that were sent to both;
 * its first place is one behind those that are surely better, its last one before those that are surely worse. Two
 * without a detected difference share a rank, instead of one being called better by chance.
 *
 * @param contenders each with its scores with failures
 * @returns null with fewer than two contenders that were scored
 * @see Mogstad et al. 2024, doi:10.1093/restud/rdad006, for ranks from simultaneous comparisons; Holm 1979 for the steps
 */
export function rankContenders(
  contenders: readonly { readonly id: string; readonly scores: UtteranceScores }[],
  leads: ErrorLevel,
): Ranking | null {
  const sides = contenders.filter(({ scores }) => scores.size > 0)
  if (sides.length < 2) return null
  const pairs = sides.flatMap((left, index) =>
    sides
      .slice(index + 1)
      .map((right) => ({ left: left.id, right: right.id, claim: claimOf(left.scores, right.scores, leads) })),
  )
  const verdicts = decide(
    pairs.map(({ claim }) => claim),
    confidence,
  )
  const resolved = pairs.flatMap(({ left, right }, index) => {
    if (verdicts[index] === 'better') return [{ better: right, worse: left }]
    return verdicts[index] === 'worse' ? [{ better: left, worse: right }] : []
  })
  const known = new Map(sides.map(({ id, scores }) => [id, rateOfAll(scores, leads)]))
  const rates = (id: string): number => known.get(id) ?? Number.MAX_VALUE
  const bands = sides
    .map(({ id }) => ({
      contenderId: id,
      firstPlace: 1 + resolved.filter(({ worse }) => worse === id).length,
      lastPlace: sides.length - resolved.filter(({ better }) => better === id).length,
    }))
    .sort((a, b) => rates(a.contenderId) - rates(b.contenderId))
  return { metric: `${rateMetrics[leads]}.all`, confidence, comparisonCount: pairs.length, bands, resolved }
}

/** Null where the references hold nothing. */
function rateOfAll(scores: UtteranceScores, level: ErrorLevel): number | null {
  let [errors, length] = [0, 0]
  for (const score of scores.values()) {
    errors += score.errors[level]
    length += score.lengths[level]
  }
  return length === 0 ? null : errors / length
}

/** Whether the right one makes more errors than the left one: `better` where it makes fewer. */
function claimOf(left: UtteranceScores, right: UtteranceScores, level: ErrorLevel): Claim {
  const pairs = pairUtterances(left, right)
  const clusterings = clusteringsOf(pairs.map(({ base }) => base.utterance))
  const spreads = clusterings.map((clustering) => differenceSpread(pairs, clustering, level))
  const differingCount = pairs.filter(({ base, run }) => base.errors[level] !== run.errors[level]).length
  return {
    better: 'lower',
    margin: 0,
    canDecideAt: (at) => canDecide({ differingCount }, at),
    intervalAt: (at) => {
      const intervals = spreads.map((spread) => spread?.(at) ?? null)
      return intervals.some((interval) => interval === null)
        ? null
        : {
            low: Math.min(...intervals.map((interval) => interval?.low ?? 0)),
            high: Math.max(...intervals.map((interval) => interval?.high ?? 0)),
          }
    },
  }
}

/**
 * The difference of two ratios of sums over the same clusters with its t-interval: a cluster's part in it is what it adds to
 * either rate beyond its share of their length. In closed form, because twelve contenders are 66 pairs.
 *
 * @returns null with fewer than two clusters, or without anything in the references
 * @see Gillick and Cox 1989, doi:10.1109/ICASSP.1989.266481, of which this is the form for ratios
 */
function differenceSpread(
  pairs: readonly PairedUtterance[],
  { clusterOf }: Clustering,
  level: ErrorLevel,
): ((confidence: number) => { readonly low: number; readonly high: number }) | null {
  const [base, run] = [rateOf(pairs, 'base', level), rateOf(pairs, 'run', level)]
  if (base === null || run === null) return null
  const parts = new Map<string, number>()
  for (const pair of pairs) {
    const id = clusterOf(pair.base.utterance)
    const part = (side: 'base' | 'run', { rate, length }: NonNullable<ReturnType<typeof rateOf>>): number =>
      (pair[side].errors[level] - rate * pair[side].lengths[level]) / length
    parts.set(id, (parts.get(id) ?? 0) + part('run', run) - part('base', base))
  }
  const count = parts.size
  if (count < 2) return null
  const squares = [...parts.values()].reduce((sum, part) => sum + part ** 2, 0)
  const error = Math.sqrt((squares * count) / (count - 1))
  const difference = run.rate - base.rate
  return (at) => {
    const half = studentQuantile((1 + at) / 2, count - 1) * error
    return { low: difference - half, high: difference + half }
  }
}

function rateOf(
  pairs: readonly PairedUtterance[],
  side: 'base' | 'run',
  level: ErrorLevel,
): { readonly rate: number; readonly length: number } | null {
  const length = pairs.reduce((sum, pair) => sum + pair[side].lengths[level], 0)
  const errors = pairs.reduce((sum, pair) => sum + pair[side].errors[level], 0)
  return length === 0 ? null : { rate: errors / length, length }
}

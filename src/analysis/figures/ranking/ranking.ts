import { type Clustering, listClusterings } from '#rates/error-rate'
import { errorCount, rateMetrics } from '#scoring/counts'
import type { ErrorLevel } from '#scoring/profiles/profile'
import type { Bounds } from '#statistics/bounds'
import { studentQuantile } from '#statistics/distributions'
import type { ContenderDifference, Evaluation, RateDifference } from '../../documents/evaluation.ts'
import type { Ranking } from '../../documents/ranking.ts'
import { type Claim, type Decision, decideWithConfidence } from './claims.ts'
import {
  canDecide,
  type PairedRates,
  type PairedUtterance,
  pairedRates,
  pairUtterances,
  pooledRate,
  pooledRates,
} from './paired-rates.ts'
import type { PooledScore, PooledScores } from './pooled-scores.ts'

/** A contender that another one certainly beats in both errors and speed. */
export interface Beaten {
  readonly contenderId: string
  /** The first such contender, in the order of the contenders. */
  readonly by: string
}

const confidence = 0.95

/** A ranking, with the pair of contenders that has the lowest rates. */
interface Ranked {
  readonly ranking: Ranking
  readonly leaders: ComparedPair
}

interface ComparedPair {
  readonly first: string
  readonly second: string
  readonly pairs: readonly PairedUtterance[]
  /** Of the leading unit, the first contender as base. */
  readonly rates: PairedRates
  readonly decision: Decision
}

/**
 * Ranks contenders by the leading error rate. Every failed request counts as an empty transcript, so that skipping
 * difficult utterances is no advantage. All pairs are compared over the utterances that both got. The best rank of a
 * contender is one after the certainly better ones, and its worst rank is before the certainly worse ones. Two
 * contenders without a detected difference share a rank.
 *
 * The two with the lowest rates are compared by the bootstrap that reports show, so that the ranking never contradicts
 * it; other pairs by a closed form, because a bootstrap of each of 66 pairs would take too long.
 *
 * @param contenders scores by id, including failures
 * @returns null with fewer than two contenders that were scored
 * @see Mogstad et al. 2024, doi:10.1093/restud/rdad006, for ranks from simultaneous comparisons; Holm 1979 for the steps
 */
export function rankContenders(
  contenders: ReadonlyMap<string, PooledScores>,
  { leads, seed }: { readonly leads: ErrorLevel; readonly seed: number },
): Ranked | null {
  const sides = [...contenders].flatMap(([id, scores]) => (scores.size > 0 ? { id, scores } : []))
  const rateById = new Map(sides.map(({ id, scores }) => [id, pooledRate(leads, scores.values()).rate]))
  const rateOf = ({ id }: { readonly id: string }): number => rateById.get(id) ?? Number.MAX_VALUE
  const [first, second] = sides.toSorted((a, b) => rateOf(a) - rateOf(b))
  if (first === undefined || second === undefined) return null
  const shared = pairUtterances(first.scores, second.scores)
  const rates = pairedRates(shared, leads, seed)
  const leading = { left: first, right: second, claim: bootstrapClaim(rates) }
  const pairs = sides.flatMap((left, index) =>
    sides.slice(index + 1).map((right) => {
      const areLeaders = [left, right].every((side) => side === first || side === second)
      return areLeaders ? leading : { left, right, claim: closedClaim(left.scores, right.scores, leads) }
    }),
  )
  const decisions = decideWithConfidence(
    pairs.map(({ claim }) => claim),
    confidence,
  )
  const resolved = pairs.flatMap(({ left, right }, index) => {
    const verdict = decisions[index]?.verdict
    if (verdict === 'better') return [{ better: right.id, worse: left.id }]
    return verdict === 'worse' ? [{ better: left.id, worse: right.id }] : []
  })
  const bands = sides
    .toSorted((a, b) => rateOf(a) - rateOf(b))
    .map(({ id }) => ({
      contenderId: id,
      firstPlace: 1 + resolved.filter(({ worse }) => worse === id).length,
      lastPlace: sides.length - resolved.filter(({ better }) => better === id).length,
    }))
  return {
    ranking: {
      metric: `${rateMetrics[leads]}.all`,
      confidence,
      comparisonCount: pairs.length,
      bands,
      resolved,
    },
    leaders: {
      first: first.id,
      second: second.id,
      pairs: shared,
      rates,
      decision: decisions[pairs.indexOf(leading)] ?? { verdict: 'unresolved', confidence },
    },
  }
}

/** Makes the claim that the run of paired rates has more errors than the base; `better` means fewer. */
function bootstrapClaim(rates: PairedRates): Claim {
  return {
    better: 'lower',
    margin: 0,
    canDecideAt: (at) => canDecide(rates, at),
    intervalAt: rates.resampledAt,
  }
}

/** Makes the claim that the right contender has more errors than the left one, from the widest of the clusterings. */
function closedClaim(left: PooledScores, right: PooledScores, level: ErrorLevel): Claim {
  const pairs = pairUtterances(left, right)
  const clusterings = listClusterings(pairs.map(({ base }) => base.utterance))
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
 * Returns the difference of two ratios of sums over the same clusters with its t-interval. A cluster contributes what
 * it adds to either rate beyond its share of the length. The closed form is fast enough for many pairs: twelve
 * contenders have 66.
 *
 * @returns null with fewer than two clusters, or with empty references
 * @see Gillick and Cox 1989, doi:10.1109/ICASSP.1989.266481; this is its form for ratios
 */
function differenceSpread(
  pairs: readonly PairedUtterance[],
  { clusterOf }: Clustering,
  level: ErrorLevel,
): ((confidence: number) => Bounds) | null {
  const { base, run } = pooledRates(level, pairs)
  if (base.rate === null || run.rate === null) return null
  const partOf = ({ errors, lengths }: PooledScore, rate: number, length: number): number =>
    (errors[level] - rate * lengths[level]) / length
  const parts = new Map<string, number>()
  for (const pair of pairs) {
    const id = clusterOf(pair.base.utterance)
    const [before, after] = [
      partOf(pair.base, base.rate, base.referenceLength),
      partOf(pair.run, run.rate, run.referenceLength),
    ]
    parts.set(id, (parts.get(id) ?? 0) + after - before)
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

/**
 * Compares the first two contenders of the ranking over the utterances that both got. Failed requests count as empty
 * transcripts, as in the ranking, whose verdict this is. The interval is at 95 %, or at the higher confidence of one of
 * many comparisons where that alone leaves the pair undecided.
 *
 * @returns null with fewer than two scored contenders, or without a common utterance
 */
export function contenderDifference(
  ranked: Ranked | null,
  { seed, leads }: { readonly seed: number; readonly leads: ErrorLevel },
): ContenderDifference | null {
  if (ranked === null) return null
  const { first, second, pairs, rates, decision } = ranked.leaders
  if (rates.difference === null) return null
  const isMirrored = rates.difference < 0
  const [better, worse] = isMirrored ? [second, first] : [first, second]
  const isResolved = decision.verdict === 'better' || decision.verdict === 'worse'
  const isApart = rates.interval !== null && (rates.interval.low > 0 || rates.interval.high < 0)
  const differenceOf = (level: ErrorLevel): RateDifference | null => {
    const { difference, interval, resampledAt } = level === leads ? rates : pairedRates(pairs, level, seed)
    if (difference === null) return null
    const shown = isApart && !isResolved ? resampledAt(decision.confidence) : interval
    if (!isMirrored) return { value: difference, interval: shown }
    return { value: 0 - difference, interval: shown === null ? null : mirrored(shown) }
  }
  return {
    better,
    worse,
    wordErrorRate: differenceOf('words'),
    characterErrorRate: differenceOf('characters'),
    isResolved,
    utteranceCount: pairs.length,
    differingCount: rates.differingCount,
  }
}

function mirrored<Kind extends Bounds>(interval: Kind): Kind {
  return { ...interval, low: 0 - interval.high, high: 0 - interval.low }
}

/**
 * Returns contenders that another one certainly beats in both errors and speed. All others may be on the Pareto
 * front; a difference within the noise removes none.
 */
export function beatenInBoth(
  evaluation: Pick<Evaluation, 'contenders' | 'ranking' | 'speeds'>,
): readonly Beaten[] {
  const { contenders, ranking, speeds } = evaluation
  const ids = contenders.map(({ contender }) => contender.id)
  const isBeaten = (id: string, by: string): boolean =>
    (ranking?.resolved ?? []).some(({ better, worse }) => better === by && worse === id) &&
    speeds.pairs.some(({ faster, slower, verdict }) => faster === by && slower === id && verdict === 'faster')
  return ids.flatMap((contenderId) => {
    const by = ids.find((other) => isBeaten(contenderId, other))
    return by === undefined ? [] : [{ contenderId, by }]
  })
}

/**
 * Returns the share, 0..1, of a contender's audio (in seconds) that was answered without an error of the leading
 * unit. A failed request counts as one with errors.
 *
 * @returns null where nothing was sent, or the requests have no audio
 */
export function errorFreeShare(
  { utterances, profile }: Pick<Evaluation, 'utterances' | 'profile'>,
  contenderId: string,
): number | null {
  let [all, errorFree] = [0, 0]
  for (const request of utterances) {
    if (request.contenderId !== contenderId || !['scored', 'failed'].includes(request.status)) continue
    const counts = request[profile.leads]
    all += request.audioSeconds
    if (request.status === 'scored' && counts !== null && errorCount(counts) === 0)
      errorFree += request.audioSeconds
  }
  return all === 0 ? null : errorFree / all
}

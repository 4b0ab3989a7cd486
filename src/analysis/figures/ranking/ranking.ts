import { type Clustering, listClusterings } from '#rates/error-rate'
import { errorCount, rateMetrics } from '#scoring/counts'
import type { ErrorLevel } from '#scoring/profiles/profile'
import type { Bounds } from '#statistics/bounds'
import { studentQuantile } from '#statistics/distributions'
import type { ContenderDifference, Evaluation, RateDifference } from '../../documents/evaluation.ts'
import type { Ranking } from '../../documents/ranking.ts'
import { type Claim, decide } from './claims.ts'
import {
  canDecide,
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

/**
 * Ranks contenders by the leading error rate. Every failed request counts as an empty transcript, so that skipping
 * difficult utterances is no advantage. All pairs are compared over the utterances that both got. The best rank of a
 * contender is one after the certainly better ones, and its worst rank is before the certainly worse ones. Two
 * contenders without a detected difference share a rank.
 *
 * @param contenders scores by id, including failures
 * @returns null with fewer than two contenders that were scored
 * @see Mogstad et al. 2024, doi:10.1093/restud/rdad006, for ranks from simultaneous comparisons; Holm 1979 for the steps
 */
export function rankContenders(
  contenders: ReadonlyMap<string, PooledScores>,
  leads: ErrorLevel,
): Ranking | null {
  const sides = [...contenders].flatMap(([id, scores]) => (scores.size > 0 ? { id, scores } : []))
  if (sides.length < 2) return null
  const pairs = sides.flatMap((left, index) =>
    sides.slice(index + 1).map((right) => ({
      left: left.id,
      right: right.id,
      claim: makeClaim(left.scores, right.scores, leads),
    })),
  )
  const verdicts = decide(
    pairs.map(({ claim }) => claim),
    confidence,
  )
  const resolved = pairs.flatMap(({ left, right }, index) => {
    if (verdicts[index] === 'better') return [{ better: right, worse: left }]
    return verdicts[index] === 'worse' ? [{ better: left, worse: right }] : []
  })
  const rateById = new Map(sides.map(({ id, scores }) => [id, pooledRate(leads, scores.values()).rate]))
  const rateOf = (id: string): number => rateById.get(id) ?? Number.MAX_VALUE
  const bands = sides
    .map(({ id }) => ({
      contenderId: id,
      firstPlace: 1 + resolved.filter(({ worse }) => worse === id).length,
      lastPlace: sides.length - resolved.filter(({ better }) => better === id).length,
    }))
    .sort((a, b) => rateOf(a.contenderId) - rateOf(b.contenderId))
  return { metric: `${rateMetrics[leads]}.all`, confidence, comparisonCount: pairs.length, bands, resolved }
}

/** Makes the claim that the right contender has more errors than the left one; `better` means fewer. */
function makeClaim(left: PooledScores, right: PooledScores, level: ErrorLevel): Claim {
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
 * transcripts, as in the ranking.
 *
 * @param scores scores of every contender, including failures
 * @returns null with fewer than two scored contenders, or without a common utterance
 */
export function contenderDifference(
  ranking: Ranking | null,
  scores: ReadonlyMap<string, PooledScores>,
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

import { seededRandom } from '#prelude'
import type { Interval } from '#rates/documents'
import { listClusterings } from '#rates/error-rate'
import type { ErrorLevel } from '#scoring/profiles/profile'
import { pairedBootstrap, sumByCluster } from '#statistics/bootstrap'
import type { Bounds } from '#statistics/bounds'
import type { PairedRate } from '../../documents/contender-comparison.ts'
import type { PooledScore, PooledScores } from './pooled-scores.ts'

/** The same utterance on both sides. */
export interface PairedUtterance {
  readonly base: PooledScore
  readonly run: PooledScore
}

/** Pairs utterances by id, in the order of ids, so that the random draw does not depend on the order of the runs. */
export function pairUtterances(base: PooledScores, run: PooledScores): readonly PairedUtterance[] {
  return [...base.keys()].sort().flatMap((id) => {
    const [ofBase, ofRun] = [base.get(id), run.get(id)]
    return ofBase === undefined || ofRun === undefined ? [] : { base: ofBase, run: ofRun }
  })
}

/** Two rates over the same utterances, and their difference. */
export interface PairedRates {
  readonly base: PairedRate
  readonly run: PairedRate
  /** Difference run - base. */
  readonly difference: number | null
  readonly interval: Interval | null
  /** Returns `interval` at another confidence, from the same replicates. */
  resampledAt(confidence: number): Interval | null
  /** Number of utterances whose errors differ. */
  readonly differingCount: number
  /** Returns `resampledAt`, or an interval of zero width where it is null because one utterance alone is the same. */
  intervalAt(confidence: number): Bounds | null
}

/**
 * Returns the rates of both sides, with a paired cluster bootstrap of their difference, in which a common difficulty
 * of an utterance cancels.
 *
 * @see Bisani and Ney 2004, doi:10.1109/ICASSP.2004.1326009
 */
export function pairedRates(pairs: readonly PairedUtterance[], level: ErrorLevel, seed: number): PairedRates {
  const utterances = pairs.map((pair) => pair.base.utterance)
  const terms = pairs.map(({ base, run }) => ({
    base: { numerator: base.errors[level], denominator: base.lengths[level] },
    run: { numerator: run.errors[level], denominator: run.lengths[level] },
  }))
  const { base, run } = pooledRates(level, pairs)
  const differingCount = terms.filter((term) => term.base.numerator !== term.run.numerator).length
  const bootstraps = listClusterings(utterances).map(({ clusterOf, method }) => ({
    method,
    ...pairedBootstrap(sumByCluster(terms, utterances.map(clusterOf)), { random: seededRandom(seed) }),
  }))
  const resampledAt = (confidence: number): Interval | null =>
    takeWidest(
      bootstraps.map(({ intervalAt, method }) => {
        const bounds = intervalAt(confidence)
        return bounds === null ? null : { ...bounds, confidence, method }
      }),
    )
  const isSame = differingCount === 0 && base.rate !== null
  return {
    base,
    run,
    difference: base.rate === null || run.rate === null ? null : run.rate - base.rate,
    interval: resampledAt(0.95),
    resampledAt,
    differingCount,
    intervalAt: (confidence) => resampledAt(confidence) ?? (isSame ? { low: 0, high: 0 } : null),
  }
}

function takeWidest<Kind extends Bounds>(intervals: readonly (Kind | null)[]): Kind | null {
  return intervals.reduce<Kind | null>(
    (widest, one) =>
      one !== null && (widest === null || one.high - one.low > widest.high - widest.low) ? one : widest,
    null,
  )
}

export function pooledRates(
  level: ErrorLevel,
  pairs: readonly PairedUtterance[],
): Readonly<Record<'base' | 'run', PairedRate>> {
  const [base, run] = [pairs.map((pair) => pair.base), pairs.map((pair) => pair.run)]
  return { base: pooledRate(level, base), run: pooledRate(level, run) }
}

/** Returns one rate over utterances of equal weight, each with the mean of its rounds. */
export function pooledRate(level: ErrorLevel, scores: Iterable<PooledScore>): PairedRate {
  let [errors, referenceLength] = [0, 0]
  for (const score of scores) {
    errors += score.errors[level]
    referenceLength += score.lengths[level]
  }
  return { rate: referenceLength === 0 ? null : errors / referenceLength, errors, referenceLength }
}

/**
 * Whether enough utterances differ to exclude chance at this confidence. If both sides were equal, each difference
 * would have either sign with probability 1/2. All k would have the same sign with probability 2 / 2ᵏ, which is below
 * 0.05 from k = 6. A bootstrap of fewer is too optimistic.
 *
 * @see Dror et al. 2018, doi:10.18653/v1/P18-1128 (sign-flip tests for small samples)
 */
export function canDecide(
  { differingCount }: Pick<PairedRates, 'differingCount'>,
  confidence = 0.95,
): boolean {
  return 2 / 2 ** differingCount <= 1 - confidence + 1e-12
}

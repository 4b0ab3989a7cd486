import { seededRandom } from '#prelude'
import {
  type ErrorCounts,
  errorCount,
  errorRate,
  hypothesisLength,
  referenceLength,
  sumCounts,
} from '#scoring'
import { type BootstrapResult, bootstrapRatio, sumByCluster } from '#statistics'
import type { Clustered, Clustering } from './clustering.ts'
import type { ErrorRate, Interval } from './evaluation.ts'

/** The errors of one scored transcript, and whose they are. */
export interface ErrorTerm {
  readonly counts: ErrorCounts
  readonly utterance: Clustered
}

/**
 * Pools transcripts into one error rate: sum of errors / sum of reference lengths, with the interval of a
 * cluster bootstrap. An empty reference adds its insertions to the sum and nothing to the denominator.
 *
 * @param clusterings the ways to resample; the widest interval is told
 * @param seed makes the interval repeatable; the same seed gives the same interval for the same terms
 * @returns rate null where the references hold nothing. Never throws
 * @see Bisani and Ney 2004, doi:10.1109/ICASSP.2004.1326009
 */
export function pooledErrorRate(
  terms: readonly ErrorTerm[],
  clusterings: readonly Clustering[],
  seed: number,
): ErrorRate {
  const counts = sumCounts(terms.map((term) => term.counts))
  const ratios = terms.map((term) => ({
    numerator: errorCount(term.counts),
    denominator: referenceLength(term.counts),
  }))
  return {
    rate: errorRate(counts),
    interval: widestInterval(clusterings, ({ clusterOf }) =>
      bootstrapRatio(
        sumByCluster(
          ratios,
          terms.map((term) => clusterOf(term.utterance)),
        ),
        { random: seededRandom(seed) },
      ),
    ),
    counts,
    referenceLength: referenceLength(counts),
    hypothesisLength: hypothesisLength(counts),
  }
}

/** The widest of the intervals that the clusterings give; null where none gives one. */
export function widestInterval(
  clusterings: readonly Clustering[],
  bootstrap: (clustering: Clustering) => BootstrapResult,
): Interval | null {
  const intervals = clusterings.flatMap((clustering): Interval[] => {
    const { interval, confidence } = bootstrap(clustering)
    return interval === null ? [] : [{ ...interval, confidence, method: clustering.method }]
  })
  return intervals.reduce<Interval | null>(
    (widest, one) => (widest === null || widthOf(one) > widthOf(widest) ? one : widest),
    null,
  )
}

function widthOf({ low, high }: Interval): number {
  return high - low
}

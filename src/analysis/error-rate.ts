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
import type { Clustering } from './clustering.ts'
import type { ErrorRate, Interval } from './evaluation.ts'

/** The errors of one scored transcript, with the cluster that it is resampled in. */
export interface ErrorTerm {
  readonly counts: ErrorCounts
  readonly cluster: string
}

/**
 * Pools transcripts into one error rate: sum of errors / sum of reference lengths, with the interval of a
 * cluster bootstrap. An empty reference adds its insertions to the sum and nothing to the denominator.
 *
 * @param seed makes the interval repeatable; the same seed gives the same interval for the same terms
 * @returns rate null where the references hold nothing. Never throws
 * @see Bisani and Ney 2004, doi:10.1109/ICASSP.2004.1326009
 */
export function pooledErrorRate(
  terms: readonly ErrorTerm[],
  method: Clustering['method'],
  seed: number,
): ErrorRate {
  const counts = sumCounts(terms.map((term) => term.counts))
  const clustered = sumByCluster(
    terms.map((term) => ({ numerator: errorCount(term.counts), denominator: referenceLength(term.counts) })),
    terms.map((term) => term.cluster),
  )
  const result = bootstrapRatio(clustered, { random: seededRandom(seed) })
  return {
    rate: errorRate(counts),
    interval: intervalOf(result, method),
    counts,
    referenceLength: referenceLength(counts),
    hypothesisLength: hypothesisLength(counts),
  }
}

/** A bootstrap's interval as the documents carry it. */
export function intervalOf(result: BootstrapResult, method: Clustering['method']): Interval | null {
  if (result.interval === null) return null
  const { low, high } = result.interval
  return { low, high, confidence: result.confidence, method }
}

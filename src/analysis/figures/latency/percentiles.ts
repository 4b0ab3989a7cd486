import {
  quantile,
  quantileInterval,
  type SortedSamples,
  smallestSampleForQuantile,
  sortSamples,
} from '#statistics'
import type { Percentile, PercentileSet } from '../../documents/latency.ts'

/** The percentiles that every latency-like quantity is reported at. */
export const percentileProbabilities = { p50: 0.5, p90: 0.9, p95: 0.95, p99: 0.99 } as const
export type PercentileName = keyof typeof percentileProbabilities

/**
 * The percentiles of a sample, each only where the sample is large enough for its 95 % interval: 6 samples
 * for p50, 36 for p90, 72 for p95, 368 for p99. A p95 of ten requests would be their maximum in disguise.
 *
 * @param values in the quantity's own unit
 */
export function percentileSet(values: Iterable<number>): PercentileSet {
  return percentilesOf(sortSamples(values))
}

/** As `percentileSet`, of samples that are sorted. */
export function percentilesOf(samples: SortedSamples): PercentileSet {
  return {
    sampleCount: samples.length,
    p50: percentile(samples, 'p50'),
    p90: percentile(samples, 'p90'),
    p95: percentile(samples, 'p95'),
    p99: percentile(samples, 'p99'),
  }
}

function percentile(samples: SortedSamples, name: PercentileName): Percentile {
  const probability = percentileProbabilities[name]
  const value = quantile(samples, probability)
  const interval = quantileInterval(samples, probability)
  if (value === null || !interval.resolved) {
    const missing = smallestSampleForQuantile(probability) - samples.length
    return { value: null, reason: `needs ${missing} more answered request${missing === 1 ? '' : 's'}` }
  }
  const { low, high, confidence } = interval
  return {
    value,
    interval: { low, high, confidence, method: 'order-statistics' },
    sampleCount: samples.length,
  }
}

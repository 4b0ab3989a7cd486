import { binomialCumulative } from '../distributions/special-functions.ts'
import type { SortedSamples } from './quantile.ts'

/** An interval between two of the samples, or how many more samples it would take. */
export type QuantileInterval =
  | {
      readonly resolved: true
      readonly low: number
      readonly high: number
      /** Ranks from 1: `low` is the `lowRank`-th smallest sample. */
      readonly lowRank: number
      readonly highRank: number
      /** The probability, at least `confidence`, with which such an interval holds the quantile. */
      readonly coverage: number
      readonly confidence: number
    }
  | { readonly resolved: false; readonly moreSamplesNeeded: number; readonly confidence: number }

/**
 * A two-sided interval for a quantile that assumes nothing about the distribution but that the samples are
 * independent: the number of samples at or below the true quantile is binomial, so two order statistics
 * bracket it with a known probability. A percentile bootstrap is confidently wrong here (for p99 of 100
 * samples its "95 %" holds 63 % of the time), which is why it is not offered for quantiles.
 *
 *   lowest l with P(B ≤ l-1) ≤ α/2 … highest                 X(1) ≤ … X(l) ≤ … quantile … ≤ X(u) ≤ … X(n)
 *   u smallest with P(B ≥ u) ≤ α/2
 *
 * @param probability strictly between 0 and 1
 * @param confidence 0..1; default: 0.95
 * @returns bounds in the samples' own unit; unresolved when the sample is too small for both bounds
 * @see Hahn and Meeker 1991, Statistical Intervals, 5.2
 */
export function quantileInterval(
  samples: SortedSamples,
  probability: number,
  confidence = 0.95,
): QuantileInterval {
  const count = samples.length
  const needed = smallestSampleForQuantile(probability, confidence)
  if (count < needed) return { resolved: false, moreSamplesNeeded: needed - count, confidence }
  const tail = (1 - confidence) / 2
  const cumulative = (k: number): number => binomialCumulative(k, count, probability)
  // The largest l with P(B ≤ l-1) ≤ tail, and the smallest u with P(B ≥ u) ≤ tail. So many samples have both, also where
  // P(B ≤ 0) is the tail itself and comes out above it in the last digit.
  const lowRank = firstWhere(1, count, (k) => cumulative(k) > tail)
  const highRank = firstWhere(lowRank, count, (k) => 1 - cumulative(k - 1) <= tail)
  return {
    resolved: true,
    low: samples[lowRank - 1] as number,
    high: samples[highRank - 1] as number,
    lowRank,
    highRank,
    coverage: cumulative(highRank - 1) - cumulative(lowRank - 1),
    confidence,
  }
}

/**
 * The smallest sample with a finite two-sided interval for this quantile: at 95 %, 6 for the median, 36 for
 * p90, 72 for p95, 368 for p99, 3,688 for p99.9.
 *
 * Both bounds exist as soon as the outermost samples bracket the quantile: pⁿ ≤ α/2 and (1-p)ⁿ ≤ α/2.
 */
export function smallestSampleForQuantile(probability: number, confidence = 0.95): number {
  if (!(probability > 0 && probability < 1)) {
    throw new RangeError(`an interval needs a quantile strictly between 0 and 1, not ${probability}`)
  }
  if (!(confidence > 0 && confidence < 1)) {
    throw new RangeError(`a confidence lies strictly between 0 and 1, not ${confidence}`)
  }
  const extreme = Math.max(probability, 1 - probability)
  return Math.ceil(Math.log((1 - confidence) / 2) / Math.log(extreme) - 1e-9)
}

/** The first whole number in [low, high] for which a condition holds that never ceases to hold. */
function firstWhere(low: number, high: number, holds: (value: number) => boolean): number {
  let first = low
  let last = high
  while (first < last) {
    const middle = Math.floor((first + last) / 2)
    if (holds(middle)) last = middle
    else first = middle + 1
  }
  return first
}

import { countUpTo, type Random } from '#prelude'
import type { Bounds } from './bounds.ts'
import { binomialCumulative } from './distributions.ts'

declare const sorted: unique symbol

/** Finite numbers in ascending order. Only this file makes them, so a quantile never gets unsorted values. */
export type SortedSamples = Pick<
  Float64Array,
  'length' | 'at' | 'filter' | 'reduce' | typeof Symbol.iterator
> & {
  readonly [rank: number]: number
  readonly [sorted]: true
}

/**
 * Returns a sorted copy of the samples.
 *
 * @throws RangeError for a value that is not finite, because it would shift every rank
 */
export function sortSamples(values: Iterable<number>): SortedSamples {
  const isList = Array.isArray(values) || values instanceof Float64Array
  return sortInPlace(new Float64Array(isList ? values : [...values]))
}

/**
 * Sorts an array of the caller in place, without a copy.
 *
 * @throws RangeError as `sortSamples`
 */
export function sortInPlace(values: Float64Array): SortedSamples {
  for (const value of values) {
    if (!Number.isFinite(value)) throw new RangeError(`a sample must be finite, not ${value}`)
  }
  return values.sort() as unknown as SortedSamples
}

/**
 * Returns the quantile for display: linear interpolation between the two nearest order statistics.
 *
 * @param probability 0..1
 * @returns in the samples' own unit; null without samples
 * @see Hyndman and Fan 1996, type 7, doi:10.2307/2684934 (the default of R, NumPy and spreadsheets)
 */
export function quantile(samples: SortedSamples, probability: number): number | null {
  checkProbability(probability)
  if (samples.length === 0) return null
  const position = (samples.length - 1) * probability
  const below = Math.floor(position)
  const low = samples[below] as number
  const high = samples[Math.min(below + 1, samples.length - 1)] as number
  return low + (high - low) * (position - below)
}

/** @returns NaN without values */
export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** @returns null without values */
export function median(values: Iterable<number>): number | null {
  return quantile(sortSamples(values), 0.5)
}

/**
 * Returns the smallest sample that at least a share `probability` of the samples do not exceed. Objectives are
 * checked with it, because it is one of the samples, and "at most x" is then a count.
 *
 * @param probability 0..1
 * @returns in the samples' own unit; null without samples
 * @see Hyndman and Fan 1996, type 1, doi:10.2307/2684934
 */
export function quantileNearestRank(samples: SortedSamples, probability: number): number | null {
  checkProbability(probability)
  if (samples.length === 0) return null
  // 0.07 · 100 is 7.000000000000001 in binary, so that without the subtraction the rank would be one too high.
  const rank = Math.ceil(samples.length * probability - 1e-9)
  return samples[Math.max(0, rank - 1)] as number
}

function checkProbability(probability: number): void {
  if (!(probability >= 0 && probability <= 1)) {
    throw new RangeError(`a probability lies in 0..1, not ${probability}`)
  }
}

/** An interval between two of the samples, or the number of further samples that it needs. */
export type QuantileInterval =
  | {
      readonly resolved: true
      readonly low: number
      readonly high: number
      /** Ranks from 1: `low` is the `lowRank`-th smallest sample. */
      readonly lowRank: number
      readonly highRank: number
      /** Probability, at least `confidence`, with which such an interval contains the quantile. */
      readonly coverage: number
      readonly confidence: number
    }
  | { readonly resolved: false; readonly moreSamplesNeeded: number; readonly confidence: number }

/**
 * Returns a two-sided interval for a quantile of independent samples of any distribution. The number of samples at
 * or below the true quantile is binomial, so two order statistics contain it with a known probability. A percentile
 * bootstrap is not offered, because its coverage is too low: a "95 %" interval for p99 of 100 samples has 63 %.
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
  // The largest l with P(B ≤ l-1) ≤ tail, and the smallest u with P(B ≥ u) ≤ tail. Both exist for this sample size,
  // even where rounding puts P(B ≤ 0) slightly above the tail.
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
 * Returns the min sample size for a finite two-sided interval of a quantile: at 95 %, 6 for the median, 36 for
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

/** Returns the first whole number in [low, high] that meets a condition that all greater numbers meet as well. */
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

/**
 * Returns the 95 % interval of a quantile of pooled samples, by resampling whole clusters. A cluster that is drawn
 * twice counts twice with all its samples. A replicate is the smallest drawn sample that at least a share
 * `probability` of the drawn samples do not exceed.
 *
 * @param clusters samples of each independent unit (host); empty ones are ignored
 * @returns null with fewer than two clusters that have samples
 * @see Davison and Hinkley 1997, Bootstrap Methods and their Application, 3.8 (resampling of groups)
 */
export function clusteredQuantileInterval(
  clusters: readonly SortedSamples[],
  probability: number,
  random: Random,
  replicates = 2000,
): Bounds | null {
  const filled = clusters.filter(({ length }) => length > 0)
  if (filled.length < 2) return null
  const pooled = sortSamples(filled.flatMap((samples) => [...samples]))
  const values = new Float64Array(replicates)
  for (let replicate = 0; replicate < replicates; replicate += 1) {
    const draws = new Uint32Array(filled.length)
    for (let draw = 0; draw < filled.length; draw += 1) {
      const drawn = random.below(filled.length)
      draws[drawn] = (draws[drawn] as number) + 1
    }
    values[replicate] = drawnQuantile(filled, pooled, draws, probability)
  }
  const sorted = sortInPlace(values)
  const tail = (1 - 0.95) / 2
  return { low: quantile(sorted, tail) ?? 0, high: quantile(sorted, 1 - tail) ?? 0 }
}

/** @param draws number of times that each cluster was drawn */
function drawnQuantile(
  clusters: readonly SortedSamples[],
  pooled: SortedSamples,
  draws: Uint32Array,
  probability: number,
): number {
  const count = weighted(draws, (cluster) => clusters[cluster]?.length ?? 0)
  // As in `quantileNearestRank`, because a product may be slightly above a whole number in binary.
  const rank = Math.max(1, Math.ceil(count * probability - 1e-9))
  let [low, high] = [0, pooled.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    const value = pooled[middle] as number
    const reached = weighted(draws, (cluster) => countUpTo(clusters[cluster] as SortedSamples, value))
    if (reached >= rank) high = middle
    else low = middle + 1
  }
  return pooled[low] as number
}

function weighted(draws: Uint32Array, of: (cluster: number) => number): number {
  return draws.reduce((sum, times, cluster) => sum + (times === 0 ? 0 : times * of(cluster)), 0)
}

/** Counts of values by the logarithm of their size: `[bin, count]`, in ascending order of the bins. */
export type SketchBins = readonly (readonly [bin: number, count: number])[]

/**
 * Estimates quantiles of positive values from a few hundred counts, for any number of values. Sketches of several
 * hosts merge by adding their counts into the sketch of all values; their percentiles cannot be merged.
 */
export interface QuantileSketch {
  add(value: number): void
  merge(bins: SketchBins): void
  /** @returns a value within `sketchError` of the sample of this rank; null without values */
  quantile(probability: number): number | null
  bins(): SketchBins
}

/** Max relative error: a quantile of 100 ms is shown as 99 to 101 ms. */
export const sketchError = 0.01

const growth = (1 + sketchError) / (1 - sketchError)

/** Values below this one are counted as this one. */
const minValue = 1e-6

/**
 *   bin      …   i - 1      i       i + 1   …
 *   values     (γ^i-2, γ^i-1] (γ^i-1, γ^i] …      γ = (1 + error) / (1 - error)
 *
 * @see Masson, Rim and Lee 2019, DDSketch, doi:10.14778/3352063.3352135
 */
export function quantileSketch(): QuantileSketch {
  const counts = new Map<number, number>()
  const addTo = (bin: number, count: number): void => void counts.set(bin, (counts.get(bin) ?? 0) + count)
  const bins = (): SketchBins => [...counts].sort(([one], [other]) => one - other)
  return {
    add: (value) => addTo(Math.ceil(Math.log(Math.max(value, minValue)) / Math.log(growth)), 1),
    merge(others) {
      for (const [bin, count] of others) addTo(bin, count)
    },
    quantile(probability) {
      const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
      let below = 0
      for (const [bin, count] of bins()) {
        below += count
        if (below > probability * (total - 1)) return (2 * growth ** bin) / (growth + 1)
      }
      return null
    },
    bins,
  }
}

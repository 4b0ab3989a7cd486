declare const sorted: unique symbol

/** Finite numbers in ascending order. Only `sortSamples` makes one, so a quantile cannot be asked of disorder. */
export type SortedSamples = Pick<
  Float64Array,
  'length' | 'at' | 'filter' | 'reduce' | typeof Symbol.iterator
> & {
  readonly [rank: number]: number
  readonly [sorted]: true
}

/**
 * A sorted copy of the samples.
 *
 * @throws RangeError for a value that is not finite: it has no place in an order, and would shift every rank
 */
export function sortSamples(values: Iterable<number>): SortedSamples {
  const isList = Array.isArray(values) || values instanceof Float64Array
  return sortInPlace(new Float64Array(isList ? values : [...values]))
}

/**
 * The samples themselves, sorted: an array that the caller owns is sorted in place, without a copy.
 *
 * @throws as `sortSamples`
 */
export function sortInPlace(values: Float64Array): SortedSamples {
  for (const value of values) {
    if (!Number.isFinite(value)) throw new RangeError(`a sample must be finite, not ${value}`)
  }
  return values.sort() as unknown as SortedSamples
}

/**
 * The quantile for display: linear interpolation between the two nearest order statistics.
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

/**
 * The smallest sample that at least a share `probability` of the samples do not exceed: the quantile for
 * meeting or missing an objective, because it is a sample and because "at most x" is then a count.
 *
 * @param probability 0..1
 * @returns in the samples' own unit; null without samples
 * @see Hyndman and Fan 1996, type 1, doi:10.2307/2684934
 */
export function quantileNearestRank(samples: SortedSamples, probability: number): number | null {
  checkProbability(probability)
  if (samples.length === 0) return null
  // 0.95 · 20 is 19.000000000000004 in binary: without the guard the rank would be one too high.
  const rank = Math.ceil(samples.length * probability - 1e-9)
  return samples[Math.max(0, rank - 1)] as number
}

function checkProbability(probability: number): void {
  if (!(probability >= 0 && probability <= 1)) {
    throw new RangeError(`a probability lies in 0..1, not ${probability}`)
  }
}

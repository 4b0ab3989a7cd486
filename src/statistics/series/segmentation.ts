/** Values of a series with the weight of each deviation. */
export interface WeightedSeries {
  readonly values: readonly number[]
  /** Weights, above 0, inverse to the expected spread of each value. */
  readonly weights: readonly number[]
}

/** A series prepared for sums of deviations: items are numbered in the order of the series. */
export interface RankedSeries {
  /** Rank of each item among all values in ascending order, from 1. */
  readonly places: Int32Array
  /** Values in ascending order. */
  readonly ascending: Float64Array
  readonly weights: Float64Array
}

export function rankedSeries({ values, weights }: WeightedSeries): RankedSeries {
  const order = values.map((_, item) => item).sort((a, b) => (values[a] as number) - (values[b] as number))
  const places = new Int32Array(values.length)
  for (const [index, item] of order.entries()) places[item] = index + 1
  return {
    places,
    ascending: Float64Array.from(order, (item) => values[item] as number),
    weights: Float64Array.from(weights),
  }
}

/**
 * Returns weighted sums of absolute deviations from the weighted median of the first 0, 1, … n items of an order.
 * It uses a Fenwick tree over the ranks, in O(n log n).
 */
export function deviationsOfPrefixes(
  { places, ascending, weights }: RankedSeries,
  order: Int32Array,
): Float64Array {
  const size = ascending.length
  // The weight of node n is at index 2n and its weighted sum at 2n + 1, so that both are close in memory.
  const tree = new Float64Array(2 * (size + 1))
  const highestStep = 2 ** Math.floor(Math.log2(Math.max(1, size)))
  const deviations = new Float64Array(order.length + 1)
  let totalWeight = 0
  let totalSum = 0
  for (let count = 1; count <= order.length; count += 1) {
    const item = order[count - 1] as number
    const place = places[item] as number
    const weight = weights[item] as number
    const product = weight * (ascending[place - 1] as number)
    for (let node = place; node <= size; node += node & -node) {
      const at = node << 1
      tree[at] = (tree[at] as number) + weight
      tree[at + 1] = (tree[at + 1] as number) + product
    }
    totalWeight += weight
    totalSum += product
    const half = totalWeight / 2
    let below = 0
    let weightBelow = 0
    let sumBelow = 0
    for (let step = highestStep; step > 0; step >>= 1) {
      const node = below + step
      if (node > size) continue
      const weightTo = weightBelow + (tree[node << 1] as number)
      if (weightTo >= half) continue
      below = node
      weightBelow = weightTo
      sumBelow += tree[(node << 1) + 1] as number
    }
    const median = ascending[Math.min(below, size - 1)] as number
    deviations[count] = Math.max(0, totalSum - 2 * sumBelow - median * (totalWeight - 2 * weightBelow))
  }
  return deviations
}

/** A division of a series into segments. */
export interface Segmentation {
  /** Index of the first value of every segment but the first, ascending. */
  readonly starts: readonly number[]
  /** Sum of the deviations of all segments. */
  readonly deviation: number
}

/**
 * For 0, 1, 2, … changes, yields the division of a series into segments with the smallest sum of deviations, by
 * dynamic programming. It takes O(n²) for each number of changes, and O(n² log n) once.
 *
 * @see Auger and Lawrence 1989, doi:10.1007/BF02458835 (segment neighbourhood)
 */
export function* bestSegmentations(
  series: RankedSeries,
  shortestSegment: number,
): Generator<Segmentation, void, undefined> {
  const size = series.places.length
  const costs = segmentCosts(series)
  const starts: Int32Array[] = []
  let best = Float64Array.from({ length: size + 1 }, (_, end) =>
    end < shortestSegment ? Number.POSITIVE_INFINITY : (costs[end]?.[0] as number),
  )
  yield { starts: [], deviation: best[size] as number }
  for (let changes = 1; (changes + 1) * shortestSegment <= size; changes += 1) {
    const next = new Float64Array(size + 1).fill(Number.POSITIVE_INFINITY)
    const startOfLast = new Int32Array(size + 1)
    for (let end = (changes + 1) * shortestSegment; end <= size; end += 1) {
      const costsToEnd = costs[end] as Float64Array
      for (let start = changes * shortestSegment; start <= end - shortestSegment; start += 1) {
        const deviation = (best[start] as number) + (costsToEnd[start] as number)
        if (deviation >= (next[end] as number)) continue
        next[end] = deviation
        startOfLast[end] = start
      }
    }
    starts.push(startOfLast)
    best = next
    yield { starts: traced(starts, size), deviation: best[size] as number }
  }
}

/** Returns the deviation of every segment, by its end and then its start. */
function segmentCosts(series: RankedSeries): readonly Float64Array[] {
  const size = series.places.length
  const order = Int32Array.from({ length: size }, (_, item) => item)
  const costs = Array.from({ length: size + 1 }, (_, end) => new Float64Array(end))
  for (let start = 0; start < size; start += 1) {
    const deviations = deviationsOfPrefixes(series, order.subarray(start))
    for (let end = start + 1; end <= size; end += 1) {
      ;(costs[end] as Float64Array)[start] = deviations[end - start] as number
    }
  }
  return costs
}

function traced(startsOfLast: readonly Int32Array[], size: number): readonly number[] {
  const starts: number[] = []
  let end = size
  for (const startOfLast of startsOfLast.toReversed()) {
    end = startOfLast[end] as number
    starts.unshift(end)
  }
  return starts
}

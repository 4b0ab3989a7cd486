import type { Bounds } from '../bounds.ts'
import { normalCumulative, normalQuantile } from '../distributions.ts'
import { median } from '../quantiles.ts'

export interface Point {
  readonly x: number
  readonly y: number
}

export interface Line {
  /** y at x = 0. */
  readonly intercept: number
  /** y per x. */
  readonly slope: number
}

/**
 * Fits a line that a quarter of outliers cannot move far. Its slope is the median of the slopes of all pairs of
 * points, its intercept the median of what remains. O(n²).
 *
 * @returns null unless two points differ in x
 * @see Theil 1950; Sen 1968, doi:10.1080/01621459.1968.10480934
 */
export function fitTheilSen(points: readonly Point[]): Line | null {
  const slopes = pairwiseSlopes(points)
  const slope = median(slopes)
  if (slope === null) return null
  const intercept = median(Float64Array.from(points, ({ x, y }) => y - slope * x))
  return intercept === null ? null : { intercept, slope }
}

/**
 * Returns the slope of a trend with the interval that corresponds to Kendall's test.
 *
 *   interval = [s((N - C)/2), s((N + C)/2 + 1)] of the N ordered slopes, C = z √Var(S), ranks rounded
 *
 * It assumes independent, identically distributed residuals.
 *
 * @returns null unless two points differ in x; interval null where the points are too few for the confidence
 * @see Sen 1968, doi:10.1080/01621459.1968.10480934; Hollander and Wolfe, 9.3
 */
export function trendSlope(
  points: readonly Point[],
  confidence = 0.95,
): { readonly slope: number; readonly interval: Bounds | null } | null {
  const slopes = pairwiseSlopes(points)
  const slope = median(slopes)
  if (slope === null) return null
  const spread = normalQuantile((1 + confidence) / 2) * Math.sqrt(kendallVariance(points))
  const low = slopes[Math.round((slopes.length - spread) / 2) - 1]
  const high = slopes[Math.round((slopes.length + spread) / 2)]
  return { slope, interval: low === undefined || high === undefined ? null : { low, high } }
}

/** Returns the slopes of all pairs of points that differ in x, ascending. */
function pairwiseSlopes(points: readonly Point[]): Float64Array {
  const slopes = new Float64Array((points.length * (points.length - 1)) / 2)
  let filled = 0
  for (let i = 0; i < points.length; i += 1) {
    const { x, y } = points[i] as Point
    for (let j = i + 1; j < points.length; j += 1) {
      const other = points[j] as Point
      if (other.x === x) continue
      slopes[filled] = (other.y - y) / (other.x - x)
      filled += 1
    }
  }
  return slopes.subarray(0, filled).sort()
}

export interface TrendTest {
  /** Number of rising pairs minus number of falling pairs. */
  readonly s: number
  /** Two-sided p-value of "no monotone trend"; normal, corrected for ties and continuity. */
  readonly pValue: number
}

/**
 * Tests whether values of any distribution drift up or down in their order. It assumes independent values, because
 * a slow wave looks like a trend.
 *
 * @returns null with fewer than three values
 * @see Mann 1945, doi:10.2307/1907187; Kendall 1975, Rank Correlation Methods
 */
export function mannKendallTest(values: readonly number[]): TrendTest | null {
  if (values.length < 3) return null
  const points = values.map((y, x) => ({ x, y }))
  let s = 0
  for (let i = 0; i < values.length; i += 1) {
    for (let j = i + 1; j < values.length; j += 1) {
      s += Math.sign((values[j] as number) - (values[i] as number))
    }
  }
  const variance = kendallVariance(points)
  if (variance <= 0) return { s, pValue: 1 }
  const distance = Math.max(0, Math.abs(s) - 1)
  return { s, pValue: Math.min(1, 2 * normalCumulative(-distance / Math.sqrt(variance))) }
}

/** Returns the variance of Kendall's S under no association, with ties on both sides. */
function kendallVariance(points: readonly Point[]): number {
  const n = points.length
  const tieSums = (values: readonly number[]): readonly [number, number, number] => {
    let [first, second, third] = [0, 0, 0]
    for (const group of Map.groupBy(values, (value) => value).values()) {
      const t = group.length
      first += t * (t - 1)
      second += t * (t - 1) * (t - 2)
      third += t * (t - 1) * (2 * t + 5)
    }
    return [first, second, third]
  }
  const [pairsX, triplesX, termX] = tieSums(points.map(({ x }) => x))
  const [pairsY, triplesY, termY] = tieSums(points.map(({ y }) => y))
  const triples = n < 3 ? 0 : (triplesX * triplesY) / (9 * n * (n - 1) * (n - 2))
  const pairs = n < 2 ? 0 : (pairsX * pairsY) / (2 * n * (n - 1))
  return (n * (n - 1) * (2 * n + 5) - termX - termY) / 18 + triples + pairs
}

import { type Bounds, mapBounds } from '../bounds.ts'
import { normalCumulative, normalQuantile } from '../distributions.ts'
import { rank } from './ranks.ts'

/** Max values per side for the exact distribution, without ties. */
const exactUpTo = 20

export interface MannWhitneyResult {
  /** Number of pairs (a, b) with b > a, where those with b = a count half: 0 … n·m. */
  readonly u: number
  /** Two-sided p-value of "neither side tends to be larger". */
  readonly pValue: number
  readonly method: 'exact' | 'normal'
  /** Cliff's delta, 2U/nm - 1: -1 where every b lies below every a, 1 where above, 0 where neither prevails. */
  readonly delta: number
}

/**
 * Tests whether the values of b tend to be larger than those of a, for any distribution. It assumes independent
 * values. Never pool requests of mixed audio lengths, because their spread hides every effect.
 *
 * It is exact up to 20 values per side without ties, otherwise normal with corrections for ties and continuity. The
 * smallest possible p is 0.0286 for 4 + 4 values, and 0.0079 for 5 + 5.
 *
 * @returns null where a side is empty
 * @see Mann and Whitney 1947, doi:10.1214/aoms/1177730491 (with the recurrence for the exact distribution); Cliff
 *   1993, doi:10.1037/0033-2909.114.3.494
 */
export function mannWhitneyTest(a: readonly number[], b: readonly number[]): MannWhitneyResult | null {
  const pairs = a.length * b.length
  if (pairs === 0) return null
  const { ranks, tieTerm } = rank([...a, ...b])
  const rankSum = ranks.slice(a.length).reduce((sum, each) => sum + each, 0)
  const u = rankSum - (b.length * (b.length + 1)) / 2
  const isExact = tieTerm === 0 && Math.max(a.length, b.length) <= exactUpTo
  const pValue = isExact ? exactP(u, a.length, b.length) : normalP(u, a.length, b.length, tieTerm)
  return { u, pValue, method: isExact ? 'exact' : 'normal', delta: (2 * u) / pairs - 1 }
}

function exactP(u: number, n: number, m: number): number {
  const counts = arrangements(n, m)
  const total = counts.reduce((sum, count) => sum + count, 0)
  const smaller = Math.min(u, n * m - u)
  const tail = counts.slice(0, smaller + 1).reduce((sum, count) => sum + count, 0)
  return Math.min(1, (2 * tail) / total)
}

function normalP(u: number, n: number, m: number, tieTerm: number): number {
  const all = n + m
  const variance = ((n * m) / 12) * (all + 1 - tieTerm / (all * (all - 1)))
  if (variance <= 0) return 1
  const distance = Math.max(0, Math.abs(u - (n * m) / 2) - 0.5)
  return Math.min(1, 2 * normalCumulative(-distance / Math.sqrt(variance)))
}

/**
 * Returns the number of arrangements of n and m values with U = 0, 1, … n·m. These are the coefficients of the
 * Gaussian binomial coefficient, whose factors are multiplied and divided one by one.
 */
function arrangements(n: number, m: number): Float64Array {
  const counts = new Float64Array(n * m + 1)
  counts[0] = 1
  for (let factor = 1; factor <= m; factor += 1) {
    for (let u = n * m; u >= n + factor; u -= 1) {
      counts[u] = (counts[u] as number) - (counts[u - n - factor] as number)
    }
    for (let u = factor; u <= n * m; u += 1) {
      counts[u] = (counts[u] as number) + (counts[u - factor] as number)
    }
  }
  return counts
}

export interface ShiftEstimate {
  /** Median of all differences b - a, in the values' own unit. */
  readonly shift: number
  /** The 95 % interval; null where the samples are too small for it. */
  readonly interval: Bounds | null
}

/**
 * Returns the Hodges-Lehmann shift of b against a, with the interval that corresponds to the Mann-Whitney test. On
 * logarithms it is a ratio: see `ratioShift`.
 *
 *   interval = [D(C), D(nm + 1 - C)] of the ordered differences D(1) ≤ … ≤ D(nm). C is the lower critical value of U
 *   at α/2: exact up to 20 values per side, otherwise nm/2 - z √(nm(n+m+1)/12), rounded.
 *
 * It assumes that the two distributions differ only by a shift.
 *
 * @returns null where a side is empty
 * @see Hodges and Lehmann 1963, doi:10.1214/aoms/1177704172; Hollander and Wolfe, Nonparametric Statistical
 *   Methods, 4.3
 */
export function hodgesLehmannShift(a: readonly number[], b: readonly number[]): ShiftEstimate | null {
  if (a.length === 0 || b.length === 0) return null
  const differences = new Float64Array(a.length * b.length)
  let filled = 0
  for (const left of a) {
    for (const right of b) {
      differences[filled] = right - left
      filled += 1
    }
  }
  differences.sort()
  const count = differences.length
  const middle = Math.floor(count / 2)
  const upper = differences[middle] as number
  const shift = count % 2 === 1 ? upper : ((differences[middle - 1] as number) + upper) / 2
  const place = lowerPlace(a.length, b.length)
  const interval =
    place < 1 ? null : { low: differences[place - 1] as number, high: differences[count - place] as number }
  return { shift, interval }
}

/** Rank, from 1, of the difference at the lower bound; 0 where there is none. */
function lowerPlace(n: number, m: number): number {
  const tail = (1 - 0.95) / 2
  if (Math.max(n, m) > exactUpTo) {
    return Math.round((n * m) / 2 + normalQuantile(tail) * Math.sqrt((n * m * (n + m + 1)) / 12))
  }
  const counts = arrangements(n, m)
  const allowed = tail * counts.reduce((sum, count) => sum + count, 0)
  let place = 0
  for (let sum = counts[0] as number; sum <= allowed; sum += counts[place] as number) place += 1
  return place
}

/**
 * Returns the factor between a and b: `hodgesLehmannShift` of the logarithms. 1.041 means "+4.1 %".
 *
 * @param a positive values, like those of b
 * @returns null where a side is empty or holds a value that has no logarithm
 */
export function ratioShift(
  a: readonly number[],
  b: readonly number[],
): { readonly ratio: number; readonly interval: Bounds | null } | null {
  if ([...a, ...b].some((value) => !(value > 0))) return null
  const estimate = hodgesLehmannShift(a.map(Math.log), b.map(Math.log))
  if (estimate === null) return null
  return { ratio: Math.exp(estimate.shift), interval: mapBounds(estimate.interval, Math.exp) }
}

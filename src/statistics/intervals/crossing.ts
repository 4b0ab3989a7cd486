import type { Random } from '#prelude'
import type { RatioTerm } from './bootstrap.ts'
import { resampledSums } from './resampling.ts'

/** Where a rate that is measured at several conditions crosses a limit. */
export interface Crossing {
  /** Position among the conditions, from 0, with fractions; -Infinity above the limit everywhere, Infinity nowhere. */
  readonly position: number
  /** Ends of the interval, of the same kind; null with fewer than two units. */
  readonly interval: { readonly low: number; readonly high: number } | null
}

export interface CrossingOptions {
  readonly limit: number
  readonly random: Random
  /** Default: 2,000. */
  readonly replicates?: number
  /** 0..1; default: 0.95. */
  readonly confidence?: number
}

/**
 * Finds the first pair of neighbouring conditions between which a ratio of sums exceeds a limit, and interpolates
 * linearly between them. The interval is of a percentile bootstrap over the units: each replicate draws units with all
 * of their conditions, so that what makes a unit hard at every condition cancels.
 *
 *   rate        ____/¯¯   0  1  2  3   position 1.4
 *   limit  - - -/- - -
 *
 * @param units one row for each independent unit, with a term for each condition from the easiest to the hardest
 * @returns null where a condition has no denominator
 * @see Efron and Tibshirani 1993, An Introduction to the Bootstrap, 13.3
 */
export function limitCrossing(
  units: readonly (readonly RatioTerm[])[],
  { limit, random, replicates = 2000, confidence = 0.95 }: CrossingOptions,
): Crossing | null {
  const conditionCount = units[0]?.length ?? 0
  const columns = Array.from({ length: conditionCount }, (_, at) => [
    Float64Array.from(units, (terms) => terms[at]?.numerator ?? 0),
    Float64Array.from(units, (terms) => terms[at]?.denominator ?? 0),
  ]).flat()
  const total = columns.map((column) => column.reduce((sum, value) => sum + value, 0))
  if (conditionCount === 0 || total.some((sum, index) => index % 2 === 1 && sum === 0)) return null
  const position = positionOf(ratesOf(total), limit)
  if (units.length < 2) return { position, interval: null }
  const sums = resampledSums(columns, new Uint8Array(units.length).fill(1), replicates, random)
  const positions = Float64Array.from({ length: replicates }, (_, replicate) =>
    positionOf(ratesOf(sums.map((column) => column[replicate] as number)), limit),
  ).sort()
  const tail = (1 - confidence) / 2
  const at = (share: number): number => positions[Math.round(share * (replicates - 1))] as number
  return { position, interval: { low: at(tail), high: at(1 - tail) } }
}

function ratesOf(sums: readonly number[]): readonly number[] {
  return Array.from({ length: sums.length / 2 }, (_, at) => {
    const denominator = sums[2 * at + 1] as number
    // A draw without words at one condition has no rate there; it counts as no error.
    return denominator === 0 ? 0 : (sums[2 * at] as number) / denominator
  })
}

function positionOf(rates: readonly number[], limit: number): number {
  const first = rates.findIndex((rate) => rate > limit)
  if (first === -1) return Infinity
  if (first === 0) return -Infinity
  const [before, after] = [rates[first - 1] as number, rates[first] as number]
  return first - 1 + (limit - before) / (after - before)
}

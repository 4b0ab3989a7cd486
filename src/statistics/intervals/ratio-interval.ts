import { studentQuantile } from '../distributions/student.ts'
import type { PairedRatioTerm } from './bootstrap.ts'

/** How many times as large the ratio of one side is as that of the other. */
export interface RatioEstimate {
  /** (Σ run numerator / Σ run denominator) / (Σ base numerator / Σ base denominator). */
  readonly ratio: number
  /** Of the ratio. */
  intervalAt(confidence: number): { readonly low: number; readonly high: number }
}

/**
 * The ratio of two ratios of sums over the same units, with a t-interval of its logarithm: a unit's part in it is what
 * it adds to each sum beyond its share. What makes a unit slow for both sides cancels. In closed form, because a few units
 * are too few for a bootstrap.
 *
 *   ln ratio = ln Σa - ln Σb - ln Σc + ln Σd      part of unit i = aᵢ/Σa - bᵢ/Σb - cᵢ/Σc + dᵢ/Σd
 *
 * @param units that are independent of each other
 * @returns null with fewer than two units, and where a sum is not above 0
 * @see Cochran 1977, Sampling Techniques, 6.4 (linearised variance of a ratio)
 */
export function ratioOfRatios(units: readonly PairedRatioTerm[]): RatioEstimate | null {
  const sum = (of: (unit: PairedRatioTerm) => number): number =>
    units.reduce((total, unit) => total + of(unit), 0)
  const [a, b] = [sum(({ run }) => run.numerator), sum(({ run }) => run.denominator)]
  const [c, d] = [sum(({ base }) => base.numerator), sum(({ base }) => base.denominator)]
  const count = units.length
  if (count < 2 || !(a > 0 && b > 0 && c > 0 && d > 0)) return null
  const squares = sum(
    ({ base, run }) =>
      (run.numerator / a - run.denominator / b - base.numerator / c + base.denominator / d) ** 2,
  )
  const error = Math.sqrt((squares * count) / (count - 1))
  const ratio = a / b / (c / d)
  return {
    ratio,
    intervalAt(confidence) {
      const reach = Math.exp(studentQuantile((1 + confidence) / 2, count - 1) * error)
      return { low: ratio / reach, high: ratio * reach }
    },
  }
}

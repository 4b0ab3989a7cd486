import { normalCumulative } from '../distributions/normal.ts'
import { estimateMean, studentQuantile } from '../distributions/student.ts'

/**
 * An interval of a mean that may be looked at after every value, and stopped on: with the probability of its
 * confidence all of them hold the mean at once. A common interval that is tested again and again until it excludes
 * nought finds "differences" in a fifth of all A/A series after ten looks.
 *
 *   mean ± s √( 2(nρ² + 1)/(n²ρ²) · ln(√(nρ² + 1)/α) )        ρ tuned to the number of values expected
 *
 * The standard deviation is an estimate, so for few values the half-width is stretched by the ratio of Student's t
 * to the normal quantile at the level that the interval has there.
 *
 * @param expectedCount the number of values at which the interval is to be narrowest
 * @returns null with fewer than two values
 * @see Howard et al. 2021, doi:10.1214/20-AOS1991 (normal mixture); Robbins 1970
 */
export function confidenceSequence(
  values: readonly number[],
  { confidence = 0.95, expectedCount = 20 }: { confidence?: number; expectedCount?: number } = {},
): { readonly mean: number; readonly low: number; readonly high: number } | null {
  const estimate = estimateMean(values)
  if (estimate === null) return null
  const alpha = 1 - confidence
  // The tuning that minimises the width at the expected count, to within a percent.
  const rho2 = (2 * Math.log(1 / alpha) + Math.log(1 + 2 * Math.log(1 / alpha))) / expectedCount
  const { mean, standardError, count } = estimate
  const spread = count * rho2 + 1
  const errorsWide = Math.sqrt(((2 * spread) / (count * rho2)) * Math.log(Math.sqrt(spread) / alpha))
  const half = stretched(errorsWide, count - 1) * standardError
  return { mean, low: mean - half, high: mean + half }
}

/** The t that is exceeded as rarely as this z. */
function stretched(z: number, degrees: number): number {
  return studentQuantile(normalCumulative(-z), degrees) * -1
}

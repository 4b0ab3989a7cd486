import { studentQuantile } from './student.ts'

export interface PowerOptions {
  /** How often the difference is to be found; 0.8 unless told. */
  readonly power?: number
  /** 0..1; 0.95 unless told. Give 1 - 0.05/m where m comparisons are made at once. */
  readonly confidence?: number
}

/**
 * The smallest difference from the margin that so many pairs of runs find, in the unit of the differences.
 *
 *   (t(1-α/2) + t(power)) · sd / √pairs, with pairs - 1 degrees of freedom
 *
 * @param standardDeviation of the difference of one pair of runs
 * @param pairs at least 2
 * @see Bloom 1995, "Minimum detectable effects", doi:10.1177/0193841X9501900504
 */
export function detectableDifference(
  standardDeviation: number,
  pairs: number,
  { power = 0.8, confidence = 0.95 }: PowerOptions = {},
): number {
  const degrees = pairs - 1
  const reach = studentQuantile((1 + confidence) / 2, degrees) + studentQuantile(power, degrees)
  return (reach * standardDeviation) / Math.sqrt(pairs)
}

/**
 * How many pairs of runs find a difference that lies so far beyond the margin, as often as `power` says.
 *
 * @param distance from the margin, positive, in the unit of the standard deviation
 * @returns at least 2; null where 1,000 pairs would not do
 */
export function requiredPairs(
  standardDeviation: number,
  distance: number,
  options: PowerOptions = {},
): number | null {
  for (let pairs = 2; pairs <= 1000; pairs += 1) {
    if (detectableDifference(standardDeviation, pairs, options) <= distance) return pairs
  }
  return null
}

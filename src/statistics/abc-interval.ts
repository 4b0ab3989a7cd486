import type { RatioTerm } from './bootstrap.ts'
import type { Bounds } from './bounds.ts'
import { normalCumulative, normalQuantile } from './distributions.ts'

/**
 * Returns the interval of a ratio of sums to which the BCa bootstrap converges with more replicates, computed from
 * moments (ABC, approximate bootstrap confidence). Their difference is of order n^-1.5: from thousands of units on,
 * less than the noise of 10,000 replicates. It takes one pass over the terms.
 *
 * T(P) is the ratio under weights P of the units, P₀ = (1/n, …), and U and V are its first and second derivatives
 * towards each unit:
 *
 *   σ² = ΣU² / n²          a = ΣU³ / 6(ΣU²)^1.5          δ = U / n²σ
 *   c  = ΣV / 2n²σ - T″(P₀; δ) / 2σ                     z₀ = Φ⁻¹(2 Φ(a) Φ(-c))
 *   bound at α: T(P₀ + λδ) with w = z₀ + Φ⁻¹(α) and λ = w / (1 - aw)²
 *
 * No sample, and so no bootstrap bound, has a ratio outside those of its units. Where few units decide the ratio, a
 * step along δ can leave that range, even below 0, so bounds are clamped to it.
 *
 * @param counts number of units that each term represents
 * @returns null with fewer than two units, without a denominator, and where all units have the same ratio
 * @see DiCiccio and Efron 1992, doi:10.1093/biomet/79.2.231; Efron and Tibshirani 1993, chapter 22
 */
export function abcInterval(
  terms: readonly RatioTerm[],
  counts: ArrayLike<number>,
  confidence: number,
): Bounds | null {
  const moments = takeMoments(terms, counts)
  if (moments === null) return null
  const { ratio, meanDenominator: mean, units, squares, cubes, withNumerator, withDenominator } = moments
  const deviation = Math.sqrt(squares) / units
  if (deviation === 0) return null
  const acceleration = cubes / (6 * squares ** 1.5)
  const scale = units ** 2 * deviation
  // Change of the means of numerators and denominators per unit step along δ.
  const [addedNumerator, addedDenominator] = [withNumerator / scale, withDenominator / scale]
  const ratioAt = (step: number): number =>
    (ratio * mean + step * addedNumerator) / (mean + step * addedDenominator)
  // ΣV = -2 Σ(denominator - mean)U / mean, and ΣU = 0.
  const bias = -withDenominator / (mean * units ** 2)
  const slope = (addedNumerator - ratio * addedDenominator) / mean
  const curvature = (-2 * addedDenominator * slope) / mean / (2 * deviation)
  const correction = normalQuantile(
    2 * normalCumulative(acceleration) * normalCumulative(curvature - bias / deviation),
  )
  const boundAt = (probability: number): number => {
    const shifted = correction + normalQuantile(probability)
    const bound = ratioAt(shifted / (1 - acceleration * shifted) ** 2)
    return Math.min(Math.max(bound, moments.lowest), moments.highest)
  }
  return { low: boundAt((1 - confidence) / 2), high: boundAt((1 + confidence) / 2) }
}

interface Moments {
  /** Min and max ratio of a single unit. */
  readonly lowest: number
  readonly highest: number
  readonly ratio: number
  readonly meanDenominator: number
  readonly units: number
  /** ΣU², ΣU³, ΣU·numerator and ΣU·denominator. */
  readonly squares: number
  readonly cubes: number
  readonly withNumerator: number
  readonly withDenominator: number
}

function takeMoments(terms: readonly RatioTerm[], counts: ArrayLike<number>): Moments | null {
  let [units, numerators, denominators] = [0, 0, 0]
  for (const [index, { numerator, denominator }] of terms.entries()) {
    const count = counts[index] as number
    units += count
    numerators += count * numerator
    denominators += count * denominator
  }
  if (units < 2 || denominators === 0) return null
  const ratio = numerators / denominators
  const meanDenominator = denominators / units
  let [squares, cubes, withNumerator, withDenominator] = [0, 0, 0, 0]
  let [lowest, highest] = [ratio, ratio]
  for (const [index, { numerator, denominator }] of terms.entries()) {
    const count = counts[index] as number
    const towards = (numerator - ratio * denominator) / meanDenominator
    squares += count * towards ** 2
    cubes += count * towards ** 3
    withNumerator += count * towards * numerator
    withDenominator += count * towards * denominator
    if (count === 0 || (numerator === 0 && denominator === 0)) continue
    lowest = Math.min(lowest, numerator / denominator)
    highest = Math.max(highest, numerator / denominator)
  }
  return { lowest, highest, ratio, meanDenominator, units, squares, cubes, withNumerator, withDenominator }
}

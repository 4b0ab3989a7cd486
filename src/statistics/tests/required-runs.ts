import {
  estimateMean,
  logGamma,
  normalCumulative,
  normalQuantile,
  studentQuantile,
} from '../distributions.ts'

export interface PowerOptions {
  /** Power: probability of detecting the difference; default: 0.8. */
  readonly power?: number
  /** Confidence, 0..1; default: 0.95. Use 1 - 0.05/m for m simultaneous comparisons. */
  readonly confidence?: number
}

/** An even number, for Simpson's rule, which gives the integral to eight decimals. */
const integrationSteps = 400

/**
 * Returns the power to find a difference beyond the margin, from its distance in standard deviations and the number
 * of pairs. It is the probability that a noncentral t exceeds the quantile of the central one.
 *
 *   P = ∫ Φ(d√n - t·s) f(s) ds, where s is the estimated over the true standard deviation, ν s² ~ χ²(ν)
 *
 * @see Johnson, Kotz and Balakrishnan 1995, Continuous Univariate Distributions 2, chapter 31
 */
function computePower(distance: number, pairs: number, confidence: number): number {
  const degrees = pairs - 1
  const critical = studentQuantile((1 + confidence) / 2, degrees)
  const shift = distance * Math.sqrt(pairs)
  const logFactor = Math.log(2) + (degrees / 2) * Math.log(degrees / 2) - logGamma(degrees / 2)
  const integrand = (spread: number): number => {
    const logDensity =
      logFactor + (degrees === 1 ? 0 : (degrees - 1) * Math.log(spread)) - (degrees * spread ** 2) / 2
    return Math.exp(logDensity) * normalCumulative(shift - critical * spread)
  }
  const reach = 8 / Math.sqrt(2 * degrees)
  const from = Math.max(0, 1 - reach)
  const width = (1 + reach - from) / integrationSteps
  let sum = 0
  for (let step = 0; step <= integrationSteps; step += 1) {
    const weight = step === 0 || step === integrationSteps ? 1 : step % 2 === 1 ? 4 : 2
    sum += weight * integrand(from + step * width)
  }
  return (sum * width) / 3
}

/**
 * Returns the smallest distance from the margin that a number of pairs of runs detects with `power`, in the unit of
 * the differences. It is exact for normal differences.
 *
 * @param standardDeviation standard deviation of the difference of one pair of runs
 * @param pairs at least 2
 * @see Cohen 1988, Statistical Power Analysis for the Behavioral Sciences, 2.2
 */
export function detectableDifference(
  standardDeviation: number,
  pairs: number,
  { power = 0.8, confidence = 0.95 }: PowerOptions = {},
): number {
  let [low, high] = [0, 1]
  while (computePower(high, pairs, confidence) < power) high *= 2
  for (let halving = 0; halving < 50; halving += 1) {
    const middle = (low + high) / 2
    if (computePower(middle, pairs, confidence) < power) low = middle
    else high = middle
  }
  return high * standardDeviation
}

/**
 * Returns the number of pairs of runs, or of utterances, that detects a difference with `power`.
 *
 * @param distance distance from the margin, in the unit of the standard deviation; the result is null unless
 *   positive
 * @returns at least 2; null where `maxPairs` is too few
 */
export function requiredPairs(
  standardDeviation: number,
  distance: number,
  { power = 0.8, confidence = 0.95, maxPairs = 1000 }: PowerOptions & { readonly maxPairs?: number } = {},
): number | null {
  if (standardDeviation === 0) return distance > 0 ? minPairs : null
  const isEnough = (pairs: number): boolean =>
    computePower(distance / standardDeviation, pairs, confidence) >= power
  if (!isEnough(maxPairs)) return null
  // Power increases with every pair, so bisection finds the smallest number.
  let [low, high] = [minPairs - 1, maxPairs]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (isEnough(middle)) high = middle
    else low = middle
  }
  return high
}

const minPairs = 2

/**
 * Returns a standard deviation that the true one does not exceed in four of five samples. A study planned from a
 * pilot then has its power as often. Chi-square is Wilson and Hilferty's approximation.
 *
 * @param degrees at least 1
 * @see Browne 1995, doi:10.1002/sim.4780141709; Wilson and Hilferty 1931, doi:10.1073/pnas.17.12.684
 */
export function cautiousDeviation(standardDeviation: number, degrees: number): number {
  const part = 2 / (9 * degrees)
  const chiSquare = degrees * Math.max(0.01, 1 - part + normalQuantile(0.2) * Math.sqrt(part)) ** 3
  return standardDeviation * Math.sqrt(degrees / chiSquare)
}

/**
 * Returns an interval of a mean that may be checked after every value, with optional stopping: all intervals
 * contain the mean at once with the given confidence. A fixed-size interval that is checked after every value until
 * it excludes 0 finds "differences" in a fifth of all A/A series after ten checks.
 *
 *   mean ± s √( 2(nρ² + 1)/(n²ρ²) · ln(√(nρ² + 1)/α) )        ρ tuned to the expected number of values
 *
 * The standard deviation is an estimate. For few values the half-width is therefore stretched by the ratio of
 * Student's t to the normal quantile at the same tail probability.
 *
 * @param expectedCount number of values at which the interval is narrowest
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
  // This value minimises the width at the expected count, to within 1 %.
  const rho2 = (2 * Math.log(1 / alpha) + Math.log(1 + 2 * Math.log(1 / alpha))) / expectedCount
  const { mean, standardError, count } = estimate
  const spread = count * rho2 + 1
  const errorsWide = Math.sqrt(((2 * spread) / (count * rho2)) * Math.log(Math.sqrt(spread) / alpha))
  const half = stretched(errorsWide, count - 1) * standardError
  return { mean, low: mean - half, high: mean + half }
}

/** Returns the t with the same tail probability as z. */
function stretched(z: number, degrees: number): number {
  return studentQuantile(normalCumulative(-z), degrees) * -1
}

/**
 * Adjusts p-values for gates (Holm). The probability of any false alarm among them is at most that of one test,
 * whichever null hypotheses are true.
 *
 *   sorted p(1) ≤ … ≤ p(m);  adjusted(i) = max over j ≤ i of min(1, (m - j + 1) p(j))
 *
 * @returns adjusted p-values in the order given
 * @see Holm 1979, https://www.jstor.org/stable/4615733
 */
export function holmAdjusted(pValues: readonly number[]): readonly number[] {
  const count = pValues.length
  const adjusted = new Array<number>(count).fill(1)
  let highest = 0
  for (const [place, index] of ascending(pValues).entries()) {
    highest = Math.max(highest, Math.min(1, (count - place) * (pValues[index] as number)))
    adjusted[index] = highest
  }
  return adjusted
}

/**
 * Adjusts p-values for exploratory tables, not for gates: it controls the share of false alarms among the
 * differences found (false discovery rate). It assumes independent or positively dependent tests.
 *
 *   adjusted(i) = min over j ≥ i of min(1, m p(j) / j)
 *
 * @returns adjusted p-values in the order given
 * @see Benjamini and Hochberg 1995, doi:10.1111/j.2517-6161.1995.tb02031.x
 */
export function benjaminiHochbergAdjusted(pValues: readonly number[]): readonly number[] {
  const count = pValues.length
  const adjusted = new Array<number>(count).fill(1)
  let lowest = 1
  for (const [fromTop, index] of ascending(pValues).toReversed().entries()) {
    lowest = Math.min(lowest, (count * (pValues[index] as number)) / (count - fromTop))
    adjusted[index] = lowest
  }
  return adjusted
}

function ascending(values: readonly number[]): number[] {
  return values.map((_, index) => index).sort((a, b) => (values[a] as number) - (values[b] as number))
}

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
  /** 0..1; default: 0.95. Give 1 - 0.05/m where m comparisons are made at once. */
  readonly confidence?: number
}

/** Even, for Simpson's rule; the integral is then right to eight places. */
const integrationSteps = 400

/**
 * How often so many pairs of runs find a difference that lies so many standard deviations beyond the margin: the
 * probability that a noncentral t exceeds the common one's quantile.
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
 * The smallest distance from the margin that so many pairs of runs find as often as `power` says, in the unit of the
 * differences. Exact for normal differences.
 *
 * @param standardDeviation of the difference of one pair of runs
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
 * How many pairs of runs, or of utterances, find a difference that lies so far beyond the margin, as often as `power` says.
 *
 * @param distance from the margin, in the unit of the standard deviation; none is found where it is not positive
 * @returns at least 2; null where `maxPairs` would not do
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
  // Power rises with every pair.
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
 * The standard deviation that a sample's is below in four of five samples, so that a study planned from a pilot has its
 * power in as many. Chi-square by Wilson and Hilferty's approximation.
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

/**
 * p-values adjusted so that, whichever of the nulls are true, any false alarm among them has the probability that
 * one test would have: for gates.
 *
 *   sorted p(1) ≤ … ≤ p(m);  adjusted(i) = max over j ≤ i of min(1, (m - j + 1) p(j))
 *
 * @returns in the order given
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
 * p-values adjusted so that of those called different the share that is not stays below the level: for tables that
 * are read to find something, not for gates. Assumes independent or positively dependent tests.
 *
 *   adjusted(i) = min over j ≥ i of min(1, m p(j) / j)
 *
 * @returns in the order given
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

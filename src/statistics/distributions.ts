import type { Random } from '#prelude'
import type { Bounds } from './bounds.ts'

/**
 * Φ(z), the share of a standard normal distribution at or below z.
 *
 * @see Hart et al. 1968, algorithm 5666, in West 2005, "Better approximations to cumulative normal
 *   functions", Wilmott: absolute error below 1e-15
 */
export function normalCumulative(z: number): number {
  const distance = Math.abs(z)
  if (distance > 37) return z > 0 ? 1 : 0
  const density = Math.exp((-distance * distance) / 2)
  const tail = distance < 7.071067811865475 ? density * nearTail(distance) : density * farTail(distance)
  return z > 0 ? 1 - tail : tail
}

const nearNumerator = [
  0.0352624965998911, 0.700383064443688, 6.37396220353165, 33.912866078383, 112.079291497871,
  221.213596169931, 220.206867912376,
]
const nearDenominator = [
  0.0883883476483184, 1.75566716318264, 16.064177579207, 86.7807322029461, 296.564248779674, 637.333633378831,
  793.826512519948, 440.413735824752,
]

function nearTail(distance: number): number {
  return polynomial(nearNumerator, distance) / polynomial(nearDenominator, distance)
}

function farTail(distance: number): number {
  const fraction = distance + 1 / (distance + 2 / (distance + 3 / (distance + 4 / (distance + 0.65))))
  return 1 / (fraction * 2.506628274631)
}

/** Evaluates a polynomial by Horner's scheme, with the coefficient of the highest power first. */
function polynomial(coefficients: readonly number[], x: number): number {
  return coefficients.reduce((sum, coefficient) => sum * x + coefficient, 0)
}

const central = {
  numerator: [
    2509.0809287301227, 33430.57558358813, 67265.7709270087, 45921.95393154987, 13731.69376550946,
    1971.5909503065513, 133.14166789178438, 3.3871328727963665,
  ],
  denominator: [
    5226.495278852546, 28729.085735721943, 39307.89580009271, 21213.794301586597, 5394.196021424751,
    687.1870074920579, 42.31333070160091, 1,
  ],
}
const near = {
  numerator: [
    0.0007745450142783414, 0.022723844989269184, 0.2417807251774506, 1.2704582524523684, 3.6478483247632045,
    5.769497221460691, 4.630337846156546, 1.4234371107496835,
  ],
  denominator: [
    1.0507500716444169e-9, 0.0005475938084995345, 0.015198666563616457, 0.14810397642748008, 0.6897673349851,
    1.6763848301838038, 2.053191626637759, 1,
  ],
}
const far = {
  numerator: [
    2.0103343992922881e-7, 0.000027115555687434876, 0.0012426609473880784, 0.026532189526576124,
    0.29656057182850487, 1.7848265399172913, 5.463784911164114, 6.657904643501103,
  ],
  denominator: [
    2.0442631033899397e-15, 1.421511758316446e-7, 0.000018463183175100548, 0.0007868691311456133,
    0.014875361290850615, 0.1369298809227358, 0.599832206555888, 1,
  ],
}

/**
 * Returns the z with Φ(z) = probability.
 *
 * @param probability in 0..1; the ends give -∞ and ∞
 * @see Wichura 1988, algorithm AS 241 (PPND16), doi:10.2307/2347330: relative error about 1e-16
 */
export function normalQuantile(probability: number): number {
  if (probability <= 0) return Number.NEGATIVE_INFINITY
  if (probability >= 1) return Number.POSITIVE_INFINITY
  const offset = probability - 0.5
  if (Math.abs(offset) <= 0.425) {
    const x = 0.180625 - offset * offset
    return (offset * polynomial(central.numerator, x)) / polynomial(central.denominator, x)
  }
  const root = Math.sqrt(-Math.log(Math.min(probability, 1 - probability)))
  const { region, x } = root <= 5 ? { region: near, x: root - 1.6 } : { region: far, x: root - 5 }
  const magnitude = polynomial(region.numerator, x) / polynomial(region.denominator, x)
  return offset < 0 ? -magnitude : magnitude
}

/**
 * Returns P(T ≤ t) for Student's t with the given degrees of freedom.
 *
 * @see Abramowitz and Stegun 26.7.1 with 26.5.27: the two tails together are I_x(ν/2, 1/2), x = ν/(ν+t²)
 */
export function studentCumulative(t: number, degrees: number): number {
  const tail = incompleteBeta(degrees / (degrees + t * t), degrees / 2, 0.5) / 2
  return t > 0 ? 1 - tail : tail
}

/** Returns the t with P(T ≤ t) = probability, strictly between 0 and 1. */
export function studentQuantile(probability: number, degrees: number): number {
  const tail = Math.min(probability, 1 - probability)
  const x = inverseIncompleteBeta(2 * tail, degrees / 2, 0.5)
  const magnitude = Math.sqrt((degrees * (1 - x)) / x)
  return probability < 0.5 ? -magnitude : magnitude
}

/** A mean with the spread of the values and its standard error. */
export interface MeanEstimate {
  readonly mean: number
  /** Standard deviation of the values, with n - 1 in the denominator. */
  readonly standardDeviation: number
  /** Standard error of the mean. */
  readonly standardError: number
  readonly count: number
  /** Returns the t-interval of the mean; of zero width where all values are equal. */
  intervalAt(confidence: number): Bounds
}

/**
 * Estimates the mean of independent values with its t-interval. It assumes roughly normal values, or many.
 *
 * @returns null with fewer than two values
 * @see Student 1908, doi:10.1093/biomet/6.1.1
 */
export function estimateMean(values: readonly number[]): MeanEstimate | null {
  const count = values.length
  if (count < 2) return null
  const [first = 0] = values
  // The rounded mean of equal values may differ from them: 0.1 three times would vary, and differ from 0.1 four times.
  const isConstant = values.every((value) => value === first)
  const mean = isConstant ? first : values.reduce((sum, value) => sum + value, 0) / count
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  const standardDeviation = Math.sqrt(squares / (count - 1))
  const standardError = standardDeviation / Math.sqrt(count)
  return {
    mean,
    standardDeviation,
    standardError,
    count,
    intervalAt(confidence) {
      const half = studentQuantile((1 + confidence) / 2, count - 1) * standardError
      return { low: mean - half, high: mean + half }
    },
  }
}

/** Difference between the means of two samples. */
interface MeanDifference {
  readonly difference: number
  /** Two-sided p-value of equal means; 1 or 0 where neither side varies. */
  readonly pValue: number
  /** Returns the interval of the difference; of zero width where neither side varies. */
  intervalAt(confidence: number): Bounds
}

/**
 * Estimates the difference b - a of the means of two independent samples with unequal variances. It assumes roughly
 * normal values, or many.
 *
 * @returns null with fewer than two values on a side
 * @see Welch 1947, doi:10.1093/biomet/34.1-2.28
 */
export function welchDifference(a: readonly number[], b: readonly number[]): MeanDifference | null {
  const [left, right] = [estimateMean(a), estimateMean(b)]
  if (left === null || right === null) return null
  const difference = right.mean - left.mean
  const [leftVariance, rightVariance] = [left.standardError ** 2, right.standardError ** 2]
  const variance = leftVariance + rightVariance
  if (variance === 0) {
    const intervalAt = (): ReturnType<MeanDifference['intervalAt']> => ({ low: difference, high: difference })
    return { difference, pValue: difference === 0 ? 1 : 0, intervalAt }
  }
  const standardError = Math.sqrt(variance)
  const degrees =
    variance ** 2 / (leftVariance ** 2 / (left.count - 1) + rightVariance ** 2 / (right.count - 1))
  return {
    difference,
    pValue: 2 * studentCumulative(-Math.abs(difference) / standardError, degrees),
    intervalAt: (confidence) => {
      const half = studentQuantile((1 + confidence) / 2, degrees) * standardError
      return { low: difference - half, high: difference + half }
    },
  }
}

// Coefficients of the Lanczos approximation with g = 7 and nine terms; relative error below 1e-13 for x > 0.
const lanczos = [
  0.9999999999998099, 676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406,
  12.507343278686905, -0.13857109526572012, 0.000009984369578019572, 1.5056327351493116e-7,
] as const

/**
 * ln Γ(x) for x > 0.
 *
 * @see Lanczos 1964, doi:10.1137/0701008
 */
export function logGamma(x: number): number {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x)
  let sum: number = lanczos[0]
  for (let term = 1; term < lanczos.length; term += 1) sum += (lanczos[term] as number) / (x - 1 + term)
  const shifted = x + 6.5
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(shifted) - shifted + Math.log(sum)
}

/**
 * The regularised incomplete beta function I_x(a, b), for a, b > 0 and x in 0..1.
 *
 * @see Press et al., Numerical Recipes, 3rd edition, 6.4: continued fraction by the modified Lentz method,
 *   on the side of the mean where it converges fast
 */
export function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0
  if (x >= 1) return 1
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x))
  return x < (a + 1) / (a + b + 2)
    ? (front * betaFraction(x, a, b)) / a
    : 1 - (front * betaFraction(1 - x, b, a)) / b
}

function betaFraction(x: number, a: number, b: number): number {
  const tiny = 1e-300
  const away = (value: number): number => (Math.abs(value) < tiny ? tiny : value)
  let c = 1
  let d = 1 / away(1 - ((a + b) * x) / (a + 1))
  let fraction = d
  for (let m = 1; m <= 20_000; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / away(1 + even * d)
    c = away(1 + even / c)
    fraction *= d * c
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / away(1 + odd * d)
    c = away(1 + odd / c)
    fraction *= d * c
    if (Math.abs(d * c - 1) < 1e-15) break
  }
  return fraction
}

/** Returns the x with I_x(a, b) = probability, by bisection to the precision of a double. */
export function inverseIncompleteBeta(probability: number, a: number, b: number): number {
  let low = 0
  let high = 1
  for (let step = 0; step < 200 && low < high; step += 1) {
    const middle = (low + high) / 2
    if (middle === low || middle === high) break
    if (incompleteBeta(middle, a, b) < probability) low = middle
    else high = middle
  }
  return (low + high) / 2
}

/**
 * Returns P(B ≤ k) for a binomial B with n trials of the given probability.
 *
 * @see Abramowitz and Stegun 26.5.24: P(B ≤ k) = I_{1-p}(n - k, k + 1)
 */
export function binomialCumulative(k: number, n: number, probability: number): number {
  if (k < 0) return 0
  if (k >= n) return 1
  return incompleteBeta(1 - probability, n - k, k + 1)
}

/** Returns a table of ln(0!), ln(1!), … ln(n!). */
export function logFactorials(n: number): Float64Array {
  const table = new Float64Array(n + 1)
  for (let k = 2; k <= n; k += 1) table[k] = (table[k - 1] as number) + Math.log(k)
  return table
}

/**
 * Draws a number of successes in `trials` from the binomial distribution.
 *
 * @param logFactorial from `logFactorials(n)` with n ≥ trials
 * @see Hörmann 1993, algorithm BTRS, doi:10.1080/00949659308811496; Kachitvichyanukul and Schmeiser 1988,
 *   algorithm BINV, where fewer than ten successes are expected. Both are exact.
 */
export function drawBinomial(
  trials: number,
  probability: number,
  logFactorial: Float64Array,
  random: Random,
): number {
  if (probability <= 0 || trials <= 0) return 0
  if (probability >= 1) return trials
  if (probability > 0.5) return trials - drawBinomial(trials, 1 - probability, logFactorial, random)
  return trials * probability < 10
    ? drawByInversion(trials, probability, random)
    : drawByRejection(trials, probability, logFactorial, random)
}

function drawByInversion(trials: number, probability: number, random: Random): number {
  const odds = probability / (1 - probability)
  let mass = (1 - probability) ** trials
  let remaining = random.unit()
  let successes = 0
  while (remaining > mass && successes < trials) {
    remaining -= mass
    successes += 1
    mass *= ((trials - successes + 1) / successes) * odds
  }
  return successes
}

function drawByRejection(
  trials: number,
  probability: number,
  logFactorial: Float64Array,
  random: Random,
): number {
  const deviation = Math.sqrt(trials * probability * (1 - probability))
  const b = 1.15 + 2.53 * deviation
  const a = -0.0873 + 0.0248 * b + 0.01 * probability
  const centre = trials * probability + 0.5
  const accepted = 0.92 - 4.2 / b
  const alpha = (2.83 + 5.1 / b) * deviation
  const logOdds = Math.log(probability / (1 - probability))
  const mode = Math.floor((trials + 1) * probability)
  const logMode = (logFactorial[mode] as number) + (logFactorial[trials - mode] as number)
  for (;;) {
    const u = random.unit() - 0.5
    const v = random.unit()
    const edge = 0.5 - Math.abs(u)
    const k = Math.floor(((2 * a) / edge + b) * u + centre)
    if (k < 0 || k > trials) continue
    if (edge >= 0.07 && v <= accepted) return k
    const logMass =
      logMode - (logFactorial[k] as number) - (logFactorial[trials - k] as number) + (k - mode) * logOdds
    if (Math.log((v * alpha) / (a / (edge * edge) + b)) <= logMass) return k
  }
}

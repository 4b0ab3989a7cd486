import type { FittedValue } from '../bounds.ts'
import { studentQuantile } from '../distributions.ts'
import { mean, median } from '../quantiles.ts'

/** Distance, in spreads, from which a point has no weight. The estimate then has 95 % efficiency. */
const farthestSpreads = 4.685
/** Inverse of the median absolute value of a standard normal. */
const spreadOfMedian = 1.4826
const maxTurns = 100
/** Number of iterations in which the spread is estimated again; then it is fixed, so that the rest converges. */
const turnsToConverge = 30

/** A fit of y as a sum of terms, each with a coefficient. */
export interface RelativeFit {
  readonly coefficients: readonly number[]
  /** ln(measured / fitted) for each point. */
  readonly residuals: readonly number[]
  /** Influence of each point on each coefficient; the sum of its squares is the coefficient's variance. */
  readonly influences: readonly (readonly number[])[]
  /** Degrees of freedom: number of points minus number of coefficients. */
  readonly degrees: number
}

/**
 * Fits y = Σ coefficient · term to positive values with relative noise, such as latencies. A residual is the
 * logarithm of measured over fitted. From a robust start, points are weighted by their distance from the line,
 * outliers with 0, until the line converges (Tukey's biweight; an MM-estimate).
 *
 * The variance is the jackknife's, so it stays valid where the spread changes along the line (HC3). Huber's factor
 * corrects it for the weighting in small samples.
 *
 * @param rows terms of each point, one per coefficient, at most a handful
 * @param values positive, one per row
 * @param start robust coefficients that give a positive value for every row
 * @returns null where the terms do not identify the coefficients
 * @see Yohai 1987, doi:10.1214/aos/1176350366; MacKinnon and White 1985, doi:10.1016/0304-4076(85)90158-7 (HC3);
 *   Huber and Ronchetti 2009, Robust Statistics, 7.6 (the factor)
 */
export function fitRelative(
  rows: readonly (readonly number[])[],
  values: readonly number[],
  start: readonly number[],
): RelativeFit | null {
  const count = rows.length
  const size = start.length
  const residualsOf = (coefficients: readonly number[]): readonly number[] =>
    rows.map((row, index) => Math.log((values[index] as number) / sumOfTerms(coefficients, row)))
  const relative = (coefficients: readonly number[]): readonly (readonly number[])[] =>
    rows.map((row) => row.map((term) => term / sumOfTerms(coefficients, row)))
  let coefficients = start
  let residuals = residualsOf(start)
  let spread = 0
  for (let turn = 0; turn < maxTurns; turn += 1) {
    if (turn < turnsToConverge) spread = measureSpread(residuals, size)
    const weights = residuals.map((residual) => biweight(residual / spread))
    const terms = relative(coefficients)
    const step = solveSquare(products(terms, weights), pulls(terms, weights, residuals))
    if (step === null) return null
    const next = stepInside(coefficients, step, rows)
    residuals = residualsOf(next)
    const hasConverged = next.every((value, term) => isCloseTo(value, coefficients[term] as number))
    coefficients = next
    if (hasConverged) break
  }
  const terms = relative(coefficients)
  const inverse = invertSquare(
    products(
      terms,
      terms.map(() => 1),
    ),
  )
  if (inverse === null) return null
  const slopes = residuals.map((residual) => biweightSlope(residual / spread))
  const meanSlope = mean(slopes)
  const variation = mean(slopes.map((slope) => (slope - meanSlope) ** 2))
  const factor = (1 + ((size / count) * variation) / meanSlope ** 2) / meanSlope
  const influences = terms.map((row, index) => {
    const reach = inverse.map((line) => sumOfTerms(line, row))
    const leverage = Math.min(highestLeverage, sumOfTerms(reach, row))
    const residual = residuals[index] as number
    const pull = (residual * biweight(residual / spread) * factor) / (1 - leverage)
    return reach.map((each) => each * pull)
  })
  return { coefficients, residuals, influences, degrees: meanSlope > 0 ? count - size : 0 }
}

/** Max leverage, because a point that decides a coefficient alone would have infinite influence. */
const highestLeverage = 0.9

/** Returns Σ weight · coefficient with its t-interval: a coefficient, or the fitted value at a point. */
export function fittedValue(
  { coefficients, influences, degrees }: RelativeFit,
  weights: readonly number[],
  confidence = 0.95,
): FittedValue {
  const value = sumOfTerms(coefficients, weights)
  if (degrees < 1) return { value, interval: null }
  const variance = influences.reduce((sum, influence) => sum + sumOfTerms(influence, weights) ** 2, 0)
  const half = studentQuantile((1 + confidence) / 2, degrees) * Math.sqrt(variance)
  return { value, interval: { low: value - half, high: value + half } }
}

/**
 * Returns the difference second - first of two fits at these weights of their terms, with its t-interval. The
 * points of both fits correspond, so that a common slowness cancels.
 */
export function fittedDifference(
  first: RelativeFit,
  second: RelativeFit,
  [firstWeights, secondWeights]: readonly [readonly number[], readonly number[]],
  confidence = 0.95,
): FittedValue {
  const value = sumOfTerms(second.coefficients, secondWeights) - sumOfTerms(first.coefficients, firstWeights)
  const degrees = Math.min(first.degrees, second.degrees)
  if (degrees < 1) return { value, interval: null }
  const variance = first.influences.reduce((sum, influence, point) => {
    const other = second.influences[point] ?? []
    return sum + (sumOfTerms(other, secondWeights) - sumOfTerms(influence, firstWeights)) ** 2
  }, 0)
  const half = studentQuantile((1 + confidence) / 2, degrees) * Math.sqrt(variance)
  return { value, interval: { low: value - half, high: value + half } }
}

function sumOfTerms(coefficients: readonly number[], terms: readonly number[]): number {
  return coefficients.reduce((sum, coefficient, index) => sum + coefficient * (terms[index] as number), 0)
}

function measureSpread(residuals: readonly number[], size: number): number {
  const middle = median(residuals.map(Math.abs)) ?? 0
  const count = residuals.length
  return Math.max((spreadOfMedian * middle * count) / Math.max(1, count - size), 1e-9)
}

function biweight(spreads: number): number {
  const share = spreads / farthestSpreads
  return Math.abs(share) < 1 ? (1 - share ** 2) ** 2 : 0
}

/** Derivative of residual · weight. */
function biweightSlope(spreads: number): number {
  const share = spreads / farthestSpreads
  return Math.abs(share) < 1 ? (1 - share ** 2) * (1 - 5 * share ** 2) : 0
}

function isCloseTo(value: number, before: number): boolean {
  return Math.abs(value - before) <= 1e-9 * Math.abs(before) + 1e-12
}

/** Takes the step, repeatedly halved until every fitted value is positive. */
function stepInside(
  coefficients: readonly number[],
  step: readonly number[],
  rows: readonly (readonly number[])[],
): readonly number[] {
  for (let share = 1; share > 1e-6; share /= 2) {
    const next = coefficients.map((coefficient, term) => coefficient + share * (step[term] as number))
    if (rows.every((row) => sumOfTerms(next, row) > 0)) return next
  }
  return coefficients
}

function products(terms: readonly (readonly number[])[], weights: readonly number[]): number[][] {
  const size = terms[0]?.length ?? 0
  return Array.from({ length: size }, (_, i) =>
    Array.from({ length: size }, (_, j) =>
      terms.reduce(
        (sum, row, point) => sum + (weights[point] as number) * (row[i] as number) * (row[j] as number),
        0,
      ),
    ),
  )
}

function pulls(
  terms: readonly (readonly number[])[],
  weights: readonly number[],
  residuals: readonly number[],
): number[] {
  return (terms[0] ?? []).map((_, i) =>
    terms.reduce(
      (sum, row, point) =>
        sum + (weights[point] as number) * (row[i] as number) * (residuals[point] as number),
      0,
    ),
  )
}

function solveSquare(matrix: readonly (readonly number[])[], right: readonly number[]): number[] | null {
  return invertSquare(matrix)?.map((line) => sumOfTerms(line, right)) ?? null
}

/** Inverts a matrix by elimination; null where it has no inverse. */
function invertSquare(matrix: readonly (readonly number[])[]): number[][] | null {
  const size = matrix.length
  const lines = matrix.map((line, i) => [
    ...line,
    ...Array.from({ length: size }, (_, j) => (i === j ? 1 : 0)),
  ])
  for (let pivot = 0; pivot < size; pivot += 1) {
    const line = lines[pivot] as number[]
    const divisor = line[pivot] as number
    // The matrix is positive definite, so the remaining diagonal shows whether the terms are independent.
    if (!(divisor > 1e-10 * ((matrix[pivot] as readonly number[])[pivot] as number))) return null
    for (let place = 0; place < 2 * size; place += 1) line[place] = (line[place] as number) / divisor
    for (const other of lines) {
      if (other === line) continue
      const factor = other[pivot] as number
      for (let place = 0; place < 2 * size; place += 1) {
        other[place] = (other[place] as number) - factor * (line[place] as number)
      }
    }
  }
  return lines.map((line) => line.slice(size))
}

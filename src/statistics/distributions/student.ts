import { incompleteBeta, inverseIncompleteBeta } from './special-functions.ts'

/**
 * P(T ≤ t) for Student's t with so many degrees of freedom.
 *
 * @see Abramowitz and Stegun 26.7.1 with 26.5.27: the two tails together are I_x(ν/2, 1/2), x = ν/(ν+t²)
 */
export function studentCumulative(t: number, degrees: number): number {
  const tail = incompleteBeta(degrees / (degrees + t * t), degrees / 2, 0.5) / 2
  return t > 0 ? 1 - tail : tail
}

/** The t with P(T ≤ t) = probability, strictly between 0 and 1. */
export function studentQuantile(probability: number, degrees: number): number {
  const tail = Math.min(probability, 1 - probability)
  const x = inverseIncompleteBeta(2 * tail, degrees / 2, 0.5)
  const magnitude = Math.sqrt((degrees * (1 - x)) / x)
  return probability < 0.5 ? -magnitude : magnitude
}

/** A mean, how far single values lie from it, and how well it is known. */
export interface MeanEstimate {
  readonly mean: number
  /** With n - 1 below the line. */
  readonly standardDeviation: number
  /** Of the mean. */
  readonly standardError: number
  readonly count: number
  /** The t-interval of the mean; without width where the values are all the same. */
  intervalAt(confidence: number): { readonly low: number; readonly high: number }
}

/**
 * The mean of independent values with its t-interval. Assumes that the values are roughly normal, or many.
 *
 * @returns null with fewer than two values
 * @see Student 1908, doi:10.1093/biomet/6.1.1
 */
export function estimateMean(values: readonly number[]): MeanEstimate | null {
  const count = values.length
  if (count < 2) return null
  const [first = 0] = values
  // The rounded sum of equal values is no multiple of them: 0.1 three times would vary, and differ from 0.1 four times.
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

/** How far the mean of one sample lies above that of another. */
export interface MeanDifference {
  readonly difference: number
  /** Two-sided, of equal means; 1 or 0 where neither side varies. */
  readonly pValue: number
  /** Of the difference; without width where neither side varies. */
  intervalAt(confidence: number): { readonly low: number; readonly high: number }
}

/**
 * The difference of the means of two independent samples whose variances may differ: b - a. Assumes that the values are
 * roughly normal, or many.
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

import { estimateMean } from '../distributions/student.ts'

/** Batches whose means resemble their neighbours' by more than this are too short to count as independent. */
const highestAutocorrelation = 0.2
/** Fewer batches than this give no interval that is worth its name. */
const minBatches = 10

export type BatchMeans =
  | {
      readonly resolved: true
      readonly mean: number
      readonly interval: { readonly low: number; readonly high: number }
      readonly confidence: number
      readonly batchCount: number
      readonly batchLength: number
      /** Correlation of a batch's mean with the next one's. */
      readonly lag1: number
    }
  | { readonly resolved: false; readonly reason: string }

/**
 * The mean of one run's values in their order, which resemble their neighbours (requests in a queue do), with an
 * interval that knows it: the values are cut into batches, and the batches' means are the sample. Where
 * neighbouring batches are still alike, the batches are made twice as long.
 *
 *   values   ┆········┆········┆········┆ …        20 to 39 batches, at least 10
 *   means        x̄₁       x̄₂       x̄₃     …        lag-1 autocorrelation < 0.2, else twice the length
 *
 * @returns unresolved with the reason where the run is too short for that
 * @see Law and Kelton, Simulation Modeling and Analysis, 9.5.3; Conway 1963
 */
export function batchMeans(values: readonly number[], confidence = 0.95): BatchMeans {
  let lag1: number | null = null
  for (let length = Math.max(1, Math.floor(values.length / 20)); ; length *= 2) {
    const batchCount = Math.floor(values.length / length)
    if (batchCount < minBatches) {
      const reason =
        lag1 === null
          ? `needs at least ${minBatches} values, there are ${values.length}`
          : `neighbouring batches are alike (autocorrelation ${lag1.toFixed(2)}): a longer run is needed`
      return { resolved: false, reason }
    }
    // What does not fill a batch is left out at the start, where a run is least settled.
    const start = values.length - batchCount * length
    const means = Array.from({ length: batchCount }, (_, batch) => {
      const from = start + batch * length
      return values.slice(from, from + length).reduce((sum, value) => sum + value, 0) / length
    })
    lag1 = lag1Autocorrelation(means)
    const estimate = estimateMean(means)
    if (lag1 >= highestAutocorrelation || estimate === null) continue
    const interval = estimate.intervalAt(confidence)
    return {
      resolved: true,
      mean: estimate.mean,
      interval,
      confidence,
      batchCount,
      batchLength: length,
      lag1,
    }
  }
}

/** Correlation of each value with the next; 0 where nothing varies. */
export function lag1Autocorrelation(values: readonly number[]): number {
  // The rounded mean of equal values is none of them: all would then lie on the same side of it.
  if (values.every((value) => value === values[0])) return 0
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  let products = 0
  let squares = 0
  for (const [index, value] of values.entries()) {
    squares += (value - mean) ** 2
    const next = values[index + 1]
    if (next !== undefined) products += (value - mean) * (next - mean)
  }
  return squares === 0 ? 0 : products / squares
}

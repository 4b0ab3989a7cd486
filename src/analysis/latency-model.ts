import { quantile, sortSamples } from '#statistics'
import type { Figure } from './evaluation.ts'
import {
  costAt,
  fitCost,
  type LatencySample,
  middleOf,
  pointsOf,
  rangeOf,
  resampledLines,
  unfitReason,
} from './latency-line.ts'

/** A part of a model with its interval, in the part's own unit. */
interface ModelPart {
  readonly value: number
  /** Null where too few resamples had a line. */
  readonly interval: { readonly low: number; readonly high: number } | null
}

/** What a request of a length is expected to take. */
interface LatencyPrediction {
  readonly audioSeconds: number
  readonly p50Ms: number
  readonly p95Ms: number
  /** True for lengths that were not measured: shorter than the shortest or longer than the longest. */
  readonly isExtrapolated: boolean
}

/** Latency as a line over the length of the audio: fixed cost, cost of a second, and a step where there is one. */
export type LatencyModel = Figure<{
  /** What a request without audio would take, in milliseconds. */
  readonly value: number
  readonly fixedMs: ModelPart
  /** Milliseconds for a second of audio. */
  readonly perSecondMs: ModelPart
  /** Milliseconds for every further window of 30 s, as engines add that pad their input; null where none is seen. */
  readonly perWindowMs: number | null
  readonly utteranceCount: number
  readonly shortestSeconds: number
  readonly longestSeconds: number
  readonly predictions: readonly LatencyPrediction[]
}>

const predictedLengths = [2, 5, 15, 30, 60] as const

/**
 * Fits L = a + b·d (+ s per further 30 s) to the medians of the utterances. The line is Theil and Sen's: with three
 * outliers in a hundred, ordinary least squares puts a fixed cost of 250 ms anywhere from nothing to 380 ms, this one
 * within 30 ms. Intervals come from resampling utterances. The step is kept where AICc, with the spread of the
 * residuals in place of their squares, prefers it.
 *
 * Percentiles at a length are the line's value times the percentile of measured / predicted over all requests.
 *
 * @param samples of answered requests
 * @param seed of the resampling
 * @returns absent with the reason where the lengths do not suffice
 * @see Theil 1950; Sen 1968, doi:10.1080/01621459.1968.10480934; Efron 1979 for resampling pairs; Hurvich and Tsai
 *   1989, doi:10.1093/biomet/76.2.297
 */
export function fitLatencyModel(samples: readonly LatencySample[], seed: number): LatencyModel {
  const points = pointsOf(samples)
  const [shortestSeconds, longestSeconds] = rangeOf(points)
  const problem = unfitReason(points)
  if (problem !== null) return { value: null, reason: problem }
  const line = fitCost(points)
  if (line === null) return { value: null, reason: 'every utterance is as long as the others' }
  const resampled = resampledLines(points, line, seed)
  const ratios = sortSamples(
    samples
      .map((each) => each.latencyMs / costAt(line, each.audioSeconds))
      .filter((ratio) => Number.isFinite(ratio) && ratio > 0),
  )
  const [median, high] = [quantile(ratios, 0.5) ?? 1, quantile(ratios, 0.95) ?? 1]
  return {
    value: line.intercept,
    fixedMs: {
      value: line.intercept,
      interval: middleOf(
        resampled.map(({ intercept }) => intercept),
        points.length,
      ),
    },
    perSecondMs: {
      value: line.slope,
      interval: middleOf(
        resampled.map(({ slope }) => slope),
        points.length,
      ),
    },
    perWindowMs: line.perWindowMs === 0 ? null : line.perWindowMs,
    utteranceCount: new Set(samples.map(({ utteranceId }) => utteranceId)).size,
    shortestSeconds,
    longestSeconds,
    predictions: predictedLengths.map((audioSeconds) => ({
      audioSeconds,
      p50Ms: costAt(line, audioSeconds) * median,
      p95Ms: costAt(line, audioSeconds) * high,
      isExtrapolated: audioSeconds < shortestSeconds || audioSeconds > longestSeconds,
    })),
  }
}

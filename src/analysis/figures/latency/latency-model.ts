import { numberColumn } from '#prelude'
import { quantile, sortSamples } from '#statistics'
import type { LatencyModel } from '../../documents/latency.ts'
import {
  costAt,
  costIntervalAt,
  costParts,
  fitCost,
  type LatencySample,
  pointsOf,
  rangeOf,
  unfitReason,
} from './latency-line.ts'

const predictedLengths = [2, 5, 15, 30, 60] as const

/**
 * Fits L = a + b·d (+ s per further 30 s) to the medians of the utterances, with relative noise: a tenth more weighs the
 * same on a short request and on a long one, and wild points weigh nothing. With three outliers in a hundred, ordinary
 * least squares puts a fixed cost of 250 ms anywhere from nothing to 380 ms, this fit within 20 ms. The step is kept
 * where AICc prefers it clearly.
 *
 * Half of the requests of a length take less than the line's value; their p95 is that value times the p95 of measured /
 * predicted over all requests.
 *
 * @param samples of answered requests
 * @returns absent with the reason where the lengths do not suffice
 * @see `fitRelative` of #statistics for the fit and its intervals; Hurvich and Tsai 1989, doi:10.1093/biomet/76.2.297
 */
export function fitLatencyModel(samples: readonly LatencySample[]): LatencyModel {
  const points = pointsOf(samples)
  const [shortestSeconds, longestSeconds] = rangeOf(points)
  const problem = unfitReason(points)
  if (problem !== null) return { value: null, reason: problem }
  const cost = fitCost(points)
  if (cost === null) return { value: null, reason: 'every utterance is as long as the others' }
  const ratios = numberColumn(samples.length)
  for (const { latencyMs, audioSeconds } of samples) {
    const ratio = latencyMs / costAt(cost, audioSeconds)
    if (Number.isFinite(ratio) && ratio > 0) ratios.add(ratio)
  }
  const high = quantile(sortSamples(ratios.values()), 0.95) ?? 1
  const [fixedMs, perSecondMs] = costParts(cost)
  return {
    value: cost.fixedMs,
    fixedMs,
    perSecondMs,
    perWindowMs: cost.perWindowMs === 0 ? null : cost.perWindowMs,
    utteranceCount: new Set(samples.map(({ utteranceId }) => utteranceId)).size,
    shortestSeconds,
    longestSeconds,
    predictions: predictedLengths.map((audioSeconds) => {
      const { value, interval } = costIntervalAt(cost, audioSeconds)
      return {
        audioSeconds,
        p50Ms: value,
        p50Interval: interval,
        p95Ms: value * high,
        isExtrapolated: audioSeconds < shortestSeconds || audioSeconds > longestSeconds,
      }
    }),
  }
}

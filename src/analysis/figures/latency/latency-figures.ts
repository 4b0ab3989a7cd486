import { counted, type NumberColumn, numberColumn } from '#prelude'
import { durationBucket } from '#scoring/error-analysis/confusions'
import { mapBounds } from '#statistics/bounds'
import {
  quantile,
  quantileInterval,
  type SortedSamples,
  smallestSampleForQuantile,
  sortSamples,
} from '#statistics/quantiles'
import type { UtteranceEvaluation } from '../../documents/evaluation.ts'
import {
  type DurationLatency,
  type LatencyModel,
  type Percentile,
  type PercentileName,
  type PercentileSet,
  type Phases,
  percentileNames,
  percentileProbabilities,
  phaseFamilies,
  type RequestPhases,
} from '../../documents/latency.ts'
import { type LatencySample, readPhases, type ScoredRequest } from '../../requests/request-times.ts'
import {
  costAt,
  costIntervalAt,
  costParts,
  findRange,
  fitCost,
  gatherPoints,
  unfitReason,
} from './latency-line.ts'

/** Returns the latencies above 0 of answered requests in the steady part. */
export function latencySamples(rows: readonly UtteranceEvaluation[]): readonly LatencySample[] {
  return rows.flatMap(({ utteranceId, audioSeconds, latencyMs, window }) =>
    latencyMs === null || latencyMs <= 0 || window !== 'steady'
      ? []
      : [{ utteranceId, audioSeconds, latencyMs }],
  )
}

/** Groups requests by audio length, the shortest first. */
export function byDuration<Row extends Pick<LatencySample, 'audioSeconds'>>(
  samples: readonly Row[],
): readonly { readonly bucket: string; readonly samples: readonly Row[] }[] {
  return [...Map.groupBy(samples, ({ audioSeconds }) => durationBucket(audioSeconds))]
    .map(([bucket, group]) => ({
      bucket,
      samples: group,
      shortest: group.reduce(
        (least, { audioSeconds }) => Math.min(least, audioSeconds),
        Number.POSITIVE_INFINITY,
      ),
    }))
    .sort((a, b) => a.shortest - b.shortest)
    .map(({ bucket, samples: group }) => ({ bucket, samples: group }))
}

export function listLatencies(samples: readonly LatencySample[]): Float64Array {
  const latencies = numberColumn(samples.length)
  for (const { latencyMs } of samples) latencies.add(latencyMs)
  return latencies.values()
}

export function latencyByDuration(latencies: readonly LatencySample[]): readonly DurationLatency[] {
  return byDuration(latencies).map(({ bucket, samples }) => ({
    bucket,
    utteranceCount: new Set(samples.map(({ utteranceId }) => utteranceId)).size,
    latencyMs: percentileSet(listLatencies(samples)),
  }))
}

/**
 * Returns the percentiles of a sample, each only if the sample is large enough for its 95 % interval
 * (`smallestSampleForQuantile`). A p95 of ten requests would really be their maximum.
 *
 * @param values in the quantity's own unit
 */
export function percentileSet(values: Iterable<number>): PercentileSet {
  return findPercentiles(sortSamples(values))
}

/** Returns the same as `percentileSet`, for sorted samples. */
export function findPercentiles(samples: SortedSamples): PercentileSet {
  const entries = percentileNames.map((name) => [name, percentile(samples, name)])
  return { sampleCount: samples.length, ...Object.fromEntries(entries) }
}

function percentile(samples: SortedSamples, name: PercentileName): Percentile {
  const probability = percentileProbabilities[name]
  const value = quantile(samples, probability)
  const interval = quantileInterval(samples, probability)
  if (value === null || !interval.resolved) {
    const missing = smallestSampleForQuantile(probability) - samples.length
    return { value: null, reason: `needs ${counted(missing, 'more answered request')}` }
  }
  const { low, high, confidence } = interval
  return {
    value,
    interval: { low, high, confidence, method: 'order-statistics' },
    sampleCount: samples.length,
  }
}

const predictedLengths = [2, 5, 15, 30, 60] as const

/**
 * Fits L = a + b·d (+ s per further 30 s) to the medians of the utterances, with relative noise: 10 % has the same
 * weight on short and long requests, and outliers have none. With 3 % outliers, ordinary least squares estimates a
 * fixed cost of 250 ms as 0 to 380 ms; this fit is within 20 ms. The step is kept if AICc clearly prefers it.
 *
 * Half of the requests of a length take less than the line's value. Their p95 is that value times the p95 of
 * measured / predicted over all requests.
 *
 * @param samples samples of answered requests
 * @returns absent, with the reason, where the lengths do not suffice
 * @see `fitRelative` of #statistics for the fit and its intervals; Hurvich and Tsai 1989, doi:10.1093/biomet/76.2.297
 */
export function fitLatencyModel(samples: readonly LatencySample[]): LatencyModel {
  const points = gatherPoints(samples)
  const [shortestSeconds, longestSeconds] = findRange(points)
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
      // A time cannot be negative, unlike the line and its bounds.
      const isTime = value > 0
      return {
        audioSeconds,
        p50Ms: isTime ? value : null,
        p50Interval: isTime ? mapBounds(interval, (ms) => Math.max(0, ms)) : null,
        p95Ms: isTime ? value * high : null,
        isExtrapolated: audioSeconds < shortestSeconds || audioSeconds > longestSeconds,
      }
    }),
  }
}

/**
 * Measures the phases of all answered requests of a contender. Connecting is reported only for requests that had to
 * connect. For the others it is 0, so a common percentile would show how often a socket was open.
 */
export function measurePhases(answered: readonly ScoredRequest[]): Phases {
  const column = (): NumberColumn => numberColumn(answered.length)
  const times: Readonly<Record<keyof RequestPhases, NumberColumn>> = {
    queueMs: column(),
    connectMs: column(),
    waitMs: column(),
    downloadMs: column(),
  }
  for (const { resolved } of answered) {
    const { attempt } = resolved
    const phases = attempt === null ? null : readPhases(attempt)
    if (phases === null) continue
    for (const { of: phase } of phaseFamilies) {
      if (phase !== 'connectMs' || phases.connectMs > 0) times[phase].add(phases[phase])
    }
  }
  return {
    queueMs: percentileSet(times.queueMs.values()),
    connectMs: percentileSet(times.connectMs.values()),
    waitMs: percentileSet(times.waitMs.values()),
    downloadMs: percentileSet(times.downloadMs.values()),
  }
}

const hundredths = Array.from({ length: 101 }, (_, index) => index / 100)

/** Returns the quantiles 0, 0.01, …, 1 of a distribution; empty without samples. */
export function latencyQuantilesMs(latenciesMs: Parameters<typeof sortSamples>[0]): readonly number[] {
  const sorted = sortSamples(latenciesMs)
  return sorted.length === 0 ? [] : hundredths.map((share) => quantile(sorted, share) ?? 0)
}

import { durationBucket } from '#scoring'
import type { DurationLatency, UtteranceEvaluation } from './evaluation.ts'
import type { LatencySample } from './latency-line.ts'
import { percentileSet } from './percentiles.ts'

/** The latencies of answered requests of the steady part that took any time at all. */
export function latencySamples(rows: readonly UtteranceEvaluation[]): readonly LatencySample[] {
  return rows.flatMap(({ utteranceId, audioSeconds, latencyMs, window }) =>
    latencyMs === null || latencyMs <= 0 || window !== 'steady'
      ? []
      : [{ utteranceId, audioSeconds, latencyMs }],
  )
}

/** Requests with audio of about the same length together, the shortest first. */
export function byDuration(
  samples: readonly LatencySample[],
): readonly { readonly bucket: string; readonly samples: readonly LatencySample[] }[] {
  const shortestFirst = samples.toSorted((a, b) => a.audioSeconds - b.audioSeconds)
  return [...Map.groupBy(shortestFirst, ({ audioSeconds }) => durationBucket(audioSeconds))].map(
    ([bucket, group]) => ({ bucket, samples: group }),
  )
}

export function latencyByDuration(rows: readonly UtteranceEvaluation[]): readonly DurationLatency[] {
  return byDuration(latencySamples(rows)).map(({ bucket, samples }) => ({
    bucket,
    utteranceCount: new Set(samples.map(({ utteranceId }) => utteranceId)).size,
    latencyMs: percentileSet(samples.map(({ latencyMs }) => latencyMs)),
  }))
}

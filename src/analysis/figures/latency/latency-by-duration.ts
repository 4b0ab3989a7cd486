import { numberColumn } from '#prelude'
import { durationBucket } from '#scoring'
import type { DurationLatency } from '../../documents/latency.ts'
import type { UtteranceEvaluation } from '../../documents/utterance-evaluation.ts'
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
export function byDuration<Row extends Pick<LatencySample, 'audioSeconds'>>(
  samples: readonly Row[],
): readonly { readonly bucket: string; readonly samples: readonly Row[] }[] {
  return [...Map.groupBy(samples, ({ audioSeconds }) => durationBucket(audioSeconds)).values()]
    .map((group) => ({
      samples: group,
      shortest: group.reduce(
        (least, { audioSeconds }) => Math.min(least, audioSeconds),
        Number.POSITIVE_INFINITY,
      ),
    }))
    .sort((a, b) => a.shortest - b.shortest)
    .map(({ samples: group, shortest }) => ({ bucket: durationBucket(shortest), samples: group }))
}

export function latenciesOf(samples: readonly LatencySample[]): Float64Array {
  const latencies = numberColumn(samples.length)
  for (const { latencyMs } of samples) latencies.add(latencyMs)
  return latencies.values()
}

export function latencyByDuration(latencies: readonly LatencySample[]): readonly DurationLatency[] {
  return byDuration(latencies).map(({ bucket, samples }) => ({
    bucket,
    utteranceCount: new Set(samples.map(({ utteranceId }) => utteranceId)).size,
    latencyMs: percentileSet(latenciesOf(samples)),
  }))
}

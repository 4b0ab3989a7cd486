import type { Evaluation } from '#analysis/documents/evaluation'
import { evaluateRun } from '#analysis/evaluate-run'
import type { TelemetryLine } from '#journal/telemetry-line'
import { blank } from '../journal/a-run.ts'
import { measuredRun, spokenUtterances } from './measured-run.ts'

/** Samples every quarter of a second, each made from its moment in seconds. */
export function sampled(
  seconds: number,
  line: (atSeconds: number) => Partial<TelemetryLine>,
): TelemetryLine[] {
  return Array.from({ length: seconds * 4 + 1 }, (_, index) => ({
    ...blank,
    atMs: index * 250,
    ...line(index / 4),
  }))
}

/** A run with such samples: 80 s of audio for each contender, in blocks of 10 s one after the other. */
export function evaluated(
  telemetry: readonly TelemetryLine[],
  change: Partial<Parameters<typeof measuredRun>[0]> = {},
): Evaluation {
  const utterances = spokenUtterances(20, 'a b', { seconds: 4 })
  return evaluateRun({
    ...measuredRun({ utterances, fate: () => 'a b', durationMs: () => 500, ...change }),
    telemetry,
  })
}

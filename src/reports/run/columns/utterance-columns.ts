import type { Evaluation, UtteranceEvaluation } from '#analysis'
import { type ErrorLevel, errorRate, leadingFirst, rateMetrics } from '#scoring'
import type { FileColumn } from '../../layout/column.ts'
import { rateWords } from '../../layout/rate-words.ts'

/** A planned request with the run that it belongs to: one row of `utterances.csv`. */
export interface UtteranceRow {
  readonly evaluation: Evaluation
  readonly utterance: UtteranceEvaluation
}

/** Columns of `utterances.csv`, one row per planned request, whatever became of it; the leading rate first. */
export const utteranceColumns = (leads: ErrorLevel): readonly FileColumn<UtteranceRow>[] => [
  { name: 'run', value: ({ evaluation }) => evaluation.run.id },
  { name: 'request', value: ({ utterance }) => utterance.requestIndex },
  { name: 'contender', value: ({ utterance }) => utterance.contenderId },
  { name: 'utterance', value: ({ utterance }) => utterance.utteranceId },
  { name: 'round', value: ({ utterance }) => utterance.round },
  { name: 'status', value: ({ utterance }) => utterance.status },
  { name: 'window', value: ({ utterance }) => utterance.window },
  { name: 'failure', value: ({ utterance }) => utterance.failure },
  { name: 'failure_message', value: ({ utterance }) => utterance.failureMessage },
  { name: 'failure_hint', value: ({ utterance }) => utterance.failureHint },
  { name: 'said_no_speech', value: ({ utterance }) => utterance.saidNoSpeech },
  { name: 'audio_seconds', value: ({ utterance }) => utterance.audioSeconds },
  { name: 'latency_ms', value: ({ utterance }) => utterance.latencyMs },
  { name: 'attempts', value: ({ utterance }) => utterance.attemptCount },
  { name: 'first_attempt_ms', value: ({ utterance }) => utterance.firstAttemptMs },
  { name: 'service_ms', value: ({ utterance }) => utterance.serviceMs },
  { name: 'queue_ms', value: ({ utterance }) => utterance.phases?.queueMs ?? null },
  { name: 'connect_ms', value: ({ utterance }) => utterance.phases?.connectMs ?? null },
  { name: 'upload_ms', value: ({ utterance }) => utterance.phases?.uploadMs ?? null },
  { name: 'wait_ms', value: ({ utterance }) => utterance.phases?.waitMs ?? null },
  { name: 'download_ms', value: ({ utterance }) => utterance.phases?.downloadMs ?? null },
  { name: 'rtf', value: ({ utterance }) => utterance.realTimeFactor },
  { name: 'server_decode_ms', value: ({ utterance }) => utterance.serverDecodeMs },
  { name: 'server_latency_ms', value: ({ utterance }) => utterance.serverLatencyMs },
  ...leadingFirst(leads).flatMap(utteranceRateColumns),
  { name: 'reference', value: ({ utterance }) => utterance.reference },
  { name: 'hypothesis', value: ({ utterance }) => utterance.hypothesis },
]

const countKinds = ['hits', 'substitutions', 'deletions', 'insertions'] as const

/** One error rate of an utterance with its counts. */
function utteranceRateColumns(level: ErrorLevel): readonly FileColumn<UtteranceRow>[] {
  return [
    {
      name: `${rateMetrics[level]}_rate`,
      value: ({ utterance }) => {
        const counts = utterance[level]
        return counts === null ? null : errorRate(counts)
      },
    },
    ...countKinds.map(
      (kind): FileColumn<UtteranceRow> => ({
        name: `${rateWords[level].unit}_${kind}`,
        value: ({ utterance }) => utterance[level]?.[kind] ?? null,
      }),
    ),
  ]
}

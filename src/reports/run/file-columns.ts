import {
  type ContenderEvaluation,
  type Evaluation,
  failureText,
  type Interval,
  type PercentileSet,
  scoreName,
  type UtteranceEvaluation,
} from '#analysis'
import { type ErrorLevel, errorRate, leadingFirst, rateMetrics, rateOfAll } from '#scoring'
import type { FileColumn } from '../layout/csv.ts'
import { rateWords } from '../layout/rate-words.ts'

/** A contender with the run that it belongs to: one row of `summary.csv`. */
export interface SummaryRow {
  readonly evaluation: Evaluation
  readonly contender: ContenderEvaluation
}

/** A planned request with the run that it belongs to: one row of `utterances.csv`. */
export interface UtteranceRow {
  readonly evaluation: Evaluation
  readonly utterance: UtteranceEvaluation
}

/** Columns of `summary.csv`, one row per contender, the leading rate first. Rates are 0..1, as everywhere but on screens. */
export const summaryColumns = (leads: ErrorLevel): readonly FileColumn<SummaryRow>[] => [
  { header: 'run', value: ({ evaluation }) => evaluation.run.id },
  { header: 'started_at', value: ({ evaluation }) => evaluation.run.startedAt },
  { header: 'validity', value: ({ evaluation }) => evaluation.validity },
  { header: 'contender', value: ({ contender }) => contender.contender.id },
  { header: 'engine', value: ({ contender }) => contender.contender.engine },
  { header: 'model', value: ({ contender }) => contender.contender.model },
  { header: 'language', value: ({ contender }) => contender.contender.language },
  { header: 'corpus', value: ({ evaluation }) => evaluation.corpus.name },
  { header: 'corpus_fingerprint', value: ({ evaluation }) => evaluation.corpus.fingerprint },
  { header: 'profile', value: ({ evaluation }) => evaluation.profile.id },
  { header: 'profile_fingerprint', value: ({ evaluation }) => evaluation.profile.fingerprint },
  { header: 'score', value: ({ evaluation }) => scoreName(evaluation) },
  { header: 'load', value: ({ evaluation }) => evaluation.load.description },
  { header: 'concurrency', value: ({ evaluation }) => evaluation.load.concurrency },
  { header: 'rounds', value: ({ evaluation }) => evaluation.rounds },
  { header: 'planned', value: ({ contender }) => contender.counts.planned },
  { header: 'answered', value: ({ contender }) => contender.counts.answered },
  { header: 'failed', value: ({ contender }) => contender.counts.failed },
  {
    header: 'failures',
    value: ({ contender }) => contender.failures.map(failureText).join('; ') || null,
  },
  { header: 'dropped', value: ({ contender }) => contender.counts.dropped },
  { header: 'not_sent', value: ({ contender }) => contender.counts.notSent },
  { header: 'scored', value: ({ contender }) => contender.scoredCount },
  { header: 'no_speech', value: ({ contender }) => contender.noSpeechCount },
  { header: 'coverage_rate', value: ({ contender }) => contender.coverage },
  { header: 'failure_rate', value: ({ contender }) => contender.failureRate },
  { header: 'utterances', value: ({ contender }) => contender.utteranceCount },
  { header: 'speakers', value: ({ contender }) => contender.speakerCount },
  ...leadingFirst(leads).flatMap(rateColumns),
  ...leadingFirst(leads).map(
    (level): FileColumn<SummaryRow> => ({
      header: `${rateMetrics[level]}_all_rate`,
      value: ({ contender }) => rateOfAll(contender, level).rate,
    }),
  ),
  { header: 'wer_mean_rate', value: ({ contender }) => contender.meanUtteranceWordErrorRate },
  { header: 'ser_rate', value: ({ contender }) => contender.sentenceErrorRate },
  { header: 'left_out_ramp', value: ({ contender }) => contender.leftOut.rampCount },
  { header: 'left_out_drain', value: ({ contender }) => contender.leftOut.drainCount },
  ...percentileColumns('latency', '_ms', (contender) => contender.latencyMs),
  { header: 'latency_counts_from', value: ({ evaluation }) => evaluation.load.latencyCountsFrom },
  { header: 'sent_again', value: ({ contender }) => contender.sentAgain.requestCount },
  { header: 'sent_again_answered', value: ({ contender }) => contender.sentAgain.answeredCount },
  { header: 'rate_limit_refused', value: ({ contender }) => contender.rateLimit.refusedCount },
  { header: 'rate_limit_wait_seconds', value: ({ contender }) => contender.rateLimit.waitedSeconds },
  ...percentileColumns('first_attempt', '_ms', (contender) => contender.firstAttemptMs),
  ...percentileColumns('service', '_ms', (contender) => contender.serviceMs),
  ...percentileColumns('rtf', '', (contender) => contender.realTimeFactor),
  { header: 'rtfx', value: ({ contender }) => contender.systemSpeed.value },
  {
    header: 'steady_audio_seconds',
    value: ({ contender }) =>
      contender.systemSpeed.value === null ? null : contender.systemSpeed.audioSeconds,
  },
  {
    header: 'steady_window_seconds',
    value: ({ contender }) =>
      contender.systemSpeed.value === null ? null : contender.systemSpeed.windowSeconds,
  },
  ...percentileColumns('server_decode', '_ms', (contender) => contender.serverDecodeMs),
  ...percentileColumns('server_latency', '_ms', (contender) => contender.serverLatencyMs),
  {
    header: 'cpu_seconds_per_audio_second',
    value: ({ contender }) => contender.cpuSecondsPerAudioSecond.value,
  },
  {
    header: 'server_resident_bytes',
    value: ({ evaluation }) => evaluation.resources.server.residentBytes,
  },
  {
    header: 'server_peak_resident_bytes',
    value: ({ evaluation }) => evaluation.resources.server.peakResidentBytes,
  },
  {
    header: 'server_megabytes_per_audio_hour',
    value: ({ evaluation }) => evaluation.resources.server.megabytesPerAudioHour.value,
  },
  {
    header: 'host_foreign_processors',
    value: ({ evaluation }) => evaluation.resources.host.foreignProcessors,
  },
  { header: 'gpu_busy_rate', value: ({ evaluation }) => evaluation.resources.gpu?.busyRate ?? null },
  { header: 'post_processed_rate', value: ({ contender }) => contender.postProcessedRate },
  { header: 'first_request_ms', value: ({ contender }) => contender.firstRequestMs },
  { header: 'model_loading_ms', value: ({ contender }) => contender.modelLoadingMs.value },
  { header: 'until_steady_ms', value: ({ contender }) => contender.untilSteadyMs.value },
  ...percentileColumns('queue', '_ms', (contender) => contender.phases.queueMs),
  ...percentileColumns('connect', '_ms', (contender) => contender.phases.connectMs),
  ...percentileColumns('upload', '_ms', (contender) => contender.phases.uploadMs),
  ...percentileColumns('wait', '_ms', (contender) => contender.phases.waitMs),
  ...percentileColumns('download', '_ms', (contender) => contender.phases.downloadMs),
  {
    header: 'upload_bytes_per_second',
    value: ({ contender }) => contender.phases.uploadBytesPerSecond.value,
  },
  { header: 'usd_per_audio_hour', value: ({ contender }) => contender.cost?.usdPerAudioHour ?? null },
  { header: 'spent_usd', value: ({ contender }) => contender.cost?.usd ?? null },
]

/** Columns of `utterances.csv`, one row per planned request, whatever became of it; the leading rate first. */
export const utteranceColumns = (leads: ErrorLevel): readonly FileColumn<UtteranceRow>[] => [
  { header: 'run', value: ({ evaluation }) => evaluation.run.id },
  { header: 'request', value: ({ utterance }) => utterance.requestIndex },
  { header: 'contender', value: ({ utterance }) => utterance.contenderId },
  { header: 'utterance', value: ({ utterance }) => utterance.utteranceId },
  { header: 'round', value: ({ utterance }) => utterance.round },
  { header: 'status', value: ({ utterance }) => utterance.status },
  { header: 'window', value: ({ utterance }) => utterance.window },
  { header: 'failure', value: ({ utterance }) => utterance.failure },
  { header: 'failure_message', value: ({ utterance }) => utterance.failureMessage },
  { header: 'failure_hint', value: ({ utterance }) => utterance.failureHint },
  { header: 'said_no_speech', value: ({ utterance }) => utterance.saidNoSpeech },
  { header: 'audio_seconds', value: ({ utterance }) => utterance.audioSeconds },
  { header: 'latency_ms', value: ({ utterance }) => utterance.latencyMs },
  { header: 'attempts', value: ({ utterance }) => utterance.attemptCount },
  { header: 'first_attempt_ms', value: ({ utterance }) => utterance.firstAttemptMs },
  { header: 'service_ms', value: ({ utterance }) => utterance.serviceMs },
  { header: 'queue_ms', value: ({ utterance }) => utterance.phases?.queueMs ?? null },
  { header: 'connect_ms', value: ({ utterance }) => utterance.phases?.connectMs ?? null },
  { header: 'upload_ms', value: ({ utterance }) => utterance.phases?.uploadMs ?? null },
  { header: 'wait_ms', value: ({ utterance }) => utterance.phases?.waitMs ?? null },
  { header: 'download_ms', value: ({ utterance }) => utterance.phases?.downloadMs ?? null },
  { header: 'rtf', value: ({ utterance }) => utterance.realTimeFactor },
  { header: 'server_decode_ms', value: ({ utterance }) => utterance.serverDecodeMs },
  { header: 'server_latency_ms', value: ({ utterance }) => utterance.serverLatencyMs },
  ...leadingFirst(leads).flatMap(utteranceRateColumns),
  { header: 'reference', value: ({ utterance }) => utterance.reference },
  { header: 'hypothesis', value: ({ utterance }) => utterance.hypothesis },
]

const countKinds = ['hits', 'substitutions', 'deletions', 'insertions'] as const

/** One error rate of a contender, with its interval and its counts. */
function rateColumns(level: ErrorLevel): readonly FileColumn<SummaryRow>[] {
  const name = rateMetrics[level]
  return [
    { header: `${name}_rate`, value: ({ contender }) => contender[level].rate },
    ...intervalColumns(name, ({ contender }) => contender[level].interval),
    { header: `reference_${level}`, value: ({ contender }) => contender[level].referenceLength },
    ...countKinds.map(
      (kind): FileColumn<SummaryRow> => ({
        header: `${rateWords[level].unit}_${kind}`,
        value: ({ contender }) => contender[level].counts[kind],
      }),
    ),
  ]
}

/** One error rate of an utterance with its counts. */
function utteranceRateColumns(level: ErrorLevel): readonly FileColumn<UtteranceRow>[] {
  return [
    {
      header: `${rateMetrics[level]}_rate`,
      value: ({ utterance }) => {
        const counts = utterance[level]
        return counts === null ? null : errorRate(counts)
      },
    },
    ...countKinds.map(
      (kind): FileColumn<UtteranceRow> => ({
        header: `${rateWords[level].unit}_${kind}`,
        value: ({ utterance }) => utterance[level]?.[kind] ?? null,
      }),
    ),
  ]
}

function intervalColumns(
  name: string,
  interval: (row: SummaryRow) => Interval | null,
): readonly FileColumn<SummaryRow>[] {
  return [
    { header: `${name}_low95_rate`, value: (row) => interval(row)?.low ?? null },
    { header: `${name}_high95_rate`, value: (row) => interval(row)?.high ?? null },
  ]
}

function percentileColumns(
  name: string,
  unit: string,
  set: (contender: ContenderEvaluation) => PercentileSet,
): readonly FileColumn<SummaryRow>[] {
  return (['p50', 'p90', 'p95', 'p99'] as const).map((percentile) => ({
    header: `${name}_${percentile}${unit}`,
    value: ({ contender }) => set(contender)[percentile].value,
  }))
}

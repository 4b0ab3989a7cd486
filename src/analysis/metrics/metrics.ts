import type { Interval } from '#rates/documents'
import type { SpeedMetric } from '../documents/contender-comparison.ts'
import type { ContenderEvaluation } from '../documents/contender-evaluation.ts'
import type { UtteranceEvaluation } from '../documents/evaluation.ts'
import type { PercentileSet } from '../documents/speed.ts'
import { type PercentileName, percentileProbabilities } from '../figures/latency/latency-figures.ts'
import { firstOfAnswered } from '../requests/request-times.ts'
import {
  contenderFigure,
  figure,
  type Measurement,
  type Metric,
  type MetricUnit,
  withoutInterval,
} from './metric.ts'

const nothingScored = 'nothing was scored'
const noWords = 'the references hold no words'

const accuracyMetrics: readonly Metric[] = [
  {
    id: 'wer',
    name: 'word error rate',
    unit: 'rate',
    better: 'lower',
    formula: '(S + D + I) / (H + S + D), sums over all scored requests',
    column: 'wer_rate',
    from: contenderFigure(({ words, scoredCount }) => rateWithInterval(words, scoredCount)),
  },
  {
    id: 'cer',
    name: 'character error rate',
    unit: 'rate',
    better: 'lower',
    formula:
      '(S + D + I) / (H + S + D) over graphemes; spaces included, except with the profiles of languages without spaces',
    column: 'cer_rate',
    from: contenderFigure(({ characters, scoredCount }) => rateWithInterval(characters, scoredCount)),
  },
  {
    id: 'wer.all',
    name: 'word error rate with failures as empty transcripts',
    unit: 'rate',
    better: 'lower',
    formula:
      'as wer, every request that failed counted as an empty transcript; what was not sent is in no sum',
    column: 'wer_all_rate',
    from: contenderFigure(({ wordsWithFailuresAsEmpty, counts }) =>
      rateWithInterval(wordsWithFailuresAsEmpty, counts.answered + counts.failed),
    ),
  },
  {
    id: 'cer.all',
    name: 'character error rate with failures as empty transcripts',
    unit: 'rate',
    better: 'lower',
    formula:
      'as cer, every request that failed counted as an empty transcript; what was not sent is in no sum',
    column: 'cer_all_rate',
    from: contenderFigure(({ charactersWithFailuresAsEmpty: rate, counts }) =>
      rate === undefined
        ? { value: null, reason: 'not in a score of this version' }
        : rateWithInterval(rate, counts.answered + counts.failed),
    ),
  },
  {
    id: 'wer.mean',
    name: 'mean of the utterances’ own word error rates',
    unit: 'rate',
    better: 'lower',
    formula: 'mean over utterances of (S + D + I) / (H + S + D)',
    column: 'wer_mean_rate',
    from: contenderFigure(({ meanUtteranceWordErrorRate }) => figure(meanUtteranceWordErrorRate, noWords)),
  },
  {
    id: 'ser',
    name: 'sentence error rate',
    unit: 'rate',
    better: 'lower',
    formula: 'scored requests with at least one word error / scored requests',
    column: 'ser_rate',
    from: contenderFigure(({ sentenceErrorRate }) => figure(sentenceErrorRate, nothingScored)),
  },
  keywordMetric('recall', 'keywords found / keywords spoken'),
  keywordMetric('precision', 'keywords found / keywords recognised'),
  {
    id: 'coverage',
    name: 'coverage',
    unit: 'rate',
    better: 'higher',
    formula: 'scored requests / planned requests',
    column: 'coverage_rate',
    from: contenderFigure(({ coverage }) => figure(coverage, 'nothing was planned')),
  },
  {
    id: 'failures',
    name: 'failure rate',
    unit: 'rate',
    better: 'lower',
    formula: 'failed requests / (answered + failed requests)',
    column: 'failure_rate',
    from: contenderFigure(({ failureRate }) => figure(failureRate, 'nothing was sent')),
  },
]

const speedMetrics: readonly Metric[] = [
  {
    id: 'rtfx',
    aliases: ['throughput', 'speed'],
    name: 'system speed',
    unit: 'times',
    better: 'higher',
    formula: 'audio seconds completed / seconds, summed over the steady windows of all blocks',
    column: 'rtfx',
    from: contenderFigure(({ systemSpeed }) => withoutInterval(systemSpeed)),
  },
  {
    id: 'cpu',
    aliases: ['cpu.audio'],
    name: 'processor time for a second of audio',
    unit: 'ratio',
    better: 'lower',
    formula:
      'processor seconds of the server and its children / audio seconds answered, summed over all blocks',
    column: 'cpu_seconds_per_audio_second',
    from: contenderFigure(({ cpuSecondsPerAudioSecond }) => withoutInterval(cpuSecondsPerAudioSecond)),
  },
  {
    id: 'energy',
    aliases: ['joules'],
    name: 'energy for an hour of audio',
    unit: 'joulesPerHour',
    better: 'lower',
    formula:
      'joules of the machine / audio hours answered, summed over all blocks; power is integrated by the trapezoidal rule',
    column: 'joules_per_audio_hour',
    from: contenderFigure(({ energy = { value: null, reason: 'this run recorded no energy' } }) =>
      withoutInterval(energy),
    ),
  },
  {
    id: 'post-processed',
    aliases: ['edited'],
    name: 'post-processed texts',
    unit: 'rate',
    better: 'higher',
    formula: 'answers with post_processed true / answers',
    column: 'post_processed_rate',
    from: contenderFigure(({ postProcessedRate }) => figure(postProcessedRate, 'nothing was post-processed')),
  },
  {
    id: 'leak',
    name: "growth of the server's memory",
    unit: 'megabytesPerHour',
    better: 'lower',
    formula: "Theil and Sen's slope of resident memory over the audio answered so far, over all contenders",
    column: 'server_megabytes_per_audio_hour',
    from: contenderFigure((_, { resources: { server } }) => withoutInterval(server.megabytesPerAudioHour)),
  },
  {
    id: 'first-request',
    name: 'first request',
    unit: 'ms',
    better: 'lower',
    formula: 'service time of the first warm-up request',
    column: 'first_request_ms',
    from: contenderFigure(({ firstRequestMs }) =>
      figure(firstRequestMs, 'the first warm-up request was not answered'),
    ),
  },
  {
    id: 'loading',
    aliases: ['cold'],
    name: 'loading the model',
    unit: 'ms',
    better: 'lower',
    formula:
      'timings.load_ms of the first warm-up request; where the server does not say it, its service time - the median ' +
      'service time of the same utterance while measuring',
    column: 'model_loading_ms',
    from: contenderFigure(({ modelLoadingMs }) => withoutInterval(modelLoadingMs)),
  },
  {
    id: 'until-steady',
    aliases: ['warming-up'],
    name: 'time until the steady speed',
    unit: 'ms',
    better: 'lower',
    formula:
      'time from the first sending until five answers in a row come to 95% of the steady throughput: sum of the median ' +
      'service times of their utterances / requests in flight / time that they took',
    column: 'until_steady_ms',
    from: contenderFigure(({ untilSteadyMs }) => withoutInterval(untilSteadyMs)),
  },
  ...percentileFamily({
    id: 'latency',
    name: 'latency',
    unit: 'ms',
    formula:
      'percentile of the time until the last byte was received, counted from the moment the request was due (open ' +
      'loads, concurrent users) or was sent (closed loads)',
    column: 'latency',
    set: ({ latencyMs }) => latencyMs,
    sample: ({ latencyMs }) => latencyMs,
  }),
  ...percentileFamily({
    id: 'first-attempt',
    name: 'latency of the first attempt',
    unit: 'ms',
    formula: 'percentile of last byte received or given up - due or sent, of first attempts alone',
    column: 'first_attempt',
    set: ({ firstAttemptMs }) => firstAttemptMs,
    sample: firstOfAnswered,
  }),
  ...percentileFamily({
    id: 'service',
    name: 'service time',
    unit: 'ms',
    formula: 'percentile of last byte received - first byte sent',
    column: 'service',
    set: ({ serviceMs }) => serviceMs,
    sample: ({ serviceMs }) => serviceMs,
  }),
  ...percentileFamily({
    id: 'phase.queue',
    name: 'waiting for a socket',
    unit: 'ms',
    formula:
      'percentile of the time from the sending to the head of the request being written, less connecting',
    column: 'queue',
    set: ({ phases }) => phases.queueMs,
    sample: (row) => row.phases?.queueMs ?? null,
  }),
  ...percentileFamily({
    id: 'phase.connect',
    name: 'connecting',
    unit: 'ms',
    formula: 'percentile of the time that a new connection took: addresses, TCP and TLS',
    column: 'connect',
    set: ({ phases }) => phases.connectMs,
    // 0 is a request that went by an open connection.
    sample: (row) => row.phases?.connectMs || null,
  }),
  ...percentileFamily({
    id: 'phase.wait',
    name: 'sending the body and waiting for the answer',
    unit: 'ms',
    formula: 'percentile of the time from the head being written to the first byte of the answer',
    column: 'wait',
    set: ({ phases }) => phases.waitMs,
    sample: (row) => row.phases?.waitMs ?? null,
  }),
  ...percentileFamily({
    id: 'phase.download',
    name: 'downloading',
    unit: 'ms',
    formula: 'percentile of the time from the first byte of the answer to the last',
    column: 'download',
    set: ({ phases }) => phases.downloadMs,
    sample: (row) => row.phases?.downloadMs ?? null,
  }),
  ...percentileFamily({
    id: 'rtf',
    name: 'real-time factor',
    unit: 'ratio',
    formula: 'percentile of service time / audio length, request by request',
    column: 'rtf',
    set: ({ realTimeFactor }) => realTimeFactor,
    sample: ({ realTimeFactor }) => realTimeFactor,
  }),
  ...percentileFamily({
    id: 'server.decode',
    name: 'decoding, as the server reports it',
    unit: 'ms',
    formula: 'percentile of timings.decode_ms in the answers',
    column: 'server_decode',
    set: ({ serverDecodeMs }) => serverDecodeMs,
    sample: ({ serverDecodeMs }) => serverDecodeMs,
  }),
  ...percentileFamily({
    id: 'server.latency',
    name: 'latency, as the server reports it',
    unit: 'ms',
    formula: 'percentile of latency_ms in the answers',
    column: 'server_latency',
    set: ({ serverLatencyMs }) => serverLatencyMs,
    sample: ({ serverLatencyMs }) => serverLatencyMs,
  }),
]

const regressionMetrics: readonly Metric[] = (['wer', 'cer'] as const).map((rate) => ({
  id: `${rate}.regression`,
  name: rate === 'wer' ? 'change of the word error rate' : 'change of the character error rate',
  unit: 'rateDifference',
  better: 'lower',
  formula: `${rate} of the run - ${rate} of the base, over the utterances that both answered`,
  from: { of: 'comparison', rate },
}))

const failureRegression: Metric = {
  id: 'failures.regression',
  name: 'change of the failure rate',
  unit: 'rateDifference',
  better: 'lower',
  formula:
    '(requests that failed in the run alone - in the base alone) / paired requests, the n-th request of an utterance with ' +
    'its n-th',
  from: { of: 'failureComparison' },
}

const speedRegressions: Readonly<Record<SpeedMetric, string>> = {
  latency: 'mean logarithm of run / base, utterance against utterance',
  'latency.p50': 'run / base of the p50',
  'latency.p95': 'run / base of the p95',
  'latency.fixed': 'run / base of the fixed cost a in latency = a + b · seconds (robust, relative noise)',
  'latency.slope':
    'run / base of the cost b of a second of audio in latency = a + b · seconds (robust, relative noise)',
  rtfx: '1 - run / base of the system speed',
}

const speedRegressionMetrics: readonly Metric[] = (Object.keys(speedRegressions) as SpeedMetric[]).map(
  (speed) => ({
    id: `${speed}.regression`,
    name: `relative loss of ${speed}`,
    unit: 'relativeDifference',
    better: 'lower',
    formula: `${speedRegressions[speed]}, geometric mean over runs, as a share; positive is worse`,
    from: { of: 'speedComparison', speed },
  }),
)

/** Every metric that a table, a threshold or a report can name. */
export const metrics: readonly Metric[] = [
  ...accuracyMetrics,
  ...speedMetrics,
  ...regressionMetrics,
  failureRegression,
  ...speedRegressionMetrics,
]

export function findMetric(idOrAlias: string): Metric | null {
  const name = idOrAlias.toLowerCase()
  return metrics.find(({ id, aliases = [] }) => id === name || aliases.includes(name)) ?? null
}

/** Whether a busy machine changes a metric: times, speeds and energy. The processor time of a server it hardly changes. */
export function isTimed(id: string): boolean {
  const unit = findMetric(id)?.unit
  return unit === 'ms' || unit === 'times' || unit === 'joulesPerHour' || id.startsWith('rtf.')
}

/** What was found of a vocabulary, and of the keywords that the corpus gives. */
function keywordMetric(share: 'recall' | 'precision', formula: string): Metric {
  return {
    id: `keyword.${share}`,
    name: `keyword ${share}`,
    unit: 'rate',
    better: 'higher',
    formula,
    column: `keyword_${share}_rate`,
    from: contenderFigure(({ contender }, { errorAnalyses }) => {
      const keywords = errorAnalyses.find(({ contenderId }) => contenderId === contender.id)?.keywords ?? null
      if (keywords === null) return { value: null, reason: 'no vocabulary and no keywords were given' }
      const { rate, interval } = keywords[share]
      return rate === null ? { value: null, reason: 'no keyword occurred' } : { value: rate, interval }
    }),
  }
}

function rateWithInterval(
  rate: { readonly rate: number | null; readonly interval: Interval | null },
  requestCount: number,
): Measurement {
  if (rate.rate !== null) return { value: rate.rate, interval: rate.interval }
  return { value: null, reason: requestCount === 0 ? nothingScored : noWords }
}

interface PercentileFamily {
  readonly id: string
  readonly name: string
  readonly unit: MetricUnit
  readonly formula: string
  /** Beginning of the names of its columns. */
  readonly column: string
  set(contender: ContenderEvaluation): PercentileSet
  sample(row: UtteranceEvaluation): number | null
}

function percentileFamily(family: PercentileFamily): readonly Metric[] {
  const { id, name, unit, formula, column, set, sample } = family
  return (Object.keys(percentileProbabilities) as PercentileName[]).map((percentile) => ({
    id: `${id}.${percentile}`,
    name: `${name}, ${percentile}`,
    unit,
    better: 'lower',
    formula,
    column: `${column}_${percentile}${unit === 'ms' ? '_ms' : ''}`,
    from: {
      of: 'percentile',
      probability: percentileProbabilities[percentile],
      measure: (contender) => set(contender)[percentile],
      sample,
    },
  }))
}

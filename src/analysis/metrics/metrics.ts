import type { Interval } from '#rates/documents'
import type { SpeedMetric } from '../documents/contender-comparison.ts'
import type { ContenderEvaluation } from '../documents/contender-evaluation.ts'
import type { Evaluation, UtteranceEvaluation } from '../documents/evaluation.ts'
import type { PercentileSet, RequestPhases } from '../documents/speed.ts'
import { percentileNames, percentileProbabilities, phaseNames } from '../figures/latency/latency-figures.ts'
import { type TimeKind, takenTime } from '../requests/request-times.ts'
import type { Measurement, Metric, MetricUnit } from './metric.ts'

const nothingScored = 'nothing was scored'
const noWords = 'the references hold no words'

/** A figure of one contender; `better` is `lower` by default. */
interface ContenderMetric extends Omit<Metric, 'from' | 'better' | 'column'> {
  readonly better?: Metric['better']
  readonly column: string
  /** Some figures of a contender are the run's, so `evaluation` is needed. */
  measure(contender: ContenderEvaluation, evaluation: Evaluation): Measurement
}

const accuracyMetrics: readonly ContenderMetric[] = [
  {
    id: 'wer',
    name: 'word error rate',
    unit: 'rate',
    formula: '(S + D + I) / (H + S + D), sums over all scored requests',
    column: 'wer_rate',
    measure: ({ words, scoredCount }) => rateWithInterval(words, scoredCount),
  },
  {
    id: 'cer',
    name: 'character error rate',
    unit: 'rate',
    formula:
      '(S + D + I) / (H + S + D) over graphemes; spaces included, except with the profiles of languages without spaces',
    column: 'cer_rate',
    measure: ({ characters, scoredCount }) => rateWithInterval(characters, scoredCount),
  },
  {
    id: 'wer.all',
    name: 'word error rate with failures as empty transcripts',
    unit: 'rate',
    formula:
      'as wer, every request that failed counted as an empty transcript; what was not sent is in no sum',
    column: 'wer_all_rate',
    measure: ({ wordsWithFailuresAsEmpty, counts }) =>
      rateWithInterval(wordsWithFailuresAsEmpty, counts.answered + counts.failed),
  },
  {
    id: 'cer.all',
    name: 'character error rate with failures as empty transcripts',
    unit: 'rate',
    formula:
      'as cer, every request that failed counted as an empty transcript; what was not sent is in no sum',
    column: 'cer_all_rate',
    measure: ({ charactersWithFailuresAsEmpty: rate, counts }) =>
      rate === undefined
        ? { value: null, reason: 'not in a score of this version' }
        : rateWithInterval(rate, counts.answered + counts.failed),
  },
  {
    id: 'wer.mean',
    name: 'mean of the utterances’ own word error rates',
    unit: 'rate',
    formula: 'mean over utterances of (S + D + I) / (H + S + D)',
    column: 'wer_mean_rate',
    measure: ({ meanUtteranceWordErrorRate }) => figure(meanUtteranceWordErrorRate, noWords),
  },
  {
    id: 'ser',
    name: 'sentence error rate',
    unit: 'rate',
    formula: 'scored requests with at least one word error / scored requests',
    column: 'ser_rate',
    measure: ({ sentenceErrorRate }) => figure(sentenceErrorRate, nothingScored),
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
    measure: ({ coverage }) => figure(coverage, 'nothing was planned'),
  },
  {
    id: 'failures',
    name: 'failure rate',
    unit: 'rate',
    formula: 'failed requests / (answered + failed requests)',
    column: 'failure_rate',
    measure: ({ failureRate }) => figure(failureRate, 'nothing was sent'),
  },
]

const resourceMetrics: readonly ContenderMetric[] = [
  {
    id: 'rtfx',
    aliases: ['throughput', 'speed'],
    name: 'system speed',
    unit: 'times',
    better: 'higher',
    formula: 'audio seconds completed / seconds, summed over the steady windows of all blocks',
    column: 'rtfx',
    measure: ({ systemSpeed }) => withoutInterval(systemSpeed),
  },
  {
    id: 'cpu',
    aliases: ['cpu.audio'],
    name: 'processor time for a second of audio',
    unit: 'ratio',
    formula:
      'processor seconds of the server and its children / audio seconds answered, summed over all blocks',
    column: 'cpu_seconds_per_audio_second',
    measure: ({ cpuSecondsPerAudioSecond }) => withoutInterval(cpuSecondsPerAudioSecond),
  },
  {
    id: 'energy',
    aliases: ['joules'],
    name: 'energy for an hour of audio',
    unit: 'joulesPerHour',
    formula:
      'joules of the machine / audio hours answered, summed over all blocks; power is integrated by the trapezoidal rule',
    column: 'joules_per_audio_hour',
    measure: ({ energy = { value: null, reason: 'this run recorded no energy' } }) => withoutInterval(energy),
  },
  {
    id: 'post-processed',
    aliases: ['edited'],
    name: 'post-processed texts',
    unit: 'rate',
    better: 'higher',
    formula: 'answers with post_processed true / answers',
    column: 'post_processed_rate',
    measure: ({ postProcessedRate }) => figure(postProcessedRate, 'nothing was post-processed'),
  },
  {
    id: 'leak',
    name: "growth of the server's memory",
    unit: 'megabytesPerHour',
    formula: "Theil and Sen's slope of resident memory over the audio answered so far, over all contenders",
    column: 'server_megabytes_per_audio_hour',
    measure: (_, { resources: { server } }) => withoutInterval(server.megabytesPerAudioHour),
  },
  {
    id: 'first-request',
    name: 'first request',
    unit: 'ms',
    formula: 'service time of the first warm-up request',
    column: 'first_request_ms',
    measure: ({ firstRequestMs }) => figure(firstRequestMs, 'the first warm-up request was not answered'),
  },
  {
    id: 'loading',
    aliases: ['cold'],
    name: 'loading the model',
    unit: 'ms',
    formula:
      'timings.load_ms of the first warm-up request; where the server does not say it, its service time - the median ' +
      'service time of the same utterance while measuring',
    column: 'model_loading_ms',
    measure: ({ modelLoadingMs }) => withoutInterval(modelLoadingMs),
  },
  {
    id: 'until-steady',
    aliases: ['warming-up'],
    name: 'time until the steady speed',
    unit: 'ms',
    formula:
      'time from the first sending until five answers in a row come to 95% of the steady throughput: sum of the median ' +
      'service times of their utterances / requests in flight / time that they took',
    column: 'until_steady_ms',
    measure: ({ untilSteadyMs }) => withoutInterval(untilSteadyMs),
  },
]

interface PercentileFamily {
  readonly id: string
  readonly name: string
  /** Default: milliseconds. */
  readonly unit?: MetricUnit
  readonly formula: string
  /** The field of the contender's percentiles and the request's times; for a phase, the field in `phases`. */
  readonly of: TimeKind | keyof RequestPhases
}

const percentileFamilies: readonly PercentileFamily[] = [
  {
    id: 'latency',
    name: 'latency',
    formula:
      'percentile of the time until the last byte was received, counted from the moment the request was due (open ' +
      'loads, concurrent users) or was sent (closed loads)',
    of: 'latencyMs',
  },
  {
    id: 'first-attempt',
    name: 'latency of the first attempt',
    formula: 'percentile of last byte received or given up - due or sent, of first attempts alone',
    of: 'firstAttemptMs',
  },
  {
    id: 'service',
    name: 'service time',
    formula: 'percentile of last byte received - sent, the wait for a socket and connecting included',
    of: 'serviceMs',
  },
  {
    id: 'phase.queue',
    name: 'waiting for a socket',
    formula:
      'percentile of the time from the sending to the head of the request being written, less connecting',
    of: 'queueMs',
  },
  {
    id: 'phase.connect',
    name: 'connecting',
    formula: 'percentile of the time that a new connection took: addresses, TCP and TLS',
    of: 'connectMs',
  },
  {
    id: 'phase.wait',
    name: 'sending the body and waiting for the answer',
    formula: 'percentile of the time from the head being written to the first byte of the answer',
    of: 'waitMs',
  },
  {
    id: 'phase.download',
    name: 'downloading',
    formula: 'percentile of the time from the first byte of the answer to the last',
    of: 'downloadMs',
  },
  {
    id: 'rtf',
    name: 'real-time factor',
    unit: 'ratio',
    formula: 'percentile of service time / audio length, request by request',
    of: 'realTimeFactor',
  },
  {
    id: 'server.decode',
    name: 'decoding, as the server reports it',
    formula: 'percentile of timings.decode_ms in the answers',
    of: 'serverDecodeMs',
  },
  {
    id: 'server.latency',
    name: 'latency, as the server reports it',
    formula: 'percentile of latency_ms in the answers',
    of: 'serverLatencyMs',
  },
]

const speedRegressions: Readonly<Record<SpeedMetric, string>> = {
  latency: 'mean logarithm of run / base, utterance against utterance',
  'latency.p50': 'run / base of the p50',
  'latency.p95': 'run / base of the p95',
  'latency.fixed': 'run / base of the fixed cost a in latency = a + b · seconds (robust, relative noise)',
  'latency.slope':
    'run / base of the cost b of a second of audio in latency = a + b · seconds (robust, relative noise)',
  rtfx: '1 - run / base of the system speed',
}

/** All metrics of tables, thresholds and reports. */
export const metrics: readonly Metric[] = [
  ...[...accuracyMetrics, ...resourceMetrics].map(
    ({ measure, better = 'lower', ...metric }): Metric => ({
      ...metric,
      better,
      from: { of: 'contender', measure },
    }),
  ),
  ...percentileFamilies.flatMap(percentileMetrics),
  ...(['wer', 'cer'] as const).map(
    (rate): Metric => ({
      id: `${rate}.regression`,
      name: rate === 'wer' ? 'change of the word error rate' : 'change of the character error rate',
      unit: 'rateDifference',
      better: 'lower',
      formula: `${rate} of the run - ${rate} of the base, over the utterances that both answered`,
      from: { of: 'comparison', rate },
    }),
  ),
  {
    id: 'failures.regression',
    name: 'change of the failure rate',
    unit: 'rateDifference',
    better: 'lower',
    formula:
      '(requests that failed in the run alone - in the base alone) / paired requests, the n-th request of an utterance with ' +
      'its n-th',
    from: { of: 'failureComparison' },
  },
  ...(Object.keys(speedRegressions) as SpeedMetric[]).map(
    (speed): Metric => ({
      id: `${speed}.regression`,
      name: `relative loss of ${speed}`,
      unit: 'relativeDifference',
      better: 'lower',
      formula: `${speedRegressions[speed]}, geometric mean over runs, as a share; positive is worse`,
      from: { of: 'speedComparison', speed },
    }),
  ),
]

export function findMetric(idOrAlias: string): Metric | null {
  const name = idOrAlias.toLowerCase()
  return metrics.find(({ id, aliases = [] }) => id === name || aliases.includes(name)) ?? null
}

/** Whether a busy machine changes a metric: times, speeds and energy, but hardly the server's processor time. */
export function isTimed(id: string): boolean {
  const unit = findMetric(id)?.unit
  return unit === 'ms' || unit === 'times' || unit === 'joulesPerHour' || id.startsWith('rtf.')
}

/** Makes the metric of recall or precision of keywords, from the vocabulary and the corpus. */
function keywordMetric(share: 'recall' | 'precision', formula: string): ContenderMetric {
  return {
    id: `keyword.${share}`,
    name: `keyword ${share}`,
    unit: 'rate',
    better: 'higher',
    formula,
    column: `keyword_${share}_rate`,
    measure({ contender }, { errorAnalyses }) {
      const keywords = errorAnalyses.find(({ contenderId }) => contenderId === contender.id)?.keywords ?? null
      if (keywords === null) return { value: null, reason: 'no vocabulary and no keywords were given' }
      const { rate, interval } = keywords[share]
      return rate === null ? { value: null, reason: 'no keyword occurred' } : { value: rate, interval }
    },
  }
}

function rateWithInterval(
  rate: { readonly rate: number | null; readonly interval: Interval | null },
  requestCount: number,
): Measurement {
  if (rate.rate !== null) return { value: rate.rate, interval: rate.interval }
  return { value: null, reason: requestCount === 0 ? nothingScored : noWords }
}

function figure(value: number | null, reason: string): Measurement {
  return value === null ? { value, reason } : { value, interval: null }
}

function withoutInterval(
  figure: { readonly value: number } | { readonly value: null; readonly reason: string },
): Measurement {
  return figure.value === null ? figure : { value: figure.value, interval: null }
}

function percentileMetrics({ id, name, unit = 'ms', formula, of }: PercentileFamily): readonly Metric[] {
  const column = id.replace('phase.', '').replaceAll(/[.-]/g, '_')
  const set = (contender: ContenderEvaluation): PercentileSet =>
    isPhase(of) ? contender.phases[of] : contender[of]
  const sample = (row: UtteranceEvaluation): number | null => {
    if (!isPhase(of)) return takenTime(row, of)
    const taken = row.phases?.[of] ?? null
    // 0 is a request on an open connection.
    return of === 'connectMs' && taken === 0 ? null : taken
  }
  return percentileNames.map((percentile) => ({
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

function isPhase(of: PercentileFamily['of']): of is keyof RequestPhases {
  return (phaseNames as readonly string[]).includes(of)
}

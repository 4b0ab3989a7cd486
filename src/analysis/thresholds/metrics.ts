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

const asrTradition =
  'McCowan et al. 2004, "On the use of information retrieval measures for speech recognition evaluation"'
const nothingScored = 'nothing was scored'
const noWords = 'the references hold no words'

const accuracyMetrics: readonly Metric[] = [
  {
    id: 'wer',
    aliases: [],
    name: 'word error rate',
    unit: 'rate',
    better: 'lower',
    formula: '(S + D + I) / (H + S + D), sums over all scored requests',
    source: asrTradition,
    reading:
      'Wrong, missing and additional words for every hundred words that were said. Over 100% where more was added ' +
      'than said. It covers the answered requests only; coverage is next to it. Where no error occurred there is ' +
      'no interval, because resampling finds none either; with no error in n utterances, about 3/n of others may have one.',
    column: 'wer_rate',
    from: contenderFigure(({ words, scoredCount }) => rateWithInterval(words, scoredCount)),
  },
  {
    id: 'cer',
    aliases: [],
    name: 'character error rate',
    unit: 'rate',
    better: 'lower',
    formula:
      '(S + D + I) / (H + S + D) over graphemes; spaces included, except with the profiles of languages without spaces',
    source: asrTradition,
    reading:
      'As the word error rate, letter by letter. For scripts without spaces (Chinese, Japanese, Thai) it comes first, and ' +
      'contenders are ranked by it.',
    column: 'cer_rate',
    from: contenderFigure(({ characters, scoredCount }) => rateWithInterval(characters, scoredCount)),
  },
  {
    id: 'wer.all',
    aliases: [],
    name: 'word error rate with failures as empty transcripts',
    unit: 'rate',
    better: 'lower',
    formula:
      'as wer, every request that failed counted as an empty transcript; what was not sent is in no sum',
    source: 'a request that fails leaves its user without any text; contenders are ranked by this',
    reading: 'Equal to wer where everything was answered. A large distance from it means many failures.',
    column: 'wer_all_rate',
    from: contenderFigure(({ wordsWithFailuresAsEmpty, counts }) =>
      rateWithInterval(wordsWithFailuresAsEmpty, counts.answered + counts.failed),
    ),
  },
  {
    id: 'cer.all',
    aliases: [],
    name: 'character error rate with failures as empty transcripts',
    unit: 'rate',
    better: 'lower',
    formula:
      'as cer, every request that failed counted as an empty transcript; what was not sent is in no sum',
    source: 'a request that fails leaves its user without any text',
    reading: 'Where the character error rate comes first, contenders are ranked by this.',
    column: 'cer_all_rate',
    from: contenderFigure(({ charactersWithFailuresAsEmpty: rate, counts }) =>
      rate === undefined
        ? { value: null, reason: 'not in a score of this version' }
        : rateWithInterval(rate, counts.answered + counts.failed),
    ),
  },
  {
    id: 'wer.mean',
    aliases: [],
    name: 'mean of the utterances’ own word error rates',
    unit: 'rate',
    better: 'lower',
    formula: 'mean over utterances of (S + D + I) / (H + S + D)',
    source: 'shown because other programs report it; short utterances weigh as much as long ones',
    reading: 'A second opinion only: one short hallucinated clip can rule it. Nothing is ranked by it.',
    column: 'wer_mean_rate',
    from: contenderFigure(({ meanUtteranceWordErrorRate }) => figure(meanUtteranceWordErrorRate, noWords)),
  },
  {
    id: 'ser',
    aliases: [],
    name: 'sentence error rate',
    unit: 'rate',
    better: 'lower',
    formula: 'scored requests with at least one word error / scored requests',
    source: asrTradition,
    reading: 'How often a transcript needs any correction at all. Long utterances nearly always do.',
    column: 'ser_rate',
    from: contenderFigure(({ sentenceErrorRate }) => figure(sentenceErrorRate, nothingScored)),
  },
  keywordMetric(
    'recall',
    'keywords found / keywords spoken',
    'How many of the words that matter got through.',
  ),
  keywordMetric(
    'precision',
    'keywords found / keywords recognised',
    'How many of the words that matter were said where they were written. A low one invents names.',
  ),
  {
    id: 'coverage',
    aliases: [],
    name: 'coverage',
    unit: 'rate',
    better: 'higher',
    formula: 'scored requests / planned requests',
    source: 'a rate without its denominator says nothing',
    reading:
      'Below 100% the rates speak of a part of the corpus. The run is not valid where more requests failed than were ' +
      'answered.',
    column: 'coverage_rate',
    from: contenderFigure(({ coverage }) => figure(coverage, 'nothing was planned')),
  },
  {
    id: 'failures',
    aliases: [],
    name: 'failure rate',
    unit: 'rate',
    better: 'lower',
    formula: 'failed requests / (answered + failed requests)',
    source: 'failed requests are counted, never dropped and never scored as silence',
    reading: 'Refusals, time-outs, broken connections and unreadable answers. "No speech" is an answer.',
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
    source:
      'ratio of sums; steady window from the first completion to the last start of a block, with one in flight the whole ' +
      'block',
    reading:
      'Seconds of speech transcribed per second, by the whole system under this load: 20× means an hour of speech in ' +
      'three minutes. Ramp and drain of a block are excluded.',
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
    source:
      'ratio of sums; the counter of the operating system (/proc, ps, Win32_Process), read at both ends of every block',
    reading:
      'What a machine has to give for a second of speech: at 0.05, one processor carries twenty people who speak at once. ' +
      'Neighbours that slow a server down hardly change it, so it is the figure to compare on shared machines. Absent ' +
      'where the server runs elsewhere.',
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
    source:
      'ratio of sums; counters of the processor (RAPL, https://docs.kernel.org/power/powercap/powercap.html), power of graphics ' +
      'processors and of a battery',
    reading:
      'What the machine takes for an hour of audio: 3,600 J are one watt-hour. The idle power is part of it, and so is what other ' +
      'programs take. The report says what it covers: processors, their memory and graphics processors, as far as each can be ' +
      'read, or the whole machine on its battery. Compare figures of one machine with the same coverage only.',
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
    source: 'the API answers ok with the text unchanged where a provider failed',
    reading:
      'How often a language model really edited the text. What came back unchanged is an answer all the same, and is ' +
      'compared with its reference: wer and cer are then the distance of what the user got from what it should have been.',
    column: 'post_processed_rate',
    from: contenderFigure(({ postProcessedRate }) => figure(postProcessedRate, 'nothing was post-processed')),
  },
  {
    id: 'leak',
    aliases: [],
    name: "growth of the server's memory",
    unit: 'megabytesPerHour',
    better: 'lower',
    formula: "Theil and Sen's slope of resident memory over the audio answered so far, over all contenders",
    source: 'Sen 1968, doi:10.1080/01621459.1968.10480934; memory of the server and its children',
    reading:
      'Megabytes that the server keeps for every hour of audio. An interval that holds 0 is no leak. Absent below a ' +
      'minute or 0.1 hours of audio, where a slope says what the last garbage collection did. One figure for the run: ' +
      'contenders share the memory.',
    column: 'server_megabytes_per_audio_hour',
    from: contenderFigure((_, { resources: { server } }) => withoutInterval(server.megabytesPerAudioHour)),
  },
  {
    id: 'first-request',
    aliases: [],
    name: 'first request',
    unit: 'ms',
    better: 'lower',
    formula: 'service time of the first warm-up request',
    source: 'kept apart, because it carries the loading of the model and would spoil every average',
    reading: 'What the first dictation after a start may cost. One sample: no interval.',
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
    source: 'cold and warm are apart: neither is averaged into the other',
    reading: 'About 0 where the model was loaded before the run began. One sample: no interval.',
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
    source: 'time to capacity; the time that other contenders had in between does not count',
    reading:
      'How long a fresh server is slower than it will be, loading included. About 0 where it was warm before the run. ' +
      'Closed loads only, with three answers to each utterance. One sample: no interval.',
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
    reading:
      'The time until the text is there, for answered requests only, without those of the ramp and the drain (window in ' +
      'utterances.csv). Under an open load, a request that had to wait ' +
      'its turn has waited; under a closed one no request queues, so the two must not be compared. Long audio takes ' +
      'longer: compare it on the same utterances. A threshold counts failed requests as later than any limit.',
    column: 'latency',
    set: ({ latencyMs }) => latencyMs,
    sample: ({ latencyMs }) => latencyMs,
  }),
  ...percentileFamily({
    id: 'first-attempt',
    name: 'latency of the first attempt',
    unit: 'ms',
    formula: 'percentile of last byte received or given up - due or sent, of first attempts alone',
    reading:
      'Where the config declares retries, latency is the whole wait for the text, repeats and the ' +
      'waits between them included. This is what the first attempt took, answered or failed: the difference is what ' +
      'retrying cost. The same as latency where nothing was sent again.',
    column: 'first_attempt',
    set: ({ firstAttemptMs }) => firstAttemptMs,
    sample: firstOfAnswered,
  }),
  ...percentileFamily({
    id: 'service',
    name: 'service time',
    unit: 'ms',
    formula: 'percentile of last byte received - first byte sent',
    reading:
      'How long the server was busy with a request, its own queue included. What latency has beyond it is the time ' +
      'that a request was late; the same as latency under a closed load.',
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
    reading:
      'The client waiting for itself: near 0, or the load has more in flight than the client has sockets.',
    column: 'queue',
    set: ({ phases }) => phases.queueMs,
    sample: (row) => row.phases?.queueMs ?? null,
  }),
  ...percentileFamily({
    id: 'phase.connect',
    name: 'connecting',
    unit: 'ms',
    formula: 'percentile of the time that a new connection took: addresses, TCP and TLS',
    reading: 'Of the requests that needed a new connection; the others went by one that was there.',
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
    reading:
      'The body on its way, the server at work with its own queue, and a round trip of the network: when the body has left this machine, only the operating system knows.',
    column: 'wait',
    set: ({ phases }) => phases.waitMs,
    sample: (row) => row.phases?.waitMs ?? null,
  }),
  ...percentileFamily({
    id: 'phase.download',
    name: 'downloading',
    unit: 'ms',
    formula: 'percentile of the time from the first byte of the answer to the last',
    reading: 'Short for a text; a long one is a server that sends while it decodes, or a slow network.',
    column: 'download',
    set: ({ phases }) => phases.downloadMs,
    sample: (row) => row.phases?.downloadMs ?? null,
  }),
  ...percentileFamily({
    id: 'rtf',
    name: 'real-time factor',
    unit: 'ratio',
    formula: 'percentile of service time / audio length, request by request',
    reading:
      'Below 1 a request is faster than its audio. Short audio has a higher factor; not the inverse of rtfx.',
    column: 'rtf',
    set: ({ realTimeFactor }) => realTimeFactor,
    sample: ({ realTimeFactor }) => realTimeFactor,
  }),
  ...percentileFamily({
    id: 'server.decode',
    name: 'decoding, as the server reports it',
    unit: 'ms',
    formula: 'percentile of timings.decode_ms in the answers',
    reading:
      "The server's own stopwatch around decoding. What latency has beyond it is transport, queue, loading.",
    column: 'server_decode',
    set: ({ serverDecodeMs }) => serverDecodeMs,
    sample: ({ serverDecodeMs }) => serverDecodeMs,
  }),
  ...percentileFamily({
    id: 'server.latency',
    name: 'latency, as the server reports it',
    unit: 'ms',
    formula: 'percentile of latency_ms in the answers',
    reading:
      "The server's own stopwatch around the request. A large distance from latency is transport or queue.",
    column: 'server_latency',
    set: ({ serverLatencyMs }) => serverLatencyMs,
    sample: ({ serverLatencyMs }) => serverLatencyMs,
  }),
]

const regressionMetrics: readonly Metric[] = (['wer', 'cer'] as const).map((rate) => ({
  id: `${rate}.regression`,
  aliases: [],
  name: rate === 'wer' ? 'change of the word error rate' : 'change of the character error rate',
  unit: 'rateDifference',
  better: 'lower',
  formula: `${rate} of the run - ${rate} of the base, over the utterances that both answered`,
  source: 'paired cluster bootstrap: Bisani and Ney 2004, doi:10.1109/ICASSP.2004.1326009',
  reading:
    'In percentage points; positive is worse. A threshold on it fails only when the whole 95% interval lies beyond ' +
    'the limit and at least six utterances differ, so that chance fails no build.',
  from: { of: 'comparison', rate },
}))

const failureRegression: Metric = {
  id: 'failures.regression',
  aliases: [],
  name: 'change of the failure rate',
  unit: 'rateDifference',
  better: 'lower',
  formula:
    '(requests that failed in the run alone - in the base alone) / paired requests, the n-th request of an utterance with ' +
    'its n-th',
  source:
    'exact McNemar test: McNemar 1947, doi:10.1007/BF02295996; interval: Newcombe 1998, Statistics in Medicine 17, 2635',
  reading:
    'In percentage points; positive is worse. What fails on both sides, as a damaged recording, counts for nothing. A ' +
    'threshold on it fails only when the whole 95% interval lies beyond the limit and the test excludes chance, which takes ' +
    'six requests that failed on one side alone. Requests of one burst are not independent: look at when they failed.',
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
    aliases: [],
    name: `relative loss of ${speed}`,
    unit: 'relativeDifference',
    better: 'lower',
    formula: `${speedRegressions[speed]}, geometric mean over runs, as a share; positive is worse`,
    source: 't-interval over pairs of runs: Georges et al. 2007, doi:10.1145/1297027.1297033',
    reading:
      'The unit is the run: with one run a side it is unresolved, unless a calibration of this host says how much equal ' +
      'runs differ. A threshold on it fails only when the whole 95% interval lies beyond the limit.',
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

/** The metric of this id or alias, or null. */
export function findMetric(idOrAlias: string): Metric | null {
  const name = idOrAlias.toLowerCase()
  return metrics.find((metric) => metric.id === name || metric.aliases.includes(name)) ?? null
}

/** Whether a busy machine changes a metric: times, speeds and energy. The processor time of a server it hardly changes. */
export function isTimed(id: string): boolean {
  const unit = findMetric(id)?.unit
  return unit === 'ms' || unit === 'times' || unit === 'joulesPerHour' || id.startsWith('rtf.')
}

/** What was found of a vocabulary, and of the keywords that the corpus gives. */
function keywordMetric(share: 'recall' | 'precision', formula: string, reading: string): Metric {
  return {
    id: `keyword.${share}`,
    aliases: [],
    name: `keyword ${share}`,
    unit: 'rate',
    better: 'higher',
    formula,
    source: 'van Rijsbergen 1979, Information Retrieval, chapter 7',
    reading: `${reading} Keywords are those of the vocabulary (\`--vocabulary\`) and of the corpus.`,
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
  readonly reading: string
  /** Beginning of the names of its columns. */
  readonly column: string
  set(contender: ContenderEvaluation): PercentileSet
  sample(row: UtteranceEvaluation): number | null
}

function percentileFamily(family: PercentileFamily): readonly Metric[] {
  const { id, name, unit, formula, reading, column, set, sample } = family
  return (Object.keys(percentileProbabilities) as PercentileName[]).map((percentile) => ({
    id: `${id}.${percentile}`,
    aliases: [],
    name: `${name}, ${percentile}`,
    unit,
    better: 'lower',
    formula,
    source: 'Hyndman and Fan 1996, type 7; interval by order statistics, Hahn and Meeker 1991',
    reading: `${reading} Shown only where the sample allows an interval: 6 requests for p50, 36 for p90, 72 for p95, 368 for p99.`,
    column: `${column}_${percentile}${unit === 'ms' ? '_ms' : ''}`,
    from: {
      of: 'percentile',
      probability: percentileProbabilities[percentile],
      measure: (contender) => set(contender)[percentile],
      sample,
    },
  }))
}

import { accuracyMetrics } from '../documents/accuracy.ts'
import type { SpeedMetric } from '../documents/contender-comparison.ts'
import type { ContenderEvaluation } from '../documents/contender-evaluation.ts'
import type { UtteranceEvaluation } from '../documents/evaluation.ts'
import { type FigureMetric, withoutInterval } from '../documents/figure.ts'
import {
  type PercentileFamily,
  type PercentileSet,
  percentileNames,
  percentileProbabilities,
  percentileSamples,
  percentileSource,
  phaseFamilies,
  type RequestPhases,
  timeFamilies,
} from '../documents/latency.ts'
import { resourceMetrics } from '../documents/resources.ts'
import { speedMetrics } from '../documents/speed.ts'
import { takenTime } from '../requests/request-times.ts'
import type { Metric } from './metric.ts'

const speedRegressions: Readonly<Record<SpeedMetric, string>> = {
  latency: 'mean logarithm of run / base, utterance against utterance',
  'latency.p50': 'run / base of the p50',
  'latency.p95': 'run / base of the p95',
  'latency.fixed': 'run / base of the fixed cost a in latency = a + b · seconds (robust, relative noise)',
  'latency.slope':
    'run / base of the cost b of a second of audio in latency = a + b · seconds (robust, relative noise)',
  rtfx: '1 - run / base of the system speed',
}

/** All metrics of tables, thresholds and reports. Those of a contender's figures are next to the schemas of their fields. */
export const metrics: readonly Metric[] = [
  ...accuracyMetrics.map(ofContender),
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
  ...[...speedMetrics, ...resourceMetrics].map(ofContender),
  {
    id: 'leak',
    name: "growth of the server's memory",
    unit: 'megabytesPerHour',
    formula: "Theil and Sen's slope of resident memory over the audio answered so far, over all contenders",
    source: 'Sen 1968, doi:10.1080/01621459.1968.10480934; memory of the server and its children',
    reading:
      'Megabytes that the server keeps for every hour of audio. An interval that holds 0 is no leak. ' +
      'Absent below a minute or 0.1 hours of audio, where a slope says what the last garbage collection ' +
      'did. One figure for the run: contenders share the memory.',
    better: 'lower',
    column: 'server_megabytes_per_audio_hour',
    from: {
      of: 'contender',
      measure: (_, { resources: { server } }) => withoutInterval(server.megabytesPerAudioHour),
    },
  },
  ...timeFamilies.flatMap((family) => percentileMetrics(family, (contender, of) => contender[of], takenTime)),
  ...phaseFamilies.flatMap((family) => percentileMetrics(family, ({ phases }, of) => phases[of], takenPhase)),
  ...(['wer', 'cer'] as const).map(
    (rate): Metric => ({
      id: `${rate}.regression`,
      name: rate === 'wer' ? 'change of the word error rate' : 'change of the character error rate',
      unit: 'rateDifference',
      better: 'lower',
      formula: `${rate} of the run - ${rate} of the base, over the utterances that both answered`,
      source: 'paired cluster bootstrap: Bisani and Ney 2004, doi:10.1109/ICASSP.2004.1326009',
      reading:
        'In percentage points; positive is worse. A threshold on it fails only when the whole 95% ' +
        'interval lies beyond the limit and at least six utterances differ, so that chance fails no ' +
        'build.',
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
    source:
      'exact McNemar test: McNemar 1947, doi:10.1007/BF02295996; interval: Newcombe 1998, Statistics in ' +
      'Medicine 17, 2635',
    reading:
      'In percentage points; positive is worse. What fails on both sides, as a damaged recording, counts ' +
      'for nothing. A threshold on it fails only when the whole 95% interval lies beyond the limit and ' +
      'the test excludes chance, which takes six requests that failed on one side alone. Requests of one ' +
      'burst are not independent: look at when they failed.',
    from: { of: 'failureComparison' },
  },
  ...(Object.keys(speedRegressions) as SpeedMetric[]).map(
    (speed): Metric => ({
      id: `${speed}.regression`,
      name: `relative loss of ${speed}`,
      unit: 'relativeDifference',
      better: 'lower',
      formula: `${speedRegressions[speed]}, geometric mean over runs, as a share; positive is worse`,
      source: 't-interval over pairs of runs: Georges et al. 2007, doi:10.1145/1297027.1297033',
      reading:
        'The unit is the run: with one run a side it is unresolved, unless a calibration of this host ' +
        'says how much equal runs differ. A threshold on it fails only when the whole 95% interval lies ' +
        'beyond the limit.',
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

function ofContender({ measure, better = 'lower', ...metric }: FigureMetric<ContenderEvaluation>): Metric {
  return { ...metric, better, from: { of: 'contender', measure } }
}

/** Makes the metric of recall or precision of keywords, from the vocabulary and the corpus. */
function keywordMetric(share: 'recall' | 'precision', formula: string, reading: string): Metric {
  return {
    id: `keyword.${share}`,
    name: `keyword ${share}`,
    unit: 'rate',
    better: 'higher',
    formula,
    source: 'van Rijsbergen 1979, Information Retrieval, chapter 7',
    reading: `${reading} Keywords are those of the vocabulary (\`--vocabulary\`) and of the corpus.`,
    column: `keyword_${share}_rate`,
    from: {
      of: 'contender',
      measure({ contender }, { errorAnalyses }) {
        const keywords =
          errorAnalyses.find(({ contenderId }) => contenderId === contender.id)?.keywords ?? null
        if (keywords === null) return { value: null, reason: 'no vocabulary and no keywords were given' }
        const { rate, interval } = keywords[share]
        return rate === null ? { value: null, reason: 'no keyword occurred' } : { value: rate, interval }
      },
    },
  }
}

function percentileMetrics<Field extends string>(
  { of, ...family }: PercentileFamily<Field>,
  percentiles: (contender: ContenderEvaluation, of: Field) => PercentileSet,
  sample: (row: UtteranceEvaluation, of: Field) => number | null,
): readonly Metric[] {
  const { id, name, unit, reading } = family
  const column = id.replace('phase.', '').replaceAll(/[.-]/g, '_')
  return percentileNames.map((percentile) => ({
    ...family,
    id: `${id}.${percentile}`,
    name: `${name}, ${percentile}`,
    better: 'lower',
    source: percentileSource,
    reading: `${reading} ${percentileSamples}`,
    column: `${column}_${percentile}${unit === 'ms' ? '_ms' : ''}`,
    from: {
      of: 'percentile',
      probability: percentileProbabilities[percentile],
      measure: (contender) => percentiles(contender, of)[percentile],
      sample: (row) => sample(row, of),
    },
  }))
}

function takenPhase({ phases }: UtteranceEvaluation, of: keyof RequestPhases): number | null {
  const durationMs = phases?.[of] ?? null
  // 0 is a request on an open connection.
  return of === 'connectMs' && durationMs === 0 ? null : durationMs
}

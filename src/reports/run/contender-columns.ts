import { type ContenderEvaluation, contenderEvaluationSchema } from '#analysis/documents/contender-evaluation'
import { type Evaluation, evaluationSchema, scoreName } from '#analysis/documents/evaluation'
import type { MetricUnit } from '#analysis/documents/figure'
import { type PercentileName, percentileNames } from '#analysis/documents/latency'
import { failureText } from '#analysis/figures/failure-groups'
import { isTwoSided } from '#analysis/metrics/metric'
import { findMetric, metrics } from '#analysis/metrics/metrics'
import { lazily, settingsInWords } from '#prelude'
import { leadingFirst, rateMetrics } from '#scoring/counts'
import type { ErrorLevel } from '#scoring/profiles/profile'
import { cellAt, describedFields, type FileCell, type PathOf } from '../layout/schema-columns.ts'
import { type Column, columnsOf, type ShownColumn } from '../layout/table.ts'
import {
  absent,
  capitalised,
  formatCount,
  formatDollars,
  formatJoules,
  formatMeasured,
  formatPercent,
  incomparableMark,
  marked,
  rateWords,
} from '../layout/units.ts'
import { reusedNote } from './details/detail-table.ts'

export interface ContenderRow {
  readonly evaluation: Evaluation
  readonly contender: ContenderEvaluation
}

/** A column with its description for `docs/results-format.md`. */
interface ContenderColumn extends Column<ContenderRow> {
  describe(): string
}

type ContenderColumns = readonly ContenderColumn[]

type Look = Partial<ShownColumn<ContenderRow>>

const { column, file, rateInterval, text } = columnsOf<ContenderRow>()

/**
 * Every column that a table of contenders may show, in the order of `summary.csv`: the leading rate first. Terminal,
 * Markdown, JUnit and page each select and order these definitions. Rates are 0..1 except on screens. A metric
 * without an entry here comes last.
 */
export function contenderColumns(leads: ErrorLevel): ContenderColumns {
  const placed = [
    ...runColumns,
    ...countColumns,
    ...leadingFirst(leads).flatMap((level) => rateColumns(level, level === leads)),
    ...leadingFirst(leads).map(rateOfAllColumn),
    ...otherRateColumns,
    ...latencyColumns,
    ...repeatColumns,
    ...speedColumns,
    ...resourceColumns,
    ...coldColumns,
    ...phaseColumns,
    ...costColumns,
  ]
  const names = new Set(placed.map(({ name }) => name))
  const others = metrics.filter(({ column }) => column !== undefined && !names.has(column))
  return [...placed, ...others.map(({ id }) => metricColumn(id))]
}

const runFields = lazily(() => describedFields(evaluationSchema))
const contenderFields = lazily(() => describedFields(contenderEvaluationSchema))

/** A column of a document value, described by its schema. */
function ofRun(name: string, path: PathOf<Evaluation>): ContenderColumn {
  const value = ({ evaluation }: ContenderRow): FileCell => cellAt(evaluation, path.split('.'))
  return { ...file(name, value), describe: () => runFields().get(path)?.description ?? '' }
}

function ofContender(name: string, path: PathOf<ContenderEvaluation>): ContenderColumn {
  const value = ({ contender }: ContenderRow): FileCell => cellAt(contender, path.split('.'))
  return { ...file(name, value), describe: () => contenderFields().get(path)?.description ?? '' }
}

/** A column of a value that is in no document. */
function described(description: string, base: Column<ContenderRow>): ContenderColumn {
  return { ...base, describe: () => description }
}

/** A metric, described by the table of metrics. Without a look, such as its heading, only files have the column. */
function metricColumn(id: string, look: Look | null = null): ContenderColumn {
  const metric = findMetric(id)
  if (metric?.column === undefined || isTwoSided(metric.from)) throw new TypeError(`${id} has no column`)
  const { name, formula, unit, from } = metric
  const meaning = `${name}: ${formula}`
  return described(
    `${capitalised(name)}. ${capitalised(formula)}.`,
    column(
      metric.column,
      ({ contender, evaluation }) => from.measure(contender, evaluation).value,
      (value) => formatCell(value, unit),
      look && { meaning, ...look },
    ),
  )
}

/** A value formatted shorter than elsewhere, because the heading names the quantity. */
function formatCell(value: number, unit: MetricUnit): string {
  if (unit === 'rate') return formatPercent(value)
  return unit === 'joulesPerHour' ? formatJoules(value) : formatMeasured(value, unit)
}

/** A metric that other load on the machine affects: marked if it does not show which contender is faster. */
function speedColumn(id: string, look: Look): ContenderColumn {
  const { shown, ...inFiles } = metricColumn(id, look)
  const cell = (row: ContenderRow): string =>
    marked(shown?.cell(row) ?? absent, incomparableMark(row.evaluation.speeds))
  return { ...inFiles, shown: shown && { ...shown, cell } }
}

/** The percentiles of a metric; people see those with a look. */
function percentileColumns(
  family: string,
  looks: Partial<Readonly<Record<PercentileName, Look>>> = {},
): ContenderColumns {
  return percentileNames.map((percentile) => {
    const look = looks[percentile]
    const id = `${family}.${percentile}`
    return look === undefined ? metricColumn(id) : speedColumn(id, look)
  })
}

/** A count of the document that people see too. */
function countColumn(
  base: ContenderColumn,
  count: (contender: ContenderEvaluation) => number,
  look: Look,
): ContenderColumn {
  const { shown } = column(base.name, ({ contender }) => count(contender), formatCount, look)
  return { ...base, shown, describe: () => look.meaning ?? base.describe() }
}

const runColumns: ContenderColumns = [
  ofRun('run', 'run.id'),
  ofRun('started_at', 'run.startedAt'),
  ofRun('validity', 'validity'),
  described(
    'Short name of the contender.',
    text('contender', ({ contender }) => contender.contender.id, {
      kind: 'contender',
      tone: () => 'strong',
      note: ({ evaluation, contender }) => reusedNote(evaluation.contenders, contender.contender.id),
    }),
  ),
  ofContender('engine', 'contender.engine'),
  ofContender('model', 'contender.model'),
  ofContender('language', 'contender.language'),
  ofRun('corpus', 'corpus.name'),
  ofRun('corpus_fingerprint', 'corpus.fingerprint'),
  ofRun('profile', 'profile.id'),
  ofRun('profile_fingerprint', 'profile.fingerprint'),
  described(
    'Name of the score: the profile, and the fingerprint of all that decides it.',
    file('score', ({ evaluation }) => scoreName(evaluation)),
  ),
  ofRun('load', 'load.description'),
  described(
    "Requests in flight at once: the contender's own number, else that of the load; empty where neither fixes it.",
    file(
      'concurrency',
      ({ evaluation, contender }) => contender.contender.concurrency ?? evaluation.load.concurrency,
    ),
  ),
  described(
    'Options of the engine or provider in effect, as `name=value`.',
    file(
      'options',
      ({ contender }) =>
        settingsInWords({ ...contender.contender.defaultOptions, ...contender.contender.options }) || null,
    ),
  ),
  ofContender('threads', 'contender.threads'),
  ofContender('transport', 'contender.transport'),
  ofRun('rounds', 'rounds'),
]

const isIncomplete = ({ contender: { counts } }: ContenderRow): boolean => counts.answered < counts.planned
const hasFailed = ({ contender: { counts } }: ContenderRow): boolean => counts.failed > 0

const countColumns: ContenderColumns = [
  described('Requests of the plan, without the warm-up.', ofContender('planned', 'counts.planned')),
  countColumn(ofContender('answered', 'counts.answered'), ({ counts }) => counts.answered, {
    header: 'answered',
    meaning: 'requests that were answered and scored, of those that were planned',
    cell: ({ contender: { counts } }) => `${formatCount(counts.answered)} of ${formatCount(counts.planned)}`,
    tone: (row) => (isIncomplete(row) ? 'caution' : null),
    isNeeded: isIncomplete,
  }),
  countColumn(ofContender('failed', 'counts.failed'), ({ counts }) => counts.failed, {
    header: 'failed',
    meaning: 'requests without an answer: counted, never scored',
    dropOrder: 5,
    tone: (row) => (hasFailed(row) ? 'bad' : null),
    isNeeded: hasFailed,
  }),
  described(
    'Answers of earlier runs among `answered`.',
    file('reused', ({ contender }) => contender.reused?.count ?? 0),
  ),
  described(
    'What failed and how often, the most frequent first.',
    file('failures', ({ contender }) => contender.failures.map(failureText).join('; ') || null),
  ),
  ofContender('dropped', 'counts.dropped'),
  ofContender('not_sent', 'counts.notSent'),
  ofContender('scored', 'scoredCount'),
  ofContender('no_speech', 'noSpeechCount'),
  metricColumn('coverage'),
  metricColumn('failures'),
  ofContender('utterances', 'utteranceCount'),
  ofContender('speakers', 'speakerCount'),
]

function rateColumns(level: ErrorLevel, isLeading: boolean): ContenderColumns {
  const metric = rateMetrics[level]
  const { short, long, unit } = rateWords[level]
  const count = (kind: 'hits' | 'substitutions' | 'deletions' | 'insertions'): ContenderColumn =>
    ofContender(`${unit}_${kind}`, `${level}.counts.${kind}`)
  const errors = (kind: 'substitutions' | 'deletions' | 'insertions', header: string): ContenderColumn =>
    countColumn(count(kind), (contender) => contender[level].counts[kind], {
      header,
      meaning: `${unit}s with this kind of error`,
      dropOrder: 3,
    })
  const meaning = `where the ${long} would lie with other utterances of the same kind`
  return [
    metricColumn(metric, {
      header: short,
      dropOrder: isLeading ? 0 : 2,
      tone: () => (isLeading ? 'strong' : null),
    }),
    ...rateInterval(metric, ({ contender }) => contender[level].interval, { meaning }).map((bound, index) =>
      described(`${index === 0 ? 'Lower' : 'Upper'} end of the 95% interval: ${meaning}.`, bound),
    ),
    countColumn(
      ofContender(`reference_${level}`, `${level}.referenceLength`),
      (contender) => contender[level].referenceLength,
      { header: `${unit}s`, meaning: `${unit}s of the references that were scored` },
    ),
    count('hits'),
    errors('substitutions', 'sub'),
    errors('deletions', 'del'),
    errors('insertions', 'ins'),
  ]
}

function rateOfAllColumn(level: ErrorLevel): ContenderColumn {
  return metricColumn(`${rateMetrics[level]}.all`, {
    header: `${rateWords[level].short} of all`,
    isNeeded: hasFailed,
  })
}

const otherRateColumns: ContenderColumns = [
  metricColumn('wer.mean'),
  metricColumn('ser'),
  ofContender('left_out_ramp', 'leftOut.rampCount'),
  ofContender('left_out_drain', 'leftOut.drainCount'),
]

const latencyColumns: ContenderColumns = [
  ...percentileColumns('latency', {
    p50: { header: 'p50' },
    p90: { header: 'p90' },
    p95: { header: 'p95', dropOrder: 1 },
    p99: { header: 'p99' },
  }),
  ofRun('latency_counts_from', 'load.latencyCountsFrom'),
]

const repeatColumns: ContenderColumns = [
  ofContender('sent_again', 'sentAgain.requestCount'),
  ofContender('sent_again_answered', 'sentAgain.answeredCount'),
  ofContender('rate_limit_refused', 'rateLimit.refusedCount'),
  ofContender('rate_limit_wait_seconds', 'rateLimit.waitedSeconds'),
  ...percentileColumns('first-attempt'),
  ...percentileColumns('service'),
]

const speedColumns: ContenderColumns = [
  ...percentileColumns('rtf', { p50: { header: 'RTF p50', dropOrder: 4 } }),
  speedColumn('rtfx', { header: 'speed' }),
  ofContender('steady_audio_seconds', 'systemSpeed.audioSeconds'),
  ofContender('steady_window_seconds', 'systemSpeed.windowSeconds'),
  ...percentileColumns('server.decode', { p50: { header: 'decoding p50' } }),
  ...percentileColumns('server.latency', { p50: { header: 'server p50' } }),
]

const resourceColumns: ContenderColumns = [
  metricColumn('cpu', {
    header: 'CPU/audio',
    dropOrder: 6,
    isNeeded: ({ contender }) => contender.cpuSecondsPerAudioSecond.value !== null,
  }),
  ofRun('server_resident_bytes', 'resources.server.residentBytes'),
  ofRun('server_peak_resident_bytes', 'resources.server.peakResidentBytes'),
  metricColumn('leak'),
  ofRun('host_foreign_processors', 'resources.host.foreignProcessors'),
  speedColumn('energy', {
    header: 'energy/h',
    dropOrder: 7,
    isNeeded: ({ contender }) => contender.energy?.value != null,
  }),
  described(
    'Parts of the machine whose energy was read.',
    file('energy_covers', ({ contender: { energy } }) =>
      energy === undefined || energy.value === null ? null : energy.covers.join(' '),
    ),
  ),
  ofRun('gpu_busy_rate', 'resources.gpu.busyRate'),
  ofRun('gpu_memory_bytes', 'resources.gpu.memoryBytes'),
  described(
    'Mean power of all graphics processors together, in watts; empty where one of them does not report it.',
    file('gpu_power_watts', ({ evaluation }) => gpuPowerWatts(evaluation)),
  ),
  metricColumn('post-processed', {
    header: 'edited',
    isNeeded: ({ contender }) => contender.postProcessedRate !== null,
  }),
]

function gpuPowerWatts({ resources: { gpu } }: Evaluation): number | null {
  const watts = (gpu?.devices ?? []).map(({ powerWatts }) => powerWatts)
  const readings = watts.filter((value) => value !== null)
  return readings.length < watts.length || readings.length === 0
    ? null
    : readings.reduce((sum, value) => sum + value, 0)
}

const coldColumns: ContenderColumns = [
  metricColumn('first-request', { header: 'first request' }),
  metricColumn('loading'),
  metricColumn('until-steady'),
  ofContender('warm_up_requests', 'warmUp.requestCount'),
]

const phaseColumns: ContenderColumns = ['queue', 'connect', 'wait', 'download'].flatMap((phase) =>
  percentileColumns(`phase.${phase}`),
)

const usdPerAudioHour = 'US dollars for an hour of audio, by the prices of the config'

const costColumns: ContenderColumns = [
  described(
    usdPerAudioHour,
    column('usd_per_audio_hour', ({ contender }) => contender.cost?.usdPerAudioHour, formatDollars, {
      header: 'USD/h',
      meaning: usdPerAudioHour,
      isNeeded: ({ contender }) => contender.cost !== null,
    }),
  ),
  described(
    'US dollars for the audio that was sent, repeats included.',
    ofContender('spent_usd', 'cost.usd'),
  ),
]

import {
  type ContenderEvaluation,
  type Evaluation,
  failureText,
  findMetric,
  type PercentileSet,
  scoreName,
} from '#analysis'
import { settingsInWords } from '#prelude'
import { type ErrorLevel, leadingFirst, rateMetrics, rateOfAll } from '#scoring'
import {
  type Column,
  column,
  countColumn,
  fileColumn,
  intervalColumns,
  type Look,
  millisecondsColumn,
  rateColumn,
  textColumn,
} from '../layout/table.ts'
import {
  formatCount,
  formatDollars,
  formatFactor,
  formatJoules,
  formatMilliseconds,
  formatTimes,
  orAbsent,
  rateWords,
} from '../layout/units.ts'
import { reusedNote } from './details/detail-table.ts'
import { incomparableMark, marked } from './words.ts'

/** A contender with the run that it belongs to. */
export interface ContenderRow {
  readonly evaluation: Evaluation
  readonly contender: ContenderEvaluation
}

type ContenderColumns = readonly Column<ContenderRow>[]

/**
 * Everything that a table of contenders may show, in the order of `summary.csv`: the leading rate first. Terminal, Markdown,
 * JUnit and page read these definitions, each in its order. Rates are 0..1, as everywhere but on screens.
 */
export const contenderColumns = (leads: ErrorLevel): ContenderColumns => [
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

const file = fileColumn<ContenderRow>

const runColumns: ContenderColumns = [
  file('run', ({ evaluation }) => evaluation.run.id),
  file('started_at', ({ evaluation }) => evaluation.run.startedAt),
  file('validity', ({ evaluation }) => evaluation.validity),
  textColumn(
    'contender',
    {
      header: 'contender',
      kind: 'contender',
      tone: () => 'strong',
      note: ({ evaluation, contender }) => reusedNote(evaluation.contenders, contender.contender.id),
    },
    ({ contender }) => contender.contender.id,
  ),
  file('engine', ({ contender }) => contender.contender.engine),
  file('model', ({ contender }) => contender.contender.model),
  file('language', ({ contender }) => contender.contender.language),
  file('corpus', ({ evaluation }) => evaluation.corpus.name),
  file('corpus_fingerprint', ({ evaluation }) => evaluation.corpus.fingerprint),
  file('profile', ({ evaluation }) => evaluation.profile.id),
  file('profile_fingerprint', ({ evaluation }) => evaluation.profile.fingerprint),
  file('score', ({ evaluation }) => scoreName(evaluation)),
  file('load', ({ evaluation }) => evaluation.load.description),
  file(
    'concurrency',
    ({ evaluation, contender }) => contender.contender.concurrency ?? evaluation.load.concurrency,
  ),
  file(
    'options',
    ({ contender }) =>
      settingsInWords({ ...contender.contender.defaultOptions, ...contender.contender.options }) || null,
  ),
  file('threads', ({ contender }) => contender.contender.threads ?? null),
  file('transport', ({ contender }) => contender.contender.transport ?? null),
  file('rounds', ({ evaluation }) => evaluation.rounds),
]

const isIncomplete = ({ contender: { counts } }: ContenderRow): boolean => counts.answered < counts.planned
const hasFailed = ({ contender: { counts } }: ContenderRow): boolean => counts.failed > 0

const countColumns: ContenderColumns = [
  file('planned', ({ contender }) => contender.counts.planned),
  countColumn(
    'answered',
    {
      header: 'answered',
      meaning: 'requests that were answered and scored, of those that were planned',
      cell: ({ contender: { counts } }) =>
        `${formatCount(counts.answered)} of ${formatCount(counts.planned)}`,
      tone: (row) => (isIncomplete(row) ? 'caution' : null),
      isNeeded: isIncomplete,
    },
    ({ contender }) => contender.counts.answered,
  ),
  countColumn(
    'failed',
    {
      header: 'failed',
      meaning: 'requests without an answer: counted, never scored',
      dropOrder: 5,
      tone: (row) => (hasFailed(row) ? 'bad' : null),
      isNeeded: hasFailed,
    },
    ({ contender }) => contender.counts.failed,
  ),
  file('reused', ({ contender }) => contender.reused?.count ?? 0),
  file('failures', ({ contender }) => contender.failures.map(failureText).join('; ') || null),
  file('dropped', ({ contender }) => contender.counts.dropped),
  file('not_sent', ({ contender }) => contender.counts.notSent),
  file('scored', ({ contender }) => contender.scoredCount),
  file('no_speech', ({ contender }) => contender.noSpeechCount),
  file('coverage_rate', ({ contender }) => contender.coverage),
  file('failure_rate', ({ contender }) => contender.failureRate),
  file('utterances', ({ contender }) => contender.utteranceCount),
  file('speakers', ({ contender }) => contender.speakerCount),
]

/** An error rate with its interval and its counts. */
function rateColumns(level: ErrorLevel, isLeading: boolean): ContenderColumns {
  const metric = rateMetrics[level]
  const { short, long, unit } = rateWords[level]
  const errors = (kind: 'hits' | 'substitutions' | 'deletions' | 'insertions', header: string | null) =>
    countColumn<ContenderRow>(
      `${unit}_${kind}`,
      header === null ? null : { header, meaning: `${unit}s with this kind of error`, dropOrder: 3 },
      ({ contender }) => contender[level].counts[kind],
    )
  return [
    rateColumn(
      `${metric}_rate`,
      {
        header: short,
        meaning: meaningOf(metric),
        dropOrder: isLeading ? 0 : 2,
        tone: () => (isLeading ? 'strong' : null),
      },
      ({ contender }) => contender[level].rate,
    ),
    ...intervalColumns<ContenderRow>(metric, ({ contender }) => contender[level].interval, {
      meaning: `where the ${long} would lie with other utterances of the same kind`,
    }),
    countColumn(
      `reference_${level}`,
      { header: `${unit}s`, meaning: `${unit}s of the references that were scored` },
      ({ contender }) => contender[level].referenceLength,
    ),
    errors('hits', null),
    errors('substitutions', 'sub'),
    errors('deletions', 'del'),
    errors('insertions', 'ins'),
  ]
}

function rateOfAllColumn(level: ErrorLevel): Column<ContenderRow> {
  const metric = rateMetrics[level]
  const look = { header: `${rateWords[level].short} of all`, meaning: meaningOf(`${metric}.all`) }
  return rateColumn(
    `${metric}_all_rate`,
    { ...look, isNeeded: hasFailed },
    ({ contender }) => rateOfAll(contender, level).rate,
  )
}

const otherRateColumns: ContenderColumns = [
  file('wer_mean_rate', ({ contender }) => contender.meanUtteranceWordErrorRate),
  file('ser_rate', ({ contender }) => contender.sentenceErrorRate),
  file('left_out_ramp', ({ contender }) => contender.leftOut.rampCount),
  file('left_out_drain', ({ contender }) => contender.leftOut.drainCount),
]

const latencyColumns: ContenderColumns = [
  ...percentileColumns('latency', ({ latencyMs }) => latencyMs, {
    metric: 'latency',
    looks: {
      p50: { header: 'p50' },
      p90: { header: 'p90' },
      p95: { header: 'p95', dropOrder: 1 },
      p99: { header: 'p99' },
    },
  }),
  file('latency_counts_from', ({ evaluation }) => evaluation.load.latencyCountsFrom),
]

const repeatColumns: ContenderColumns = [
  file('sent_again', ({ contender }) => contender.sentAgain.requestCount),
  file('sent_again_answered', ({ contender }) => contender.sentAgain.answeredCount),
  file('rate_limit_refused', ({ contender }) => contender.rateLimit.refusedCount),
  file('rate_limit_wait_seconds', ({ contender }) => contender.rateLimit.waitedSeconds),
  ...percentileColumns('first_attempt', ({ firstAttemptMs }) => firstAttemptMs),
  ...percentileColumns('service', ({ serviceMs }) => serviceMs),
]

/** What the steady window held; null where there is none. */
const steady =
  (part: 'audioSeconds' | 'windowSeconds') =>
  ({ contender: { systemSpeed } }: ContenderRow): number | null =>
    systemSpeed.value === null ? null : systemSpeed[part]

const speedColumns: ContenderColumns = [
  ...percentileColumns('rtf', ({ realTimeFactor }) => realTimeFactor, {
    metric: 'rtf',
    unit: '',
    format: formatFactor,
    looks: { p50: { header: 'RTF p50', dropOrder: 4 } },
  }),
  speedColumn(
    'rtfx',
    { header: 'speed', meaning: meaningOf('rtfx') },
    ({ contender }) => contender.systemSpeed.value,
    formatTimes,
  ),
  file('steady_audio_seconds', steady('audioSeconds')),
  file('steady_window_seconds', steady('windowSeconds')),
  ...percentileColumns('server_decode', ({ serverDecodeMs }) => serverDecodeMs, {
    metric: 'server.decode',
    looks: { p50: { header: 'decoding p50' } },
  }),
  ...percentileColumns('server_latency', ({ serverLatencyMs }) => serverLatencyMs, {
    metric: 'server.latency',
    looks: { p50: { header: 'server p50' } },
  }),
]

const resourceColumns: ContenderColumns = [
  column(
    'cpu_seconds_per_audio_second',
    {
      header: 'CPU/audio',
      meaning: meaningOf('cpu'),
      dropOrder: 6,
      isNeeded: ({ contender }) => contender.cpuSecondsPerAudioSecond.value !== null,
    },
    ({ contender }) => contender.cpuSecondsPerAudioSecond.value,
    formatFactor,
  ),
  file('server_resident_bytes', ({ evaluation }) => evaluation.resources.server.residentBytes),
  file('server_peak_resident_bytes', ({ evaluation }) => evaluation.resources.server.peakResidentBytes),
  file(
    'server_megabytes_per_audio_hour',
    ({ evaluation }) => evaluation.resources.server.megabytesPerAudioHour.value,
  ),
  file('host_foreign_processors', ({ evaluation }) => evaluation.resources.host.foreignProcessors),
  speedColumn(
    'joules_per_audio_hour',
    {
      header: 'energy/h',
      meaning: meaningOf('energy'),
      dropOrder: 7,
      isNeeded: ({ contender }) => contender.energy?.value != null,
    },
    ({ contender }) => contender.energy?.value ?? null,
    formatJoules,
  ),
  file('energy_covers', ({ contender: { energy } }) =>
    energy === undefined || energy.value === null ? null : energy.covers.join(' '),
  ),
  file('gpu_busy_rate', ({ evaluation }) => evaluation.resources.gpu?.busyRate ?? null),
  file('gpu_memory_bytes', ({ evaluation }) => evaluation.resources.gpu?.memoryBytes ?? null),
  file('gpu_power_watts', ({ evaluation }) => gpuPowerWatts(evaluation)),
  rateColumn(
    'post_processed_rate',
    {
      header: 'edited',
      meaning: meaningOf('post-processed'),
      isNeeded: ({ contender }) => contender.postProcessedRate !== null,
    },
    ({ contender }) => contender.postProcessedRate,
  ),
]

/** Of all devices together; null where one of them does not report it. */
function gpuPowerWatts({ resources: { gpu } }: Evaluation): number | null {
  const watts = (gpu?.devices ?? []).map(({ powerWatts }) => powerWatts)
  const known = watts.filter((value) => value !== null)
  return known.length < watts.length || known.length === 0
    ? null
    : known.reduce((sum, value) => sum + value, 0)
}

const coldColumns: ContenderColumns = [
  millisecondsColumn(
    'first_request_ms',
    { header: 'first request', meaning: meaningOf('first-request') },
    ({ contender }) => contender.firstRequestMs,
  ),
  file('model_loading_ms', ({ contender }) => contender.modelLoadingMs.value),
  file('until_steady_ms', ({ contender }) => contender.untilSteadyMs.value),
]

const phaseColumns: ContenderColumns = [
  ...(['queue', 'connect', 'wait', 'download'] as const).flatMap((phase) =>
    percentileColumns(phase, ({ phases }) => phases[`${phase}Ms`]),
  ),
]

const costColumns: ContenderColumns = [
  column(
    'usd_per_audio_hour',
    {
      header: 'USD/h',
      meaning: 'US dollars for an hour of audio, by the prices of the config',
      isNeeded: ({ contender }) => contender.cost !== null,
    },
    ({ contender }) => contender.cost?.usdPerAudioHour ?? null,
    formatDollars,
  ),
  file('spent_usd', ({ contender }) => contender.cost?.usd ?? null),
]

type PercentileName = 'p50' | 'p90' | 'p95' | 'p99'

/** How people see some of the percentiles of a metric; the others are in files alone. */
interface ShownPercentiles {
  readonly metric: string
  readonly looks: Partial<Readonly<Record<PercentileName, NonNullable<Look<ContenderRow>>>>>
  /** What the names of the columns end with. */
  readonly unit?: string
  format?(value: number): string
}

function percentileColumns(
  name: string,
  set: (contender: ContenderEvaluation) => PercentileSet,
  { metric, looks, unit = '_ms', format = formatMilliseconds }: ShownPercentiles = { metric: '', looks: {} },
): ContenderColumns {
  return (['p50', 'p90', 'p95', 'p99'] as const).map((percentile) => {
    const look = looks[percentile]
    return speedColumn(
      `${name}_${percentile}${unit}`,
      look === undefined ? null : { meaning: meaningOf(`${metric}.${percentile}`), ...look },
      ({ contender }) => set(contender)[percentile].value,
      format,
    )
  })
}

/** A figure that other programs change: marked where it says nothing about which contender is faster. */
function speedColumn(
  name: string,
  look: Look<ContenderRow>,
  value: (row: ContenderRow) => number | null,
  format: (value: number) => string,
): Column<ContenderRow> {
  const cell = (row: ContenderRow): string =>
    marked(orAbsent(value(row), format), incomparableMark(row.evaluation.speeds))
  return column(name, look && { cell, ...look }, value, format)
}

/** What a metric is, by the table of metrics. */
function meaningOf(id: string): string {
  const metric = findMetric(id)
  if (metric === null) throw new TypeError(`there is no metric ${id}`)
  return `${metric.name}: ${metric.formula}`
}

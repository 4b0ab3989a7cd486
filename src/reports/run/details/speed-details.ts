import type { ContenderEvaluation } from '#analysis/documents/contender-evaluation'
import type { TimeAnalysis } from '#analysis/documents/error-rates'
import type { Evaluation } from '#analysis/documents/evaluation'
import type {
  DurationLatency,
  LatencyModel,
  Percentile,
  PercentileSet,
  Phases,
} from '#analysis/documents/speed'
import {
  type Column,
  column,
  countColumn,
  fileColumn,
  fileIntervalColumns,
  intervalColumns,
  millisecondsColumn,
  millisecondsIntervalColumns,
  rateColumn,
  textColumn,
} from '../../layout/table.ts'
import { foreign } from '../../layout/terminal.ts'
import { absent, counted, formatMilliseconds, formatRange, formatSeconds } from '../../layout/units.ts'
import { fittedParts, incomparableMark } from '../../layout/words.ts'
import {
  byContender,
  type Contended,
  contenderColumn,
  type DetailTable,
  detailTable,
} from './detail-table.ts'

/** Either what was compared, or why nothing was. */
type TimeRow = Contended & { readonly compared: TimeAnalysis | null; readonly absence: string | null }

/** Errors of the times of words or segments; null where no reference has times. */
export function timeDetails(evaluation: Evaluation): DetailTable | null {
  const rows: readonly TimeRow[] = byContender(evaluation, ({ times }) => {
    if (times === null) return []
    return [
      times.reason === null ? { compared: times, absence: null } : { compared: null, absence: times.reason },
    ]
  })
  if (rows.length === 0) return null
  return detailTable<TimeRow>({
    title: 'Times of words',
    notes: [
      'Mean absolute error over the words that the alignment matches. Where segments are timed, the first word of one has its ' +
        'start and the last word its end.',
      ...rows.flatMap(({ contender, absence }) =>
        absence === null ? [] : [`${contender}: no times were compared, because ${absence}.`],
      ),
    ],
    rows,
    columns: [
      contenderColumn(evaluation),
      textColumn('times_of', { header: 'times of', dropOrder: 2 }, ({ compared }) =>
        compared === null ? null : compared.units.map((unit) => `${unit}s`).join(', '),
      ),
      countColumn('compared_words', 'words', ({ compared }) => compared?.rate.denominator ?? null),
      fileColumn('matched_words', ({ compared }) => compared?.matchedCount ?? null),
      fileColumn('untimed_answers', ({ compared }) => compared?.untimedCount ?? null),
      millisecondsColumn(
        'start_error_ms',
        'start error',
        ({ compared }) => compared?.startError.meanMs ?? null,
      ),
      ...millisecondsIntervalColumns<TimeRow>(
        'start_error',
        ({ compared }) => compared?.startError.interval ?? null,
      ),
      millisecondsColumn('end_error_ms', 'end error', ({ compared }) => compared?.endError.meanMs ?? null),
      ...millisecondsIntervalColumns<TimeRow>(
        'end_error',
        ({ compared }) => compared?.endError.interval ?? null,
      ),
      rateColumn('within_200_ms_rate', 'within 200 ms', ({ compared }) => compared?.rate.rate ?? null),
      ...intervalColumns<TimeRow>('within_200_ms', ({ compared }) => compared?.rate.interval ?? null),
      fileColumn('absence', ({ absence }) => absence),
    ],
  })
}

type LengthRow = Contended & DurationLatency

/** Percentiles of requests of about the same length; null where all are, so that no figure mixes lengths. */
export function lengthDetails({ contenders, speeds }: Evaluation): DetailTable | null {
  if (contenders.every(({ latencyByDuration }) => latencyByDuration.length < 2)) return null
  const rows = contenders.flatMap(({ contender, latencyByDuration }) =>
    latencyByDuration.map((latency): LengthRow => ({ contender: contender.id, ...latency })),
  )
  const mark = incomparableMark(speeds)
  return detailTable<LengthRow>({
    title: 'Latency by length of the audio',
    rows,
    columns: [
      contenderColumn({ contenders }),
      textColumn('audio', 'audio', ({ bucket }) => bucket),
      countColumn('utterances', 'utterances', ({ utteranceCount }) => utteranceCount),
      countColumn('requests', 'requests', ({ latencyMs }) => latencyMs.sampleCount),
      ...percentileColumns('p50', mark, ({ latencyMs }) => latencyMs.p50),
      ...percentileColumns('p95', mark, ({ latencyMs }) => latencyMs.p95),
    ],
  })
}

function percentileColumns(
  name: string,
  mark: string,
  percentile: (row: LengthRow) => Percentile,
): readonly Column<LengthRow>[] {
  return [
    millisecondsColumn(`${name}_ms`, name, (row) => percentile(row).value, mark),
    ...fileIntervalColumns<LengthRow>(name, '_ms', (row) => {
      const figure = percentile(row)
      return figure.value === null ? null : (figure.interval ?? null)
    }),
  ]
}

type PredictionRow = Contended & ExpectedLatency

/** What requests of common lengths take by the fitted line; null where no contender has one. */
export function predictionDetails({ contenders, speeds }: Evaluation): DetailTable | null {
  const rows = contenders.flatMap((contender) =>
    expectedLatencies(contender).map(
      (expected): PredictionRow => ({ ...expected, contender: contender.contender.id }),
    ),
  )
  if (rows.length === 0) return null
  const mark = incomparableMark(speeds)
  return detailTable<PredictionRow>({
    title: 'What a request of a length is expected to take',
    notes: [
      ...contenders.map(fittedText),
      ...(rows.some(({ isExtrapolated }) => isExtrapolated)
        ? [
            '~ before a length: shorter or longer than any audio that was measured; the line is taken to go on',
          ]
        : []),
    ],
    rows,
    columns: [
      contenderColumn({ contenders }),
      column(
        'audio_seconds',
        {
          header: 'audio',
          cell: ({ audioSeconds, isExtrapolated }) =>
            `${isExtrapolated ? '~ ' : ''}${formatSeconds(audioSeconds)}`,
        },
        ({ audioSeconds }) => audioSeconds,
        formatSeconds,
      ),
      millisecondsColumn('p50_ms', 'p50', ({ p50Ms }) => p50Ms, mark),
      {
        name: 'p50_low95_ms',
        value: ({ p50Interval }) => p50Interval?.low ?? null,
        shown: { header: '95% interval', dropOrder: 1, cell: halfRange },
      },
      fileColumn('p50_high95_ms', ({ p50Interval }) => p50Interval?.high ?? null),
      millisecondsColumn('p95_ms', 'p95', ({ p95Ms }) => p95Ms, mark),
      fileColumn('is_extrapolated', ({ isExtrapolated }) => String(isExtrapolated)),
    ],
  })
}

function halfRange({ p50Ms, p50Interval }: PredictionRow): string {
  return p50Ms === null || p50Interval === null ? absent : formatRange(p50Interval, formatMilliseconds)
}

/** The parts of a line, or why there is none. */
function fittedText({ contender, latencyModel }: ContenderEvaluation): string {
  const name = foreign(contender.id)
  if (latencyModel.value === null) return `${name} has no line: ${latencyModel.reason}.`
  return `${name}: ${fittedParts(latencyModel)}.`
}

type Prediction = Extract<LatencyModel, { value: number }>['predictions'][number]

/** What a line says of a length; null where it can say nothing. */
interface ExpectedLatency extends Omit<Prediction, 'p50Ms' | 'p95Ms'> {
  readonly p50Ms: number | null
  readonly p95Ms: number | null
}

/** What requests of common lengths are expected to take; empty without a line. */
function expectedLatencies(
  evaluation: Pick<ContenderEvaluation, 'latencyModel' | 'latencyMs'>,
): readonly ExpectedLatency[] {
  const { latencyModel, latencyMs } = evaluation
  if (latencyModel.value === null) return []
  // With fewer requests than a p95 needs, too few show how far they are above the line.
  const hasHigh = latencyMs.p95.value !== null
  return latencyModel.predictions.map((prediction) => {
    // Where the line is negative, there is no prediction.
    const isPredicted = prediction.p50Ms > 0
    return {
      ...prediction,
      p50Ms: isPredicted ? prediction.p50Ms : null,
      p95Ms: isPredicted && hasHigh ? prediction.p95Ms : null,
    }
  })
}

interface ColdRow extends Contended {
  readonly figures: Pick<ContenderEvaluation, 'firstRequestMs' | 'modelLoadingMs' | 'untilSteadyMs'>
}

/** What a fresh server costs before it is as fast as in every other table; null where nothing was sent to warm up. */
export function coldDetails({ contenders, speeds }: Evaluation): DetailTable | null {
  if (contenders.every(({ firstRequestMs }) => firstRequestMs === null)) return null
  const rows = contenders.map((figures): ColdRow => ({ contender: figures.contender.id, figures }))
  const mark = incomparableMark(speeds)
  return detailTable<ColdRow>({
    title: 'Cold start, which is in no other figure',
    notes: contenders.flatMap(({ contender, untilSteadyMs, warmUp }) => [
      warmUpNote(contender.id, warmUp),
      ...(untilSteadyMs.value === null
        ? [`When ${contender.id} had its steady speed is not known: ${untilSteadyMs.reason}.`]
        : []),
    ]),
    rows,
    columns: [
      contenderColumn({ contenders }),
      millisecondsColumn('model_loading_ms', 'loading', ({ figures }) => figures.modelLoadingMs.value, mark),
      millisecondsColumn('first_request_ms', 'first answer', ({ figures }) => figures.firstRequestMs, mark),
      millisecondsColumn(
        'until_steady_ms',
        'steady after',
        ({ figures }) => figures.untilSteadyMs.value,
        mark,
      ),
    ],
  })
}

function warmUpNote(
  contenderId: string,
  { requestCount, hasSettled }: ContenderEvaluation['warmUp'],
): string {
  const settled =
    hasSettled === null
      ? 'whether its latencies had settled is not known, because too few answers can be compared'
      : hasSettled
        ? 'its latencies had settled'
        : 'its latencies still fell'
  return `${contenderId} was warmed up by ${counted(requestCount, 'request')}: ${settled}.`
}

interface PhaseRow extends Contended {
  readonly phase: string
  readonly ms: PercentileSet
}

const phaseNames: readonly (readonly [keyof Phases, string])[] = [
  ['queueMs', 'waiting for a socket'],
  ['connectMs', 'connecting'],
  ['waitMs', 'sending the body and waiting for the answer'],
  ['downloadMs', 'downloading'],
]

/** What requests spent their service time on; null for runs that recorded no phases. */
export function phaseDetails({ contenders, speeds }: Evaluation): DetailTable | null {
  const rows = contenders.flatMap(({ contender, phases }) =>
    phaseNames.map(([key, phase]): PhaseRow => ({ contender: contender.id, phase, ms: phases[key] })),
  )
  if (rows.every(({ ms }) => ms.sampleCount === 0)) return null
  const mark = incomparableMark(speeds)
  return detailTable<PhaseRow>({
    title: 'Where the time of a request went',
    rows,
    columns: [
      contenderColumn({ contenders }),
      textColumn('phase', 'phase', ({ phase }) => phase),
      countColumn('requests', 'requests', ({ ms }) => ms.sampleCount),
      millisecondsColumn('p50_ms', 'p50', ({ ms }) => ms.p50.value, mark),
      millisecondsColumn('p95_ms', 'p95', ({ ms }) => ms.p95.value, mark),
    ],
  })
}

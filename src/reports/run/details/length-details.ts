import type { ContenderEvaluation, DurationLatency, Evaluation, LatencyModel, Percentile } from '#analysis'
import type { Column } from '../../layout/column.ts'
import { column, countColumn, fileColumn, millisecondsColumn, textColumn } from '../../layout/column-kinds.ts'
import { foreign } from '../../layout/terminal.ts'
import { absent, formatMilliseconds, formatRange, formatSeconds } from '../../layout/units.ts'
import { type ExpectedLatency, expectedLatencies } from '../words/expected-latencies.ts'
import { type Contended, contenderColumn } from './by-contender.ts'
import { type DetailTable, detailTable } from './detail-table.ts'

type LengthRow = Contended & DurationLatency

/** Percentiles of requests of about the same length; null where all are, so that no figure mixes lengths. */
export function lengthDetails({ contenders }: Evaluation): DetailTable | null {
  if (contenders.every(({ latencyByDuration }) => latencyByDuration.length < 2)) return null
  const rows = contenders.flatMap(({ contender, latencyByDuration }) =>
    latencyByDuration.map((latency): LengthRow => ({ contender: contender.id, ...latency })),
  )
  return detailTable<LengthRow>({
    title: 'Latency by length of the audio',
    rows,
    columns: [
      contenderColumn({ contenders }),
      textColumn('audio', { header: 'audio' }, ({ bucket }) => bucket),
      countColumn('utterances', { header: 'utterances' }, ({ utteranceCount }) => utteranceCount),
      countColumn('requests', { header: 'requests' }, ({ latencyMs }) => latencyMs.sampleCount),
      ...percentileColumns('p50', ({ latencyMs }) => latencyMs.p50),
      ...percentileColumns('p95', ({ latencyMs }) => latencyMs.p95),
    ],
  })
}

function percentileColumns(
  name: string,
  percentile: (row: LengthRow) => Percentile,
): readonly Column<LengthRow>[] {
  const bound = (row: LengthRow, end: 'low' | 'high'): number | null => {
    const figure = percentile(row)
    return figure.value === null ? null : (figure.interval?.[end] ?? null)
  }
  return [
    millisecondsColumn(`${name}_ms`, { header: name }, (row) => percentile(row).value),
    fileColumn(`${name}_low95_ms`, (row) => bound(row, 'low')),
    fileColumn(`${name}_high95_ms`, (row) => bound(row, 'high')),
  ]
}

type FittedModel = Extract<LatencyModel, { value: number }>
type PredictionRow = Contended & ExpectedLatency

/** What requests of common lengths take by the fitted line; null where no contender has one. */
export function predictionDetails({ contenders }: Evaluation): DetailTable | null {
  const rows = contenders.flatMap((contender) =>
    expectedLatencies(contender).map(
      (expected): PredictionRow => ({ ...expected, contender: contender.contender.id }),
    ),
  )
  if (rows.length === 0) return null
  return detailTable<PredictionRow>({
    title: 'What a request of a length is expected to take',
    notes: [
      ...contenders.map(fittedText),
      ...(rows.some(({ isExtrapolated }) => isExtrapolated)
        ? ['~ shorter or longer than any audio that was measured: the line is taken to go on']
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
      millisecondsColumn('p50_ms', { header: 'p50' }, ({ p50Ms }) => p50Ms),
      {
        name: 'p50_low95_ms',
        value: ({ p50Interval }) => p50Interval?.low ?? null,
        shown: { header: '95% interval', align: 'left', dropOrder: 1, cell: halfRange },
      },
      fileColumn('p50_high95_ms', ({ p50Interval }) => p50Interval?.high ?? null),
      millisecondsColumn('p95_ms', { header: 'p95' }, ({ p95Ms }) => p95Ms),
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
  const { fixedMs, perSecondMs, perWindowMs } = latencyModel
  const withInterval = ({ value, interval }: FittedModel['fixedMs']): string =>
    interval === null
      ? formatMilliseconds(value)
      : `${formatMilliseconds(value)} (${formatRange(interval, formatMilliseconds)})`
  const step =
    perWindowMs === null ? '' : `, and ${formatMilliseconds(perWindowMs)} for every further 30 s of it`
  return `${name}: ${withInterval(fixedMs)} and ${withInterval(perSecondMs)} for every second of audio${step}.`
}

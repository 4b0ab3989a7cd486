import { parquetWriteBuffer } from 'hyparquet-writer'
import { findMetric, type HistoryFigure, type Trend } from '#analysis'
import { bars } from './bars.ts'
import { renderCsv } from './csv.ts'
import { formatMeasured } from './measured.ts'
import { layTable, type TableColumn } from './table.ts'
import { foreign, inSigns, labelled, paint, paragraph, type Terminal } from './terminal.ts'
import { counted } from './units.ts'

const mostDrawn = 40

const columns: readonly TableColumn<Trend>[] = [
  { header: 'contender', align: 'left', dropOrder: 0, cell: ({ contenderId }) => foreign(contenderId) },
  { header: 'metric', align: 'left', dropOrder: 0, cell: ({ metric }) => metric },
  { header: 'runs', align: 'right', dropOrder: 1, cell: ({ figures }) => String(figures.length) },
  {
    header: 'first',
    align: 'right',
    dropOrder: 2,
    cell: ({ metric, figures }) => textOf(metric, figures[0]?.value),
  },
  {
    header: 'last',
    align: 'right',
    dropOrder: 0,
    cell: ({ metric, figures }) => textOf(metric, figures.at(-1)?.value),
  },
  { header: 'changes', align: 'right', dropOrder: 0, cell: ({ changes }) => String(changes.length) },
]

function emptyText(runCount: number, leftOut: readonly string[]): string {
  if (runCount > 0) {
    return `${counted(runCount, 'run')} here, and none has such a figure. Take another metric: asrbench explain`
  }
  if (leftOut.length === 0) return 'No run here has a score: asrbench run'
  return `No run here has a score, and ${counted(leftOut.length, 'run')} never finished, or ended invalid or with another version: asrbench score <run>`
}

/** Series of figures over the runs, each with a drawing and the runs at which it changed. */
export function renderHistory(
  trends: readonly Trend[],
  { runCount, leftOut }: { readonly runCount: number; readonly leftOut: readonly string[] },
  terminal: Terminal,
): string {
  if (trends.length === 0) return paragraph(emptyText(runCount, leftOut), '  ', terminal)
  const groups = [...Map.groupBy(trends, ({ conditions }) => conditions)].map(([conditions, own]) => {
    const changes = own.flatMap((trend) => trend.changes.map((change) => ({ trend, change })))
    const series = [
      ...own.filter(({ figures }) => figures.length > 1).map((trend) => drawingOf(trend, terminal)),
      ...changes.map(({ trend: { metric, contenderId }, change }) =>
        labelled(
          'changed',
          `${metric} of ${foreign(contenderId)} at ${foreign(change.runId)}: ${textOf(metric, change.before)} → ${textOf(metric, change.after)}`,
          8,
          terminal,
        ),
      ),
    ]
    return [
      paint(paragraph(foreign(conditions), '  ', terminal), 'strong', terminal),
      '',
      ...layTable(columns, own, '  ', terminal).lines,
      ...(series.length === 0 ? [] : ['', ...series]),
    ].join('\n')
  })
  const rest =
    leftOut.length === 0 ? '' : `; ${counted(leftOut.length, 'run')} without a valid score left out`
  return [...groups, paragraph(`${counted(runCount, 'run')}${rest}`, '  ', terminal)].join('\n\n')
}

function textOf(metric: string, value: number | undefined): string {
  const unit = findMetric(metric)?.unit
  return value === undefined || unit === undefined ? '–' : formatMeasured(value, unit)
}

/** The last runs as bars from the lowest value to the highest. */
function drawingOf({ metric, contenderId, figures }: Trend, terminal: Terminal): string {
  const shown = figures.slice(-mostDrawn).map(({ value }) => value)
  const [low, high] = [Math.min(...shown), Math.max(...shown)]
  const heights = shown.map((value) => (high === low ? 0 : (value - low) / (high - low)))
  return inSigns(`  ${bars(heights, terminal)}  ${metric} of ${foreign(contenderId)}`, terminal)
}

/** Every figure as one row, with the names and the order of the CSV, for programs that read columns. */
export function historyParquet(figures: readonly HistoryFigure[]): Uint8Array {
  const strings = (name: string, of: (figure: HistoryFigure) => string | null) => ({
    name,
    data: figures.map(of),
    type: 'STRING' as const,
  })
  return new Uint8Array(
    parquetWriteBuffer({
      columnData: [
        strings('run', ({ runId }) => runId),
        {
          name: 'started_at',
          data: figures.map(({ startedAt }) => new Date(startedAt)),
          type: 'TIMESTAMP',
        },
        strings('contender', ({ contenderId }) => contenderId),
        strings('metric', ({ metric }) => metric),
        strings('unit', ({ metric }) => findMetric(metric)?.unit ?? null),
        { name: 'value', data: figures.map(({ value }) => value), type: 'DOUBLE' },
        strings('conditions', ({ conditions }) => conditions),
      ],
    }),
  )
}

/** Every figure as one row. */
export function historyCsv(figures: readonly HistoryFigure[]): string {
  return renderCsv<HistoryFigure>(
    [
      { header: 'run', value: ({ runId }) => runId },
      { header: 'started_at', value: ({ startedAt }) => startedAt },
      { header: 'contender', value: ({ contenderId }) => contenderId },
      { header: 'metric', value: ({ metric }) => metric },
      { header: 'unit', value: ({ metric }) => findMetric(metric)?.unit ?? null },
      { header: 'value', value: ({ value }) => value },
      { header: 'conditions', value: ({ conditions }) => conditions },
    ],
    figures,
  )
}

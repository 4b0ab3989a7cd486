import { findMetric, type HistoryFigure, type Trend } from '#analysis'
import { bars } from '../layout/bars.ts'
import type { FileColumn, ShownColumn } from '../layout/column.ts'
import { renderCsv } from '../layout/csv.ts'
import { markdownTable, markdownText } from '../layout/markdown.ts'
import { layTable } from '../layout/table.ts'
import { foreign, inSigns, paint, paragraph, type Terminal } from '../layout/terminal.ts'
import { counted } from '../layout/units.ts'
import {
  changeColumns,
  changesInTime,
  historySentence,
  runFigureText,
  type SeriesChange,
} from './history-changes.ts'

const maxDrawn = 40

/** Of the runs that a history was made of. */
export interface HistoryCounts {
  readonly runCount: number
  /** Runs without a score that can be read. */
  readonly leftOut: readonly string[]
}

const columns: readonly ShownColumn<Trend>[] = [
  { header: 'contender', align: 'left', dropOrder: 0, cell: ({ contenderId }) => contenderId },
  { header: 'metric', align: 'left', dropOrder: 0, cell: ({ metric }) => metric },
  { header: 'runs', align: 'right', dropOrder: 1, cell: ({ figures }) => String(figures.length) },
  {
    header: 'first',
    align: 'right',
    dropOrder: 2,
    cell: ({ metric, figures }) => runFigureText(metric, figures[0]),
  },
  {
    header: 'last',
    align: 'right',
    dropOrder: 0,
    cell: ({ metric, figures }) => runFigureText(metric, figures.at(-1)),
  },
  { header: 'changes', align: 'right', dropOrder: 0, cell: ({ changes }) => String(changes.length) },
]

function emptyText({ runCount, leftOut }: HistoryCounts): string {
  if (runCount > 0) {
    return `${counted(runCount, 'run')} here, and none has such a figure. Take another metric: transcribench explain`
  }
  if (leftOut.length === 0) return 'No run here has a score: transcribench run'
  return `No run here has a score, and ${counted(leftOut.length, 'run')} never finished, or ended invalid or with another version: transcribench score <run>`
}

/** What a history says first, then series of figures over the runs with the runs at which they changed. */
export function renderHistory(trends: readonly Trend[], counts: HistoryCounts, terminal: Terminal): string {
  if (trends.length === 0) return paragraph(emptyText(counts), '  ', terminal)
  const groups = byConditions(trends).map(({ conditions, own, changes }) => {
    const drawings = own
      .filter(({ figures }) => figures.length > 1)
      .map((trend) => drawingOf(trend, terminal))
    return [
      paint(paragraph(foreign(conditions), '  ', terminal), 'strong', terminal),
      '',
      ...layTable(columns, own, '  ', terminal).lines,
      ...(drawings.length === 0 ? [] : ['', ...drawings]),
      ...(changes.length === 0 ? [] : ['', ...layTable(changeColumns, changes, '  ', terminal).lines]),
    ].join('\n')
  })
  const answer = paragraph(foreign(historySentence(trends, counts.runCount)), '  ', terminal)
  return [
    paint(answer, 'strong', terminal),
    ...groups,
    paragraph(countsText(trends, counts), '  ', terminal),
  ].join('\n\n')
}

/** The same as Markdown, for a pull request or a wiki. */
export function historyMarkdown(trends: readonly Trend[], counts: HistoryCounts): string {
  if (trends.length === 0) return `${markdownText(emptyText(counts))}\n`
  const blocks = [
    `### ${markdownText(historySentence(trends, counts.runCount))}`,
    ...byConditions(trends).flatMap(({ conditions, own, changes }) => [
      `**${markdownText(conditions)}**`,
      markdownTable(changeColumns, changes),
      markdownTable(columns, own),
    ]),
    markdownText(countsText(trends, counts)),
  ]
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`
}

function byConditions(trends: readonly Trend[]): readonly {
  readonly conditions: string
  readonly own: readonly Trend[]
  readonly changes: readonly SeriesChange[]
}[] {
  return [...Map.groupBy(trends, ({ conditions }) => conditions)].map(([conditions, own]) => ({
    conditions,
    own,
    changes: changesInTime(own),
  }))
}

function namesOf(runIds: readonly string[]): string {
  const rest = runIds.length - 3
  return `${runIds.slice(0, 3).map(foreign).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}

function countsText(trends: readonly Trend[], { runCount, leftOut }: HistoryCounts): string {
  const marked = trends.flatMap(({ figures }) => figures.filter(({ withheld }) => withheld !== null))
  const busyCount = new Set(marked.map(({ runId }) => runId)).size
  const busy =
    busyCount === 0
      ? ''
      : `; ~ latency and speed of ${counted(busyCount, 'run')} are not comparable, because the machine was busy, and make no change`
  const rest =
    leftOut.length === 0
      ? ''
      : `; ${counted(leftOut.length, 'run')} without a valid score excluded: ${namesOf(leftOut)}`
  return `${counted(runCount, 'run')}${rest}${busy}`
}

/** The last runs as bars from the lowest value to the highest, with a line before each run at which they changed. */
function drawingOf({ metric, contenderId, figures, changes }: Trend, terminal: Terminal): string {
  const shown = figures.slice(-maxDrawn)
  const values = shown.map(({ value }) => value)
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const drawn = shown.map(({ runId, value }) => {
    const isChange = changes.some((change) => change.runId === runId)
    const height = high === low ? 0 : (value - low) / (high - low)
    return `${isChange ? (terminal.unicode ? '┆' : '|') : ''}${bars([height], terminal)}`
  })
  return inSigns(`  ${drawn.join('')}  ${metric} of ${foreign(contenderId)}`, terminal)
}

/** A column of the file of all figures; the type is what a columnar file calls it. */
interface FigureColumn extends FileColumn<HistoryFigure> {
  readonly type: 'STRING' | 'DOUBLE' | 'TIMESTAMP'
}

const figureColumns: readonly FigureColumn[] = [
  { name: 'run', type: 'STRING', value: ({ runId }) => runId },
  { name: 'started_at', type: 'TIMESTAMP', value: ({ startedAt }) => startedAt },
  { name: 'contender', type: 'STRING', value: ({ contenderId }) => contenderId },
  { name: 'metric', type: 'STRING', value: ({ metric }) => metric },
  { name: 'unit', type: 'STRING', value: ({ metric }) => findMetric(metric)?.unit ?? null },
  { name: 'value', type: 'DOUBLE', value: ({ value }) => value },
  { name: 'low95', type: 'DOUBLE', value: ({ interval }) => interval?.low ?? null },
  { name: 'high95', type: 'DOUBLE', value: ({ interval }) => interval?.high ?? null },
  { name: 'conditions', type: 'STRING', value: ({ conditions }) => conditions },
  { name: 'not_comparable', type: 'STRING', value: ({ withheld }) => withheld },
]

/** Every figure as one row. */
export function historyCsv(figures: readonly HistoryFigure[]): string {
  return renderCsv(figureColumns, figures)
}

/** Every figure as one row, with the names and the order of the CSV, for programs that read columns. */
export async function historyParquet(figures: readonly HistoryFigure[]): Promise<Uint8Array> {
  // Loaded here because only this format needs it, and every command loads this file.
  const { parquetWriteBuffer } = await import('hyparquet-writer')
  return new Uint8Array(
    parquetWriteBuffer({
      columnData: figureColumns.map(({ name, type, value }) => ({
        name,
        type,
        data: figures.map((figure) => {
          const cell = value(figure)
          return type === 'TIMESTAMP' && typeof cell === 'string' ? new Date(cell) : cell
        }),
      })),
    }),
  )
}

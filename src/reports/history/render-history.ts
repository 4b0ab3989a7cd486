import type { HistoryDocument, HistoryFigure, Trend, TrendChange } from '#analysis/comparison/trends'
import { findMetric } from '#analysis/metrics/metrics'
import { type FileColumn, layTable, type ShownColumn } from '../layout/table.ts'
import { markdownTable, markdownText, renderCsv } from '../layout/table-files.ts'
import { bars, foreign, inSigns, sentence, type Terminal } from '../layout/terminal.ts'
import {
  absent,
  counted,
  formatChange,
  formatMeasured,
  formatPoints,
  incomparableMark,
  marked,
} from '../layout/units.ts'

const maxDrawn = 40

const columns: readonly ShownColumn<Trend>[] = [
  { header: 'contender', cell: ({ contenderId }) => contenderId },
  { header: 'metric', cell: ({ metric }) => metric },
  { header: 'runs', align: 'right', dropOrder: 1, cell: ({ figures }) => String(figures.length) },
  {
    header: 'first',
    align: 'right',
    dropOrder: 2,
    cell: ({ metric, figures }) => runFigureText(metric, figures[0]),
  },
  { header: 'last', align: 'right', cell: ({ metric, figures }) => runFigureText(metric, figures.at(-1)) },
  { header: 'changes', align: 'right', cell: ({ changes }) => String(changes.length) },
]

function emptyText({ runCount, leftOut }: HistoryDocument): string {
  if (runCount > 0) {
    return `${counted(runCount, 'run')} here, and none has such a figure. Take another metric: transcribench explain`
  }
  if (leftOut.length === 0) return 'No run here has a score: transcribench run'
  return `No run here has a score, and ${counted(leftOut.length, 'run')} never finished, or ended invalid or with another version: transcribench score <run>`
}

export function renderHistory(history: HistoryDocument, terminal: Terminal): string {
  const { trends, runCount } = history
  if (trends.length === 0) return sentence(emptyText(history), terminal)
  const groups = byConditions(trends).map(({ conditions, series, changes }) => {
    const drawings = series
      .filter(({ figures }) => figures.length > 1)
      .map((trend) => drawTrend(trend, terminal))
    return [
      sentence(conditions, terminal, 'strong'),
      '',
      ...layTable(columns, series, terminal).lines,
      ...(drawings.length === 0 ? [] : ['', ...drawings]),
      ...(changes.length === 0 ? [] : ['', ...layTable(changeColumns, changes, terminal).lines]),
    ].join('\n')
  })
  const answer = sentence(historySentence(trends, runCount), terminal, 'strong')
  return [answer, ...groups, sentence(countsText(history), terminal)].join('\n\n')
}

export function historyMarkdown(history: HistoryDocument): string {
  const { trends, runCount } = history
  if (trends.length === 0) return `${markdownText(emptyText(history))}\n`
  const blocks = [
    `### ${markdownText(historySentence(trends, runCount))}`,
    ...byConditions(trends).flatMap(({ conditions, series, changes }) => [
      `**${markdownText(conditions)}**`,
      markdownTable(changeColumns, changes),
      markdownTable(columns, series),
    ]),
    markdownText(countsText(history)),
  ]
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`
}

function byConditions(trends: readonly Trend[]): readonly {
  readonly conditions: string
  readonly series: readonly Trend[]
  readonly changes: readonly SeriesChange[]
}[] {
  return [...Map.groupBy(trends, ({ conditions }) => conditions)].map(([conditions, series]) => ({
    conditions,
    series,
    changes: changesInTime(series),
  }))
}

function namesText(runIds: readonly string[]): string {
  const rest = runIds.length - 3
  return `${runIds.slice(0, 3).map(foreign).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}

function countsText({ trends, runCount, leftOut }: HistoryDocument): string {
  const marked = trends.flatMap(({ figures }) => figures.filter(({ withheld }) => withheld !== null))
  const busyCount = new Set(marked.map(({ runId }) => runId)).size
  const busy =
    busyCount === 0
      ? ''
      : `; ~ latency and speed of ${counted(busyCount, 'run')} are not comparable, because the machine was busy, and make no change`
  const rest =
    leftOut.length === 0
      ? ''
      : `; ${counted(leftOut.length, 'run')} without a valid score excluded: ${namesText(leftOut)}`
  return `${counted(runCount, 'run')}${rest}${busy}`
}

/** The last runs as bars from the lowest value to the highest, with a line before each run at which they changed. */
function drawTrend({ metric, contenderId, figures, changes }: Trend, terminal: Terminal): string {
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

/** A column of the file of all figures; `type` is its Parquet type. */
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

export function historyCsv(figures: readonly HistoryFigure[]): string {
  return renderCsv(figureColumns, figures)
}

/** Every figure as one row in Parquet, with the names and the order of the CSV. */
export async function historyParquet(figures: readonly HistoryFigure[]): Promise<Uint8Array> {
  // This import is dynamic, because only this format needs it, and every command loads this file.
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

interface SeriesChange {
  readonly trend: Trend
  readonly change: TrendChange
}

/** Minimum number of runs in which a change can be found: three on each side. */
export const shortestSeries = 6
/** With fewer runs, changes below five times the spread of equal runs are often missed. */
const clearSeries = 16
const maxNamed = 3

export function changesInTime(trends: readonly Trend[]): readonly SeriesChange[] {
  return trends
    .flatMap((trend) => trend.changes.map((change) => ({ trend, change })))
    .toSorted((a, b) => (a.change.startedAt < b.change.startedAt ? -1 : 1))
}

/** `worse` or `better`, by the direction of the metric. */
export function nameDirection(metric: string, before: number, after: number): 'better' | 'worse' {
  return after < before === (findMetric(metric)?.better === 'lower') ? 'better' : 'worse'
}

/** Rates in percentage points, everything else relative to the level before; empty if that is zero. */
export function differenceText(metric: string, before: number, after: number): string {
  if (findMetric(metric)?.unit === 'rate') return formatPoints(after - before)
  return before === 0 ? absent : formatChange(after / before - 1)
}

const changeColumns: readonly ShownColumn<SeriesChange>[] = [
  {
    header: 'from run',
    align: 'right',
    dropOrder: 2,
    cell: ({ trend, change }) => `${change.runNumber} of ${trend.figures.length}`,
  },
  { header: 'run', cell: ({ change }) => change.runId },
  { header: 'contender', dropOrder: 1, cell: ({ trend }) => trend.contenderId },
  { header: 'metric', cell: ({ trend }) => trend.metric },
  { header: 'before', align: 'right', cell: ({ trend, change }) => figureText(trend.metric, change.before) },
  { header: 'after', align: 'right', cell: ({ trend, change }) => figureText(trend.metric, change.after) },
  {
    header: 'difference',
    align: 'right',
    dropOrder: 3,
    cell: ({ trend, change }) => differenceText(trend.metric, change.before, change.after),
  },
  {
    header: 'verdict',
    cell: directionOf,
    tone: (row) => (directionOf(row) === 'better' ? 'good' : 'bad'),
  },
]

function directionOf({ trend, change }: SeriesChange): 'better' | 'worse' {
  return nameDirection(trend.metric, change.before, change.after)
}

export function runFigureText(metric: string, figure: HistoryFigure | undefined): string {
  return marked(figureText(metric, figure?.value), incomparableMark({ withheld: figure?.withheld ?? null }))
}

function figureText(metric: string, value: number | undefined): string {
  const unit = findMetric(metric)?.unit
  return value === undefined || unit === undefined ? absent : formatMeasured(value, unit)
}

/** The summary of a history in a sentence or two: the most recent run at which a figure changed. */
export function historySentence(trends: readonly Trend[], runCount: number): string {
  if (trends.length === 0) return 'No run here has a score yet.'
  const changes = changesInTime(trends)
  const last = changes.at(-1)
  if (last === undefined) return unchangedSentence(trends, runCount)
  const others = [...driftTexts(trends), recentSentence(trends)].filter((text) => text !== '')
  const latest = changes.filter(({ change }) => change.runId === last.change.runId)
  const earlier = changes.length - latest.length
  const named = latest
    .slice(0, maxNamed)
    .map(
      (row) =>
        `${row.trend.metric} of ${row.trend.contenderId} became ${directionOf(row)}, ` +
        `${figureText(row.trend.metric, row.change.before)} → ${figureText(row.trend.metric, row.change.after)}`,
    )
  const more = latest.length > maxNamed ? `; ${latest.length - maxNamed} more` : ''
  const past = earlier === 0 ? '' : ` ${counted(earlier, 'earlier change')}.`
  return [`From ${last.change.runId} on: ${named.join('; ')}${more}.${past}`, ...others].join(' ')
}

/** Figures that drift gradually, so that no single run is the one at which they changed. */
function driftTexts(trends: readonly Trend[]): readonly string[] {
  return trends.flatMap(({ metric, contenderId, figures, drift }) => {
    if (drift === null) return []
    const [from, to] = [figureText(metric, drift.first), figureText(metric, drift.last)]
    return [`${metric} of ${contenderId} ${driftText(metric, drift, figures.length)}, ${from} → ${to}.`]
  })
}

export function driftText(
  metric: string,
  { first, last }: NonNullable<Trend['drift']>,
  runCount: number,
): string {
  return `drifts: evenly ${nameDirection(metric, first, last)} over ${counted(runCount, 'run')}`
}

/** A figure whose last runs leave the range of the earlier runs by more than the width of that range. */
function recentText({ metric, contenderId, figures, changes, drift }: Trend): readonly string[] {
  if (drift !== null) return []
  // Runs whose speed is withheld are ignored, as are runs before the last change, which had another level.
  const since = changes.at(-1)?.runNumber ?? 1
  const values = figures
    .slice(since - 1)
    .filter(({ withheld }) => withheld === null)
    .map(({ value }) => value)
  for (const count of [2, 1]) {
    const [before, last] = [values.slice(0, -count), values.slice(-count)]
    if (before.length < shortestSeries - 1) continue
    const [low, high] = [Math.min(...before), Math.max(...before)]
    const isAway =
      last.every((value) => value > high + (high - low)) || last.every((value) => value < low - (high - low))
    if (!isAway) continue
    const runs = count === 1 ? 'the last run' : 'the last two runs'
    const from = figureText(metric, before.at(-1))
    return [`${metric} of ${contenderId} moved in ${runs}, ${from} → ${figureText(metric, last.at(-1))}`]
  }
  return []
}

function recentSentence(trends: readonly Trend[]): string {
  const recent = trends.flatMap(recentText)
  if (recent.length === 0) return ''
  const more = recent.length > maxNamed ? `; ${recent.length - maxNamed} more` : ''
  return `Too recent to judge, because a change takes three runs: ${recent.slice(0, maxNamed).join('; ')}${more}.`
}

function unchangedSentence(trends: readonly Trend[], runCount: number): string {
  const longest = Math.max(...trends.map(({ figures }) => figures.length))
  const drifts = driftTexts(trends)
  const recent = recentSentence(trends)
  if (drifts.length > 0) return [...drifts, ...(recent === '' ? [] : [recent])].join(' ')
  if (recent !== '') return `${recent} No figure changed its level before.`
  if (longest >= shortestSeries)
    return (
      `No figure changed its level over ${counted(runCount, 'run')}.` +
      (longest < clearSeries ? ' In so few, only a clear change can be distinguished from a slow wave.' : '')
    )
  return `${counted(runCount, 'run')}, too few to find a change: it takes ${shortestSeries} comparable ones, and the longest series has ${longest}.`
}

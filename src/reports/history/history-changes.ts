import { findMetric, type HistoryFigure, type Trend, type TrendChange } from '#analysis'
import type { ShownColumn } from '../layout/column.ts'
import type { Tone } from '../layout/terminal.ts'
import { counted, formatChange, formatPoints } from '../layout/units.ts'
import { formatMeasured } from '../run/words/measured.ts'
import { incomparableMark, marked } from '../run/words/speed-words.ts'

/** A change with the series that it belongs to. */
export interface SeriesChange {
  readonly trend: Trend
  readonly change: TrendChange
}

/** Runs of a series in which a change can be found: three on each side. */
const shortestSeries = 6
/** With fewer runs, changes by less than five times what runs of one build differ by are often not found. */
const clearSeries = 16
const maxNamed = 3

/** All changes, in the order of time. */
export function changesInTime(trends: readonly Trend[]): readonly SeriesChange[] {
  return trends
    .flatMap((trend) => trend.changes.map((change) => ({ trend, change })))
    .toSorted((a, b) => (a.change.startedAt < b.change.startedAt ? -1 : 1))
}

/** `worse` or `better`, by the direction of the metric. */
export function directionOf({
  trend,
  change,
}: {
  readonly trend: Pick<Trend, 'metric'>
  readonly change: Pick<TrendChange, 'before' | 'after'>
}): 'better' | 'worse' {
  const isLower = change.after < change.before
  return isLower === (findMetric(trend.metric)?.better === 'lower') ? 'better' : 'worse'
}

/** Rates as points, everything else as a share of the level before; absent where that is zero. */
export function differenceText(metric: string, before: number, after: number): string {
  if (findMetric(metric)?.unit === 'rate') return formatPoints(after - before)
  return before === 0 ? '–' : formatChange(after / before - 1)
}

/** One row for each change, for screens and Markdown. */
export const changeColumns: readonly ShownColumn<SeriesChange>[] = [
  {
    header: 'from run',
    align: 'right',
    dropOrder: 2,
    cell: ({ trend, change }) => `${change.runNumber} of ${trend.figures.length}`,
  },
  { header: 'run', align: 'left', dropOrder: 0, cell: ({ change }) => change.runId },
  { header: 'contender', align: 'left', dropOrder: 1, cell: ({ trend }) => trend.contenderId },
  { header: 'metric', align: 'left', dropOrder: 0, cell: ({ trend }) => trend.metric },
  {
    header: 'before',
    align: 'right',
    dropOrder: 0,
    cell: ({ trend, change }) => figureText(trend.metric, change.before),
  },
  {
    header: 'after',
    align: 'right',
    dropOrder: 0,
    cell: ({ trend, change }) => figureText(trend.metric, change.after),
  },
  {
    header: 'difference',
    align: 'right',
    dropOrder: 3,
    cell: ({ trend, change }) => differenceText(trend.metric, change.before, change.after),
  },
  { header: 'verdict', align: 'left', dropOrder: 0, cell: directionOf, tone: toneOf },
]

function toneOf(row: SeriesChange): Tone {
  return directionOf(row) === 'better' ? 'good' : 'bad'
}

/** The figure of one run, marked where it is not comparable. */
export function runFigureText(metric: string, figure: HistoryFigure | undefined): string {
  return marked(figureText(metric, figure?.value), incomparableMark({ withheld: figure?.withheld ?? null }))
}

/** A value in the unit of its metric; a dash where there is none. */
function figureText(metric: string, value: number | undefined): string {
  const unit = findMetric(metric)?.unit
  return value === undefined || unit === undefined ? '–' : formatMeasured(value, unit)
}

/** What a history says, in a sentence or two: the most recent run at which anything changed. */
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

/** Figures that moved evenly, of which no run is the one at which they changed. */
function driftTexts(trends: readonly Trend[]): readonly string[] {
  return trends.flatMap(({ metric, contenderId, figures, drift }) => {
    if (drift === null) return []
    const worse = directionOf({ trend: { metric }, change: { before: drift.first, after: drift.last } })
    const [from, to] = [figureText(metric, drift.first), figureText(metric, drift.last)]
    return [
      `${metric} of ${contenderId} drifts: evenly ${worse} over ${counted(figures.length, 'run')}, ${from} → ${to}.`,
    ]
  })
}

/** A figure whose last run, or last two, are farther from all runs before than these are from each other; empty where none is. */
function recentText({ metric, contenderId, figures, changes, drift }: Trend): readonly string[] {
  if (drift !== null) return []
  // A run on a busy machine moves no figure; and those before a change are of another level.
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

/** Empty where no figure moved in the last runs. */
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
      (longest < clearSeries ? ' In so few, only a clear change can be told from a slow wave.' : '')
    )
  return `${counted(runCount, 'run')}, too few to find a change: it takes ${shortestSeries} comparable ones, and the longest series has ${longest}.`
}

import { findMetric, type MetricUnit, type Trend } from '#analysis'
import { formatMeasured } from '../measured.ts'
import { counted } from '../units.ts'
import { pageFormatVersion } from './page-version.ts'

/** One metric of one contender over comparable runs. */
export interface PageTrend {
  readonly contenderId: string
  readonly metric: string
  /** The metric's name in words. */
  readonly name: string
  readonly unit: MetricUnit
  readonly better: 'lower' | 'higher'
  readonly points: readonly {
    readonly runId: string
    readonly startedAt: string
    readonly value: number
  }[]
  /** Runs from which on the figure was another. */
  readonly changes: readonly {
    readonly runId: string
    readonly before: number
    readonly after: number
  }[]
}

/** Trends whose runs have corpus, profile, load and machine in common. */
interface TrendGroup {
  readonly conditions: string
  readonly trends: readonly PageTrend[]
}

/** The page of a history: figures over the runs of a folder. */
export interface HistoryPage {
  readonly kind: 'history'
  readonly formatVersion: number
  readonly title: string
  readonly answer: string
  readonly groups: readonly TrendGroup[]
  readonly runCount: number
  readonly leftOut: readonly string[]
}

export interface HistoryText {
  readonly trends: readonly Trend[]
  readonly runCount: number
  /** Runs without a score that can be read. */
  readonly leftOut: readonly string[]
}

/** Everything that the page of a history shows. */
export function historyPage({ trends, runCount, leftOut }: HistoryText): HistoryPage {
  const groups = [...Map.groupBy(trends, ({ conditions }) => conditions)].map(([conditions, own]) => ({
    conditions,
    trends: own.flatMap(pageTrend),
  }))
  return {
    kind: 'history',
    formatVersion: pageFormatVersion,
    title: `History of ${counted(runCount, 'run')}`,
    answer: historySentence(trends, runCount),
    // The longest series first: what was measured once has no history yet.
    groups: groups.toSorted((a, b) => longest(b) - longest(a)),
    runCount,
    leftOut,
  }
}

function longest({ trends }: TrendGroup): number {
  return Math.max(0, ...trends.map(({ points }) => points.length))
}

function pageTrend({ contenderId, metric, figures, changes }: Trend): PageTrend[] {
  const known = findMetric(metric)
  if (known === null) return []
  return [
    {
      contenderId,
      metric,
      name: known.name,
      unit: known.unit,
      better: known.better,
      points: figures.map(({ runId, startedAt, value }) => ({ runId, startedAt, value })),
      changes: changes.map(({ runId, before, after }) => ({ runId, before, after })),
    },
  ]
}

function historySentence(trends: readonly Trend[], runCount: number): string {
  if (trends.length === 0) return 'No run here has a score yet.'
  const changed = trends.flatMap((trend) => trend.changes.map((change) => ({ trend, change })))
  const latest = changed.toSorted((a, b) => (a.change.startedAt < b.change.startedAt ? 1 : -1))[0]
  if (latest === undefined) {
    return runCount === 1
      ? 'One run has no history yet.'
      : `Nothing changed over ${counted(runCount, 'run')}.`
  }
  const { trend, change } = latest
  const unit = findMetric(trend.metric)?.unit
  const told = (value: number): string => (unit === undefined ? String(value) : formatMeasured(value, unit))
  const others = changed.length === 1 ? '' : ` ${counted(changed.length - 1, 'other change')} came before.`
  return `${trend.metric} of ${trend.contenderId} went from ${told(change.before)} to ${told(change.after)} with ${change.runId}.${others}`
}

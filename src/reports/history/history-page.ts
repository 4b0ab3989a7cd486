import { findMetric, type History, type MetricUnit, type Trend } from '#analysis'
import { pageFormatVersion } from '../layout/page-version.ts'
import { counted } from '../layout/units.ts'
import { differenceText, directionOf, historySentence } from './history-changes.ts'

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
    readonly interval: { readonly low: number; readonly high: number } | null
  }[]
  /** Runs from which on the figure has another level. */
  readonly changes: readonly {
    readonly runId: string
    /** Position of the run in the series, from 1. */
    readonly runNumber: number
    readonly before: number
    readonly after: number
    /** `+2.25 pp`, `−30.1%`. */
    readonly difference: string
    readonly verdict: 'better' | 'worse'
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

/** Everything that the page of a history shows. */
export function historyPage({ trends, runCount, leftOut }: History): HistoryPage {
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
      points: figures.map(({ runId, startedAt, value, interval }) => ({ runId, startedAt, value, interval })),
      changes: changes.map((change) => ({
        runId: change.runId,
        runNumber: change.runNumber,
        before: change.before,
        after: change.after,
        difference: differenceText(metric, change.before, change.after),
        verdict: directionOf({ trend: { metric }, change }),
      })),
    },
  ]
}

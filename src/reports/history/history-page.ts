import { findMetric, type History, type MetricUnit, type Trend } from '#analysis'
import type { FirstFigure } from '../layout/first-figure.ts'
import { pageFormatVersion } from '../layout/page-version.ts'
import { counted } from '../layout/units.ts'
import { differenceText, directionOf, historySentence, runFigureText } from './history-changes.ts'

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
    /** In words, with a mark where it is not comparable. */
    readonly text: string
    readonly interval: { readonly low: number; readonly high: number } | null
  }[]
  /** Runs from which on the figure has another level. */
  /** In words; null where the figure did not move evenly. */
  readonly drift: string | null
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

/** The latest figures of a contender in the longest series. */
interface LatestFigures {
  readonly contenderId: string
  readonly figures: readonly FirstFigure[]
}

/** The page of a history: figures over the runs of a folder. */
export interface HistoryPage {
  readonly kind: 'history'
  readonly formatVersion: number
  readonly title: string
  readonly answer: string
  readonly latest: readonly LatestFigures[]
  readonly groups: readonly TrendGroup[]
  readonly runCount: number
  readonly leftOut: readonly string[]
}

/** Everything that the page of a history shows. */
export function historyPage({ trends, runCount, leftOut }: History): HistoryPage {
  const groups = [...Map.groupBy(trends, ({ conditions }) => conditions)]
    .map(([conditions, own]) => ({ conditions, trends: own.flatMap(pageTrend) }))
    // The longest series first: what was measured once has no history yet.
    .toSorted((a, b) => longest(b) - longest(a))
  return {
    kind: 'history',
    formatVersion: pageFormatVersion,
    title: `History of ${counted(runCount, 'run')}`,
    answer: historySentence(trends, runCount),
    latest: groups[0] === undefined ? [] : latestFigures(groups[0]),
    groups,
    runCount,
    leftOut,
  }
}

const maxFigures = 4

function latestFigures({ trends }: TrendGroup): readonly LatestFigures[] {
  return [...Map.groupBy(trends, ({ contenderId }) => contenderId)].map(([contenderId, own]) => ({
    contenderId,
    figures: own.slice(0, maxFigures).flatMap(latestFigure),
  }))
}

function latestFigure({ name, points, changes, drift }: PageTrend): readonly FirstFigure[] {
  const latest = points.at(-1)
  if (latest === undefined) return []
  const change = changes.at(-1)
  const detail =
    change === undefined
      ? (drift ?? `no change in ${counted(points.length, 'run')}`)
      : `${change.verdict} since run ${change.runNumber} of ${points.length}: ${change.difference}`
  return [{ label: name, value: latest.text, detail }]
}

function longest({ trends }: TrendGroup): number {
  return Math.max(0, ...trends.map(({ points }) => points.length))
}

function pageTrend({ contenderId, metric, figures, changes, drift }: Trend): PageTrend[] {
  const known = findMetric(metric)
  if (known === null) return []
  return [
    {
      contenderId,
      metric,
      name: known.name,
      unit: known.unit,
      better: known.better,
      points: figures.map((figure) => {
        const { runId, startedAt, value, interval } = figure
        return { runId, startedAt, value, text: runFigureText(metric, figure), interval }
      }),
      drift:
        drift === null
          ? null
          : `drifts, evenly ${directionOf({ trend: { metric }, change: { before: drift.first, after: drift.last } })} over ` +
            `${counted(figures.length, 'run')}: ${differenceText(metric, drift.first, drift.last)}`,
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

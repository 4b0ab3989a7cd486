import { seededRandom } from '#prelude'
import { findChangePoints } from '#statistics'

/** One figure of one contender in one run. */
export interface HistoryFigure {
  readonly runId: string
  /** ISO 8601, UTC. */
  readonly startedAt: string
  readonly contenderId: string
  readonly metric: string
  readonly value: number
  /** 95 % interval of this run alone; null where it has none. */
  readonly interval: { readonly low: number; readonly high: number } | null
  /** Names what figures have to have in common to be one series: corpus, profile, load, machine. */
  readonly conditions: string
}

/** A run from which on a figure has another level. */
export interface TrendChange {
  readonly runId: string
  readonly startedAt: string
  /** Position of the run in the series, from 1. */
  readonly runNumber: number
  /** The last run of the level before. */
  readonly previousRunId: string
  /** Median of the runs between the previous change and this one. */
  readonly before: number
  /** Median of the runs between this change and the next one. */
  readonly after: number
  /** Share of shuffled copies of the runs around it with a change as clear. */
  readonly pValue: number
}

/** One metric of one contender over the runs that are comparable, in the order of time. */
export interface Trend {
  readonly contenderId: string
  readonly metric: string
  readonly conditions: string
  readonly figures: readonly HistoryFigure[]
  readonly changes: readonly TrendChange[]
}

/** Metrics whose history is shown by default; `leading` and `other` are the error rates of a run, the one that leads first. */
export const followedMetrics: readonly string[] = [
  'leading',
  'other',
  'failures',
  'latency.p50',
  'latency.p95',
  'rtfx',
]

/**
 * Figures of many runs as series with the runs at which their level changed.
 *
 * @param seed of the shuffled copies that a change is compared with
 */
export function findTrends(figures: readonly HistoryFigure[], seed: number): readonly Trend[] {
  const series = Map.groupBy(
    figures.toSorted((a, b) => (a.startedAt < b.startedAt ? -1 : a.startedAt > b.startedAt ? 1 : 0)),
    ({ contenderId, metric, conditions }) => JSON.stringify([contenderId, metric, conditions]),
  )
  return [...series.values()].flatMap((own) => {
    const [first] = own
    if (first === undefined) return []
    const { contenderId, metric, conditions } = first
    return [{ contenderId, metric, conditions, figures: own, changes: changesOf(own, seed) }]
  })
}

function changesOf(figures: readonly HistoryFigure[], seed: number): readonly TrendChange[] {
  const found = findChangePoints(
    figures.map(({ value }) => value),
    { random: seededRandom(seed), weights: weightsOf(figures) },
  )
  return found.flatMap(({ index, medianBefore, medianAfter, pValue }) => {
    const [previous, at] = [figures[index - 1], figures[index]]
    if (previous === undefined || at === undefined) return []
    return [
      {
        runId: at.runId,
        startedAt: at.startedAt,
        runNumber: index + 1,
        previousRunId: previous.runId,
        before: medianBefore,
        after: medianAfter,
        pValue,
      },
    ]
  })
}

/**
 * Runs with wider intervals count less. Runs of one build also differ by more than their intervals say, so that
 * spread is taken to be as large as the median interval: 1/√(1 + (width/median width)²), scaled to 1 at the median.
 */
function weightsOf(figures: readonly HistoryFigure[]): readonly number[] {
  const widths = figures.map(({ interval }) => (interval === null ? null : interval.high - interval.low))
  const known = widths.filter((width) => width !== null).sort((a, b) => a - b)
  const median = known[known.length >> 1] ?? 0
  return widths.map((width) =>
    width === null || median === 0 ? 1 : Math.SQRT2 / Math.sqrt(1 + (width / median) ** 2),
  )
}

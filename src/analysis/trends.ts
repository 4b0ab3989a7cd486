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
  /** Names what figures have to have in common to be one series: corpus, profile, load, machine. */
  readonly conditions: string
}

/** A place in a series from which on the figure was another. */
interface TrendChange {
  readonly runId: string
  readonly startedAt: string
  readonly before: number
  readonly after: number
  /** Share of shuffled series with a change as clear. */
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

/**
 * Figures of many runs as series with the places where they changed.
 *
 * @param seed of the shuffled copies that a change is held against
 * @see Matteson and James 2014, doi:10.1080/01621459.2013.849605
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
    const found = findChangePoints(
      own.map(({ value }) => value),
      { random: seededRandom(seed) },
    )
    const changes = found.flatMap(({ index, meanBefore, meanAfter, pValue }) => {
      const at = own[index]
      if (at === undefined) return []
      return [{ runId: at.runId, startedAt: at.startedAt, before: meanBefore, after: meanAfter, pValue }]
    })
    return [{ contenderId, metric, conditions, figures: own, changes }]
  })
}

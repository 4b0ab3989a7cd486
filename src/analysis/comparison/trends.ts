import { z } from 'zod'
import { type DeepReadonly, seededRandom } from '#prelude'
import {
  count,
  group,
  groupOrNull,
  list,
  nullableText,
  number,
  orNull,
  part,
  text,
} from '#prelude/document-fields'
import { leadingFirst, rateMetrics } from '#scoring/counts'
import type { ErrorLevel } from '#scoring/profiles/profile'
import { boundsSchema } from '#statistics/bounds'
import { findChangePoints, findDrift } from '#statistics/series/change-points'
import { findMetric } from '../metrics/metrics.ts'

const contenderId = text.describe('The contender.')
const metric = text
  .refine((id) => findMetric(id) !== null, 'is no metric')
  .describe('Id of the metric; see `transcribench explain <metric>`.')
const conditions = text.describe(
  'What figures must have in common to be one series: corpus, profile, load, machine, and the target but for the built-in service.',
)
const startedAt = text.describe('When the run started; ISO 8601, UTC.')

const historyFigureSchema = part('HistoryFigure', 'One figure of one contender in one run.', {
  runId: text.describe('Name of the run folder.'),
  startedAt,
  contenderId,
  metric,
  value: number.describe('In the unit of the metric.'),
  interval: orNull(boundsSchema).describe('95 % interval of this run alone; null where it has none.'),
  conditions,
  withheld: nullableText.describe(
    'Why a latency or speed of this run is not comparable: it is shown with `~`, and makes no change. Null where it is.',
  ),
})
export type HistoryFigure = DeepReadonly<z.infer<typeof historyFigureSchema>>

const trendChangeSchema = part('TrendChange', 'A run from which on a figure has another level.', {
  runId: text.describe('Name of the run folder.'),
  startedAt,
  runNumber: z.int().min(1).describe('Position of the run in the series, from 1.'),
  previousRunId: text.describe('The last run of the level before.'),
  before: number.describe('Median of the runs between the previous change and this one.'),
  after: number.describe('Median of the runs between this change and the next one.'),
  pValue: number.describe('Share of shuffled copies of the runs around it with a change as clear.'),
})
export type TrendChange = DeepReadonly<z.infer<typeof trendChangeSchema>>

const trendSchema = part('Trend', 'One metric of one contender over the runs that are comparable.', {
  contenderId,
  metric,
  conditions,
  figures: list(historyFigureSchema).describe('In the order of time.'),
  changes: list(trendChangeSchema).describe('Runs at which the level changed; none where it drifted.'),
  drift: groupOrNull({
    first: number.describe('Of a straight line through the runs, at the first one.'),
    last: number.describe('At the last one.'),
  }).describe('A figure that moved evenly over all runs; null where it did not.'),
})
export type Trend = DeepReadonly<z.infer<typeof trendSchema>>

/** Schema of a history as `transcribench history --json` prints it. */
export const historySchema = group({
  runCount: count.describe('Runs of the history.'),
  leftOut: list(text).describe('Runs without a score that can be read.'),
  trends: list(trendSchema).describe('One for each metric, contender and set of conditions.'),
}).describe('The figures of many runs, and the runs at which they changed.')
export type HistoryDocument = DeepReadonly<z.infer<typeof historySchema>>

/** Default metrics of a history; `leading` and `other` are the error rates of a run, the leading one first. */
export const followedMetrics: readonly string[] = [
  'leading',
  'other',
  'failures',
  'latency.p50',
  'latency.p95',
  'rtfx',
]

/** Returns the metric that `leading` or `other` means in a run; other metrics are returned unchanged. */
export function followedMetric(metric: string, leads: ErrorLevel): string {
  const [leading, other] = leadingFirst(leads)
  if (metric === 'leading') return rateMetrics[leading]
  return metric === 'other' ? rateMetrics[other] : metric
}

/** Seed of the shuffled copies that a change is compared with. */
const seed = 1

/** Groups the figures of many runs into series, and finds the runs at which their level changed. */
export function findTrends(figures: readonly HistoryFigure[]): readonly Trend[] {
  const seriesByKey = Map.groupBy(
    figures.toSorted((a, b) => (a.startedAt < b.startedAt ? -1 : a.startedAt > b.startedAt ? 1 : 0)),
    ({ contenderId, metric, conditions }) => JSON.stringify([contenderId, metric, conditions]),
  )
  return [...seriesByKey.values()].flatMap((series) => {
    const [first] = series
    if (first === undefined) return []
    const { contenderId, metric, conditions } = first
    return [{ contenderId, metric, conditions, figures: series, ...findMoves(series) }]
  })
}

function findMoves(series: readonly HistoryFigure[]): Pick<Trend, 'changes' | 'drift'> {
  // The effect of a busy machine on a run is no change of the measured system.
  const figures = series.filter(({ withheld }) => withheld === null)
  const values = figures.map(({ value }) => value)
  const found = findChangePoints(values, { random: seededRandom(seed), weights: weighFigures(figures) })
  const drift = findDrift(values, found)
  if (drift !== null) return { changes: [], drift }
  const changes = found.flatMap(({ index, medianBefore, medianAfter, pValue }) => {
    const [previous, at] = [figures[index - 1], figures[index]]
    if (previous === undefined || at === undefined) return []
    return [
      {
        runId: at.runId,
        startedAt: at.startedAt,
        runNumber: series.indexOf(at) + 1,
        previousRunId: previous.runId,
        before: medianBefore,
        after: medianAfter,
        pValue,
      },
    ]
  })
  return { changes, drift }
}

/**
 * Weights runs by their intervals. Runs of one build vary more than their intervals show, so an equal spread, the
 * median interval, is added: 1/√(1 + (width/median width)²), scaled to 1 at the median. Of an even number of
 * intervals, the median is the upper one of the middle two.
 */
function weighFigures(figures: readonly HistoryFigure[]): readonly number[] {
  const widths = figures.map(({ interval }) => (interval === null ? null : interval.high - interval.low))
  const sorted = widths.filter((width) => width !== null).sort((a, b) => a - b)
  const median = sorted[sorted.length >> 1] ?? 0
  return widths.map((width) =>
    width === null || median === 0 ? 1 : Math.SQRT2 / Math.sqrt(1 + (width / median) ** 2),
  )
}

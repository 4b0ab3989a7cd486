import { quantile, sortSamples, trendSlope } from '#statistics'
import type { UtteranceEvaluation } from './evaluation.ts'
import { type Finding, finding } from './findings.ts'

/** A change over the whole run that is worth a word. */
const leastChange = 0.1
/** Repeats of utterances that a trend needs at least. */
const fewestPoints = 20
/** The slopes of all pairs are looked at: more points would cost much and tell little. */
const mostPoints = 400

type SentRow = Pick<UtteranceEvaluation, 'utteranceId' | 'serviceMs'> & { readonly sentAtMs: number }

/**
 * Whether a contender became slower or faster while it was measured: heat, a leak, a neighbour. Every utterance that was
 * sent more than once stands for itself: the logarithm of its service time over its own median, against time.
 *
 * @param rows answered requests of one contender
 * @returns a finding where Theil and Sen's slope excludes 0 and comes to a tenth or more over the run
 */
export function driftFinding(contenderId: string, rows: readonly SentRow[]): readonly Finding[] {
  const points = [...Map.groupBy(rows, ({ utteranceId }) => utteranceId).values()].flatMap((repeats) => {
    const usualMs = quantile(sortSamples(repeats.flatMap(({ serviceMs }) => serviceMs ?? [])), 0.5)
    if (repeats.length < 2 || usualMs === null || usualMs <= 0) return []
    return repeats.flatMap(({ serviceMs, sentAtMs }) =>
      serviceMs === null || serviceMs <= 0 ? [] : [{ x: sentAtMs, y: Math.log(serviceMs / usualMs) }],
    )
  })
  if (points.length < fewestPoints) return []
  const every = Math.ceil(points.length / mostPoints)
  const inTime = points.toSorted((a, b) => a.x - b.x)
  const trend = trendSlope(inTime.filter((_, index) => index % every === 0))
  const spanMs = (inTime.at(-1)?.x ?? 0) - (inTime[0]?.x ?? 0)
  if (trend === null || trend.interval === null || spanMs <= 0) return []
  const { low, high } = trend.interval
  const change = Math.exp(trend.slope * spanMs) - 1
  if ((low <= 0 && high >= 0) || Math.abs(change) < leastChange) return []
  const direction = change > 0 ? 'slower' : 'faster'
  const percent = (ms: number): string => Math.abs((Math.exp(ms * spanMs) - 1) * 100).toFixed(0)
  const [least, most] = change > 0 ? [low, high] : [high, low]
  return [
    finding(
      'DRIFT_WITHIN_RUN',
      `${contenderId} became ${percent(trend.slope)}% ${direction} from the beginning of the run to its end ` +
        `(95% interval ${percent(least)}% to ${percent(most)}%)`,
      change > 0 ? 'look for heat, memory and other programs, and measure again' : 'warm up longer: --warmup',
    ),
  ]
}

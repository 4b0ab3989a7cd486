import { numberColumn } from '#prelude'
import { type Point, quantile, sortSamples, trendSlope } from '#statistics'
import type { AnsweredTimes } from '../../requests/answered-times.ts'
import type { Observation } from '../finding-definition.ts'
import type { RunFinding } from '../run-facts.ts'

/** A change over the whole run that is worth a word. */
const leastChange = 0.1
/** Repeats of utterances that a trend needs at least. */
const fewestPoints = 20
/** The slopes of all pairs are looked at: more points would cost much and add little. */
const mostPoints = 400

export const driftWithinRun = {
  code: 'DRIFT_WITHIN_RUN',
  severity: 'warning',
  meaning:
    'Under a closed load, the service time of utterances that were sent again and again rose or fell by a tenth or more ' +
    'from the beginning of the run to its end: Theil and Sen’s slope over time of each one against its own median, whose ' +
    '95% interval excludes no change. Figures are those of a machine that was becoming another one.',
  detect: ({ closedLoadTimes }) =>
    closedLoadTimes.flatMap(({ resolved, answered }) => drift(resolved.contender.id, answered)),
} satisfies RunFinding

/**
 * Whether a contender became slower or faster while it was measured: heat, a leak, a neighbour. Every utterance that was
 * sent more than once is its own control: the logarithm of its service time over its own median, against time.
 *
 * @returns something where Theil and Sen's slope excludes 0 and comes to a tenth or more over the run
 */
function drift(contenderId: string, answered: AnsweredTimes): readonly Observation[] {
  const { times, slowness } = relativeTimes(answered)
  if (slowness.length < fewestPoints) return []
  const every = Math.ceil(slowness.length / mostPoints)
  const pointAt = (point: number): Point => ({ x: times[point] as number, y: slowness[point] as number })
  const inTime = Uint32Array.from(times.keys()).sort((a, b) => (times[a] as number) - (times[b] as number))
  const trend = trendSlope(
    Array.from(
      inTime.filter((_, index) => index % every === 0),
      pointAt,
    ),
  )
  const spanMs = pointAt(inTime.at(-1) ?? 0).x - pointAt(inTime[0] ?? 0).x
  if (trend === null || trend.interval === null || spanMs <= 0) return []
  const { low, high } = trend.interval
  const change = Math.exp(trend.slope * spanMs) - 1
  if ((low <= 0 && high >= 0) || Math.abs(change) < leastChange) return []
  const direction = change > 0 ? 'slower' : 'faster'
  const percent = (ms: number): string => Math.abs((Math.exp(ms * spanMs) - 1) * 100).toFixed(0)
  const [least, most] = change > 0 ? [low, high] : [high, low]
  return [
    {
      message:
        `${contenderId} became ${percent(trend.slope)}% ${direction} from the beginning of the run to its end ` +
        `(95% interval ${percent(least)}% to ${percent(most)}%)`,
      advice:
        change > 0
          ? 'look for heat, memory and other programs, and measure again'
          : 'warm up longer, such as --warmup 20',
    },
  ]
}

/** Of every utterance that was answered more than once: when, and the logarithm of its time over its own median. */
function relativeTimes({ utterancePlaces, requestCount, sentAtMs, serviceMs }: AnsweredTimes): {
  readonly times: Float64Array
  readonly slowness: Float64Array
} {
  const [times, slowness] = [numberColumn(requestCount), numberColumn(requestCount)]
  for (let utterance = 0; utterance < utterancePlaces.length; utterance += 1) {
    const [sent, took] = [sentAtMs(utterance), serviceMs(utterance)]
    const usualMs = quantile(sortSamples(took), 0.5)
    if (took.length < 2 || usualMs === null || usualMs <= 0) continue
    for (const [repeat, ms] of took.entries()) {
      if (ms <= 0) continue
      times.add(sent[repeat] as number)
      slowness.add(Math.log(ms / usualMs))
    }
  }
  return { times: times.values(), slowness: slowness.values() }
}

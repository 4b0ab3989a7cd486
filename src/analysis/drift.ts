import { type Point, quantile, sortSamples, trendSlope } from '#statistics'
import { type Finding, finding } from './findings.ts'
import type { JudgedContender } from './judged-run.ts'

/** A change over the whole run that is worth a word. */
const leastChange = 0.1
/** Repeats of utterances that a trend needs at least. */
const fewestPoints = 20
/** The slopes of all pairs are looked at: more points would cost much and tell little. */
const mostPoints = 400

/** Times of the answered requests about one utterance. */
interface Repeats {
  readonly sentAtMs: number[]
  readonly serviceMs: number[]
}

/**
 * Whether a contender became slower or faster while it was measured: heat, a leak, a neighbour. Every utterance that was
 * sent more than once stands for itself: the logarithm of its service time over its own median, against time.
 *
 * @returns a finding where Theil and Sen's slope excludes 0 and comes to a tenth or more over the run
 */
export function driftFinding({
  contender,
  requests,
}: Pick<JudgedContender, 'contender' | 'requests'>): readonly Finding[] {
  const [sentAtMs, slowness]: [number[], number[]] = [[], []]
  for (const repeats of answeredRepeats(requests).values()) {
    const usualMs = quantile(sortSamples(repeats.serviceMs), 0.5)
    if (repeats.serviceMs.length < 2 || usualMs === null || usualMs <= 0) continue
    for (const [repeat, serviceMs] of repeats.serviceMs.entries()) {
      if (serviceMs <= 0) continue
      sentAtMs.push(repeats.sentAtMs[repeat] as number)
      slowness.push(Math.log(serviceMs / usualMs))
    }
  }
  if (slowness.length < fewestPoints) return []
  const every = Math.ceil(slowness.length / mostPoints)
  const pointAt = (point: number): Point => ({ x: sentAtMs[point] as number, y: slowness[point] as number })
  const inTime = sentAtMs.map((_, point) => point).sort((a, b) => pointAt(a).x - pointAt(b).x)
  const trend = trendSlope(inTime.filter((_, index) => index % every === 0).map(pointAt))
  const spanMs = pointAt(inTime.at(-1) ?? 0).x - pointAt(inTime[0] ?? 0).x
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
      `${contender.id} became ${percent(trend.slope)}% ${direction} from the beginning of the run to its end ` +
        `(95% interval ${percent(least)}% to ${percent(most)}%)`,
      change > 0 ? 'look for heat, memory and other programs, and measure again' : 'warm up longer: --warmup',
    ),
  ]
}

function answeredRepeats(requests: JudgedContender['requests']): ReadonlyMap<string, Repeats> {
  const repeats = new Map<string, Repeats>()
  for (const { attempt, status, utterance } of requests) {
    if (status !== 'scored' || attempt === null) continue
    const { sentAtMs, endedAtMs } = attempt
    const known = repeats.get(utterance.id)
    if (known === undefined) {
      repeats.set(utterance.id, { sentAtMs: [sentAtMs], serviceMs: [endedAtMs - sentAtMs] })
    } else {
      known.sentAtMs.push(sentAtMs)
      known.serviceMs.push(endedAtMs - sentAtMs)
    }
  }
  return repeats
}

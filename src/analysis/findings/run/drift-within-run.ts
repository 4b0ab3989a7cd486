import type { AttemptLine } from '#journal/attempt-line'
import type { TelemetryLine } from '#journal/telemetry-line'
import { sumOf } from '#prelude'
import { median } from '#statistics/quantiles'
import { type Point, trendSlope } from '#statistics/series/trend'
import { type Answered, serviceTimeMs } from '../../requests/request-times.ts'
import type { ResolvedContender } from '../../requests/resolved-run.ts'
import type { Observation } from '../finding-definition.ts'
import { runFinding } from '../run-facts.ts'
import { hostBusyText } from './host.ts'

/** Min relative change over the whole run for a finding. */
const leastChange = 0.1
/** Min number of repeated utterances for a trend. */
const fewestPoints = 20
/**
 * Requests of one turn share the state of the machine, so they are not independent; means of turns nearly are. A run
 * with too few turns for a trend is cut into this many periods.
 */
const [fewestTurns, maxTurns, stretches] = [5, 100, 10]

/** Min share of a change that a reference must have to explain it. */
const explainingShare = 0.5

export const driftWithinRun = runFinding('DRIFT_WITHIN_RUN', 'warning', (facts) => {
  const { closedLoadAnswers, material } = facts
  const busy = hostBusyText({ ...facts, run: material.record.host })
  const drifts = closedLoadAnswers.map(({ resolved, answered }) => ({
    resolved,
    answered,
    trend: findTrend(relativeTimes(answered, serviceTimeMs)),
  }))
  return drifts.flatMap(({ resolved, answered, trend }) => {
    if (trend === null || Math.abs(trend.change) < leastChange || !trend.isCertain) return []
    const others = drifts.flatMap((other) =>
      other.resolved === resolved || other.trend === null
        ? []
        : [{ id: other.resolved.contender.id, trend: other.trend }],
    )
    return [observe(resolved, trend, { others, answered, telemetry: material.telemetry ?? [], busy })]
  })
})

interface Trend {
  /** Relative change: 0.1 is 10 % more. */
  readonly change: number
  readonly ends: readonly [nearer: number, further: number]
  readonly isCertain: boolean
}

/**
 * Fits a trend, for example from heat, a leak or another program. Every repeated utterance is its own control: the
 * logarithm of its time over its own median, against time, as means per turn.
 *
 * @returns null with too few repeats
 */
function findTrend({ points, repeats }: ReturnType<typeof relativeTimes>): Trend | null {
  if (points.length < fewestPoints) return null
  const inTime = points.toSorted((one, other) => one.x - other.x)
  const turns = repeats < fewestTurns ? stretches : Math.min(repeats, maxTurns)
  const trend = trendSlope(
    Array.from({ length: turns }, (_, turn) => {
      const [from, until] = [turn, turn + 1].map((edge) => Math.round((edge * inTime.length) / turns))
      const turnPoints = inTime.slice(from, until)
      return { x: meanOf(turnPoints, ({ x }) => x), y: meanOf(turnPoints, ({ y }) => y) }
    }),
  )
  const spanMs = (inTime.at(-1)?.x ?? 0) - (inTime[0]?.x ?? 0)
  if (trend === null || trend.interval === null || spanMs <= 0) return null
  const { low, high } = trend.interval
  const changeBy = (slope: number): number => Math.exp(slope * spanMs) - 1
  return {
    change: changeBy(trend.slope),
    ends: trend.slope > 0 ? [changeBy(low), changeBy(high)] : [changeBy(high), changeBy(low)],
    isCertain: low > 0 || high < 0,
  }
}

function meanOf(points: readonly Point[], value: (point: Point) => number): number {
  return sumOf(points, value) / points.length
}

interface Reference {
  readonly answered: Answered
  readonly others: readonly { readonly id: string; readonly trend: Trend }[]
  readonly telemetry: readonly TelemetryLine[]
  /** See `hostBusyText`. */
  readonly busy: string | null
}

function observe(resolved: ResolvedContender, { change, ends }: Trend, reference: Reference): Observation {
  const { id } = resolved.contender
  const interval = `(95% interval ${ends.map(percentText).join(' to ')})`
  const elsewhere = causeElsewhere(resolved, change, reference)
  if (elsewhere !== null) {
    const longer = `${percentText(change)} ${change > 0 ? 'longer' : 'less time'}`
    return {
      message: `requests to ${id} took ${longer} at the end of the run than at its beginning ${interval}${elsewhere}`,
      advice: 'close other programs, warm up longer (--warmup 20), and measure again',
    }
  }
  return {
    message: `${id} became ${percentText(change)} ${change > 0 ? 'slower' : 'faster'} from the beginning of the run to its end ${interval}`,
    advice:
      change > 0
        ? 'look for heat, memory and other programs on its machine, and measure again'
        : 'warm up longer, such as --warmup 20',
  }
}

function percentText(change: number): string {
  return `${Math.abs(change * 100).toFixed(0)}%`
}

/** Describes a possible cause other than the server, as the end of a sentence; null where it was the server. */
function causeElsewhere(
  resolved: ResolvedContender,
  change: number,
  { answered, others, telemetry, busy }: Reference,
): string | null {
  if (busy !== null) return `; ${busy}, so it is not known what changed`
  const byServer = findTrend(relativeTimes(answered, reportedMs))
  if (byServer !== null) {
    if (explains(byServer.change, change)) return null
    const tookText = `took ${percentText(byServer.change)} ${byServer.change > 0 ? 'longer' : 'less'}`
    const reportedText = Math.abs(byServer.change) < 0.005 ? 'did not change' : tookText
    return `, but by the times that it reports itself they ${reportedText}: what changed is this machine or the way to the server`
  }
  const alike = others.filter(({ trend }) => trend.isCertain && explains(trend.change, change))
  if (alike.length > 0) {
    const ids = alike.map((other) => other.id).join(', ')
    return `, and so did those to ${ids} in the same turns: what changed is the machine or this program, not one contender`
  }
  const clientMs = clientChangeMs(resolved, telemetry)
  if (clientMs !== null && explains(clientMs / usualServiceMs(resolved), change)) {
    return `, and this program stood still for ${Math.abs(clientMs).toFixed(0)} ms ${clientMs > 0 ? 'more' : 'less'} at a time then: what changed is the client`
  }
  return others.length === 0
    ? '; whether the server, this machine or the way between them changed cannot be known from one contender'
    : null
}

/** Whether a reference explains a change. Ratios are compared: half as long is the opposite of twice as long. */
function explains(referenceChange: number, change: number): boolean {
  return Math.log1p(Math.max(-0.99, referenceChange)) / Math.log1p(change) >= explainingShare
}

/** Returns how many ms longer the client delayed requests in the last third than in the first; null if unknown. */
function clientChangeMs({ sendings }: ResolvedContender, telemetry: readonly TelemetryLine[]): number | null {
  const waits = sendings.flatMap(({ sentAtMs, socket }) =>
    socket === undefined ? [] : [{ x: sentAtMs, y: socket.startedAtMs - sentAtMs }],
  )
  const stalls = telemetry.flatMap(({ atMs, ownLoopDelayMs }) =>
    ownLoopDelayMs == null ? [] : [{ x: atMs, y: ownLoopDelayMs }],
  )
  const changes = [waits, stalls].flatMap((points) => changeOfThirds(points) ?? [])
  return changes.length === 0 ? null : changes.reduce((sum, change) => sum + change, 0)
}

/** Returns the median of the last third minus that of the first; null with few points. */
function changeOfThirds(points: readonly Point[]): number | null {
  const inTime = points.toSorted((one, other) => one.x - other.x).map(({ y }) => y)
  const third = Math.floor(inTime.length / 3)
  const [first, last] = [inTime.slice(0, third), inTime.slice(inTime.length - third)].map(median)
  return first == null || last == null ? null : last - first
}

function usualServiceMs({ sendings }: ResolvedContender): number {
  return median(sendings.filter(({ outcome }) => outcome.ok).map(serviceTimeMs)) ?? 1
}

/** Returns the time that the server reports for an answer; null where it reports none. */
function reportedMs({ outcome }: AttemptLine): number | null {
  const answer = outcome.ok ? outcome.answer : null
  const ms = answer?.serverLatencyMs ?? answer?.serverDecodeMs ?? 0
  return ms <= 0 ? null : ms
}

/**
 * Returns, for every repeated utterance, the logarithms of its times over their median at the times of sending.
 *
 * @param timeOf time of an answer in ms; an answer without one is left out
 */
function relativeTimes(
  answered: Answered,
  timeOf: (attempt: AttemptLine) => number | null,
): {
  readonly points: readonly Point[]
  /** Max number of answers of one utterance. */
  readonly repeats: number
} {
  let repeats = 0
  const points: Point[] = []
  for (const attempts of answered.values()) {
    const times = attempts.flatMap((attempt) => timeOf(attempt) ?? [])
    const usualMs = median(times)
    if (times.length < 2 || usualMs === null || usualMs <= 0) continue
    repeats = Math.max(repeats, times.length)
    for (const attempt of attempts) {
      const ms = timeOf(attempt) ?? 0
      if (ms > 0) points.push({ x: attempt.sentAtMs, y: Math.log(ms / usualMs) })
    }
  }
  return { points, repeats }
}

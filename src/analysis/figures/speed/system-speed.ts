import { meansRateLimited } from '#contract/failures'
import type { AttemptLine, ReusedLine } from '#journal/attempt-line'
import { counted, countUpTo, sumOf } from '#prelude'
import type { Point } from '#statistics/series/trend'
import type { RateLimitWaits, ReusedAnswers } from '../../documents/contender-evaluation.ts'
import type { SystemSpeed } from '../../documents/speed.ts'

/**
 * Returns audio seconds transcribed per second in the steady part of the load, over all blocks of one contender.
 *
 * With one request in flight, a block is steady from its first sending to its last answer. With several, its steady
 * window is from its first completion to its last start. This excludes the ramp-up (the first requests, all sent at
 * once) and the drain (the last ones, with fewer and fewer in flight). Completions in the window count with their
 * whole audio.
 *
 *   in flight 1   ├──a──┤├──c──┤├──d──┤
 *   in flight 2   ├───b────┤├────e────┤
 *                       ╎┄┄┄┄┄┄┄┄┄╎              window: end of a … start of the last; b and c count
 *
 * A failed request adds no audio, but its time stays in the window. The completions at both ends of a window are
 * random, more so with several in flight. A window therefore needs ten completions per request in flight; otherwise
 * its block has none.
 *
 * A resumption of the run, or a pause for a rate limit, splits a block in two, so that no window contains the gap.
 *
 * @param sendings all measured sendings of one contender, with their blocks
 * @returns sum of audio seconds / sum of window lengths, never a mean of per-request ratios
 */
export function systemSpeed(sendings: readonly AttemptLine[], context: SpeedContext): SystemSpeed {
  const { concurrency } = context
  if (sendings.length > 0 && sendings.every(({ audioSeconds }) => audioSeconds === 0)) {
    return { value: null, reason: 'the requests carry no audio', moreAnswers: null }
  }
  const all = blockWindows(sendings, context)
  const windows = all.flatMap(({ steady }) => steady ?? [])
  const windowSeconds = sumOf(windows, (window) => window.lengthMs) / 1000
  if (windows.length === 0 || windowSeconds <= 0) {
    const found = all.map(({ window }) => window)
    const moreAnswers = sumOf(found, (window) => lackingAnswers(window, concurrency))
    return { value: null, reason: shortBlockReason(found, concurrency), moreAnswers: moreAnswers || null }
  }
  const audioSeconds = sumOf(windows, (window) => window.audioSeconds)
  const meanInFlight = sumOf(windows, (window) => window.busyMs) / (windowSeconds * 1000)
  return {
    value: audioSeconds / windowSeconds,
    audioSeconds,
    windowSeconds,
    blockCount: windows.length,
    shortBlockCount: all.length - windows.length,
    meanInFlight,
    completedCount: sumOf(windows, (window) => window.endedCount),
    // N = X · R. Within the window the product is the integral itself; only a load's concurrency is independent of it.
    predictedInFlight: concurrency ?? meanInFlight,
  }
}

interface BlockWindow {
  readonly block: number
  /** Null where there is nothing between ramp-up and drain. */
  readonly window: SteadyWindow | null
  /** The window if it is long enough to count; otherwise null. */
  readonly steady: SteadyWindow | null
}

/** Returns the steady window of every block; a resumption or a pause for a rate limit splits a block. */
export function blockWindows(
  sendings: readonly AttemptLine[],
  context: SpeedContext,
): readonly BlockWindow[] {
  const pauses = findPauses(sendings)
  const pauseEndsMs = pauses.map(({ untilMs }) => untilMs)
  const parts = [
    ...Map.groupBy(
      sendings,
      ({ block, segment = 0, sentAtMs }) => `${block} ${segment} ${countUpTo(pauseEndsMs, sentAtMs)}`,
    ).values(),
  ]
  const isRefused = refusedForPause(sendings)
  // A refusal before a pause does not extend the window either.
  const isDrained: SpeedContext['isDrained'] = (sending) => isRefused(sending) || context.isDrained(sending)
  return parts.map((rows) => {
    const window = steadyWindow(rows, { ...context, isDrained })
    const isSteady =
      window !== null && window.completedCount >= neededCompletions(window, context.concurrency)
    return { block: rows.at(0)?.block ?? 0, window, steady: isSteady ? window : null }
  })
}

export interface SpeedContext {
  /** Requests that the load keeps in flight; null for other loads, where the measured number counts. */
  readonly concurrency: number | null
  /** Whether a request was sent while the load ran out, so that its start does not extend the window. */
  readonly isDrained: (sending: AttemptLine) => boolean
}

/** Min completions of a window per request in flight. */
const completionsPerSlot = 10

interface SteadyWindow {
  readonly lengthMs: number
  readonly completedCount: number
  readonly audioSeconds: number
  /** Number of requests that ended inside the window, with any outcome. */
  readonly endedCount: number
  /** Time in flight inside the window, summed over all requests. */
  readonly busyMs: number
}

/** Time of a sending that bounds a window. */
type Edge = (sending: AttemptLine) => number

function steadyWindow(
  block: readonly AttemptLine[],
  { concurrency, isDrained }: SpeedContext,
): SteadyWindow | null {
  const sent: Edge = ({ sentAtMs }) => sentAtMs
  const ended: Edge = ({ endedAtMs }) => endedAtMs
  // One request in flight has neither ramp-up nor drain.
  const [from, until] = concurrency === 1 ? [sent, ended] : [ended, sent]
  const first = block.reduce((least, sending) => Math.min(least, from(sending)), Number.POSITIVE_INFINITY)
  const last = block.reduce(
    (most, sending) => (isDrained(sending) ? most : Math.max(most, until(sending))),
    Number.NEGATIVE_INFINITY,
  )
  let [completedCount, audioSeconds, endedCount, busyMs] = [0, 0, 0, 0]
  for (const sending of block) {
    const { sentAtMs, endedAtMs } = sending
    busyMs += Math.max(0, Math.min(endedAtMs, last) - Math.max(sentAtMs, first))
    if (endedAtMs <= first || endedAtMs > last) continue
    endedCount += 1
    if (!sending.outcome.ok) continue
    completedCount += 1
    audioSeconds += sending.audioSeconds
  }
  if (last <= first || completedCount === 0) return null
  return { lengthMs: last - first, completedCount, audioSeconds, endedCount, busyMs }
}

function neededCompletions(
  { busyMs, lengthMs }: Pick<SteadyWindow, 'busyMs' | 'lengthMs'>,
  concurrency: number | null,
): number {
  if (concurrency === 1) return 1
  return completionsPerSlot * (concurrency ?? Math.max(1, Math.round(busyMs / lengthMs)))
}

const noWindow = { busyMs: 0, lengthMs: 1, completedCount: 0 }

/** Returns the number of further answers that a block needs. */
function lackingAnswers(window: SteadyWindow | null, concurrency: number | null): number {
  const { completedCount, ...steady } = window ?? noWindow
  return Math.max(0, neededCompletions(steady, concurrency) - completedCount)
}

function shortBlockReason(windows: readonly (SteadyWindow | null)[], concurrency: number | null): string {
  if (windows.length === 0) return 'nothing was sent'
  const longest = windows.reduce((most, one) =>
    (one?.completedCount ?? 0) > (most?.completedCount ?? 0) ? one : most,
  )
  const needed = neededCompletions(longest ?? noWindow, concurrency)
  const load = concurrency === null ? '' : ` with ${concurrency} in flight`
  return (
    `needs ${counted(needed, 'answer')} between the first completion and the last start of a block${load}, ` +
    `the longest has ${longest?.completedCount ?? 0}`
  )
}

/** A period, in milliseconds of the run. */
interface Span {
  readonly fromMs: number
  readonly untilMs: number
}

/** A block of requests to one contender. */
export interface BlockSpan extends Span {
  readonly segment: number
  /** Audio of the answered requests. */
  readonly audioSeconds: number
}

export function blockSpans(sendings: readonly AttemptLine[]): readonly BlockSpan[] {
  const blocks = [
    ...Map.groupBy(
      sendings,
      ({ block, contenderId, segment = 0 }) => `${block} ${contenderId} ${segment}`,
    ).values(),
  ]
  return blocks.flatMap((block) => {
    const span = findSpan(block)
    if (span === null) return []
    const segment = block.reduce((latest, sending) => Math.max(latest, sending.segment ?? 0), 0)
    const audioSeconds = sumOf(block, (sending) => (sending.outcome.ok ? sending.audioSeconds : 0))
    return [{ ...span, segment, audioSeconds }]
  })
}

/** Returns the period from the first sending to the last answer; null without any. */
export function findSpan(sendings: readonly AttemptLine[]): Span | null {
  if (sendings.length === 0) return null
  return sendings.reduce<Span>(
    ({ fromMs, untilMs }, { sentAtMs, endedAtMs }) => ({
      fromMs: Math.min(fromMs, sentAtMs),
      untilMs: Math.max(untilMs, endedAtMs),
    }),
    { fromMs: Number.POSITIVE_INFINITY, untilMs: Number.NEGATIVE_INFINITY },
  )
}

/** Returns a counter's value at a time, interpolated linearly; null outside the samples. */
export function valueAt(counter: readonly Point[], atMs: number): number | null {
  let low = 0
  let high = counter.length - 1
  const [first, last] = [counter[low], counter[high]]
  if (first === undefined || last === undefined || atMs < first.x || atMs > last.x) return null
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((counter[middle] as Point).x <= atMs) low = middle
    else high = middle
  }
  const before = counter[low] as Point
  const after = counter[high] as Point
  if (after.x === before.x) return after.y
  return before.y + ((after.y - before.y) * (atMs - before.x)) / (after.x - before.x)
}

/**
 * Returns the periods in which one contender got no requests because its server had asked for a pause. They are in
 * order and disjoint, because requests in flight wait together.
 *
 *   held   ├·········┤ sent
 *   held      ├······┤ sent
 *   pause  ├─────────┤
 */
function findPauses(sendings: readonly AttemptLine[]): readonly Span[] {
  const held: Span[] = []
  for (const { dueAtMs, pacedMs } of sendings)
    if (pacedMs !== undefined && pacedMs > 0) held.push({ fromMs: dueAtMs - pacedMs, untilMs: dueAtMs })
  const pauses: Span[] = []
  for (const span of held.sort((a, b) => a.fromMs - b.fromMs)) {
    const last = pauses.at(-1)
    if (last === undefined || span.fromMs > last.untilMs) pauses.push(span)
    else pauses[pauses.length - 1] = { ...last, untilMs: Math.max(last.untilMs, span.untilMs) }
  }
  return pauses
}

/** Whether a sending was refused for a rate limit, and repeated after a pause. */
function refusedForPause(sendings: readonly AttemptLine[]): (sending: AttemptLine) => boolean {
  const resent = new Set<string>()
  for (const { index, attempt, pacedMs } of sendings)
    if (attempt > 1 && pacedMs !== undefined) resent.add(`${index}/${attempt - 1}`)
  if (resent.size === 0) return () => false
  return ({ index, attempt, outcome }) =>
    !outcome.ok && meansRateLimited(outcome.failure) && resent.has(`${index}/${attempt}`)
}

/** Measures the time that a contender waited for a rate limit. */
export function rateLimitWaits(sendings: readonly AttemptLine[]): RateLimitWaits {
  const pauses = findPauses(sendings)
  const isRefused = refusedForPause(sendings)
  return {
    refusedCount: sendings.filter(isRefused).length,
    waitedSeconds: pauses.reduce((sum, { fromMs, untilMs }) => sum + untilMs - fromMs, 0) / 1000,
  }
}

/** @param lines answers of earlier runs to the requests of one contender */
export function reusedAnswers(lines: readonly ReusedLine[]): ReusedAnswers {
  const moments = lines.map(({ answeredAt }) => answeredAt).sort()
  return {
    count: lines.length,
    runs: [...new Set(lines.map(({ run }) => run))].sort(),
    oldestAt: moments[0] ?? '',
  }
}

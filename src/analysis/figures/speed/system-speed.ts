import { meansRateLimited } from '#contract/failures'
import type { AttemptLine, ReusedLine } from '#journal/attempt-line'
import { counted, sumOf } from '#prelude'
import type { Point } from '#statistics/series/trend'
import type { RateLimitWaits, ReusedAnswers } from '../../documents/contender-evaluation.ts'
import type { SystemSpeed } from '../../documents/speed.ts'

/**
 * Audio seconds transcribed per second while the load was steady, over all blocks of one contender.
 *
 * With one in flight a block is steady from its first sending to its last answer, and all of it counts. With several, the
 * steady window of a block reaches from its first completion to its last start, so that neither the ramp (the first
 * requests, all sent at once) nor the drain (the last ones, with fewer and fewer next to them) is in it. What completes
 * inside it counts, with its whole audio.
 *
 *   in flight 1   ├──a──┤├──c──┤├──d──┤
 *   in flight 2   ├───b────┤├────e────┤
 *                       ╎┄┄┄┄┄┄┄┄┄╎              window: end of a … start of the last; b and c count
 *
 * A failed request adds no audio, and the time it took stays in the window. Which completions fall into a window
 * is chance at both ends, and with several in flight the more so: a window needs ten completions for each request in
 * flight, and a block without as many has none.
 *
 * A block that a run was resumed in is two, and so is one with a pause for a rate limit: no window reaches over the gap.
 *
 * @param sendings every measured sending of one contender, with its block
 * @returns the sum of audio seconds / the sum of windows, never a mean of per-request ratios
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
    // N = X · R. With the edges of the windows the right side is the integral itself; only what a load keeps is another source.
    predictedInFlight: concurrency ?? meanInFlight,
  }
}

interface BlockWindow {
  readonly block: number
  /** Null where nothing lies between ramp and drain. */
  readonly window: SteadyWindow | null
  /** The window where it is long enough to count; null otherwise. */
  readonly steady: SteadyWindow | null
}

/** The steady window of every block; one that a run was resumed in, or that paused for a rate limit, has several. */
export function blockWindows(
  sendings: readonly AttemptLine[],
  context: SpeedContext,
): readonly BlockWindow[] {
  const pauses = findPauses(sendings)
  const parts = [
    ...Map.groupBy(
      sendings,
      ({ block, segment = 0, sentAtMs }) => `${block} ${segment} ${pausesBefore(pauses, sentAtMs)}`,
    ).values(),
  ]
  const isRefused = refusedForPause(sendings)
  // A refusal that was waited out holds no window open either.
  const isDrained: SpeedContext['isDrained'] = (sending) => isRefused(sending) || context.isDrained(sending)
  return parts.map((rows) => {
    const window = steadyWindow(rows, { ...context, isDrained })
    const isSteady =
      window !== null && window.completedCount >= neededCompletions(window, context.concurrency)
    return { block: rows.at(0)?.block ?? 0, window, steady: isSteady ? window : null }
  })
}

export interface SpeedContext {
  /** Requests that the load keeps in flight; null where it keeps none, and what was in flight counts. */
  readonly concurrency: number | null
  /** Whether a request left when the load had begun to run out: its start does not hold a window open. */
  readonly isDrained: (sending: AttemptLine) => boolean
}

/** Completions that a window needs for each request in flight. */
const completionsPerPlace = 10

interface SteadyWindow {
  readonly lengthMs: number
  readonly completedCount: number
  readonly audioSeconds: number
  /** Requests that ended inside the window, whichever way. */
  readonly endedCount: number
  /** Time in flight inside the window, summed over all requests. */
  readonly busyMs: number
}

/** Where a window begins and ends. */
type Edge = (sending: AttemptLine) => number

function steadyWindow(
  block: readonly AttemptLine[],
  { concurrency, isDrained }: SpeedContext,
): SteadyWindow | null {
  const sent: Edge = ({ sentAtMs }) => sentAtMs
  const ended: Edge = ({ endedAtMs }) => endedAtMs
  // One in flight has neither ramp nor drain.
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
  return completionsPerPlace * (concurrency ?? Math.max(1, Math.round(busyMs / lengthMs)))
}

const noWindow = { busyMs: 0, lengthMs: 1, completedCount: 0 }

/** Answers that a block would have to have besides those it has. */
function lackingAnswers(window: SteadyWindow | null, concurrency: number | null): number {
  const { completedCount, ...known } = window ?? noWindow
  return Math.max(0, neededCompletions(known, concurrency) - completedCount)
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

/** A stretch of time, in milliseconds of the run. */
interface Span {
  readonly fromMs: number
  readonly untilMs: number
}

/** The requests that one contender got in one go. */
export interface BlockSpan extends Span {
  readonly segment: number
  /** Of the requests that were answered. */
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
    const segment = block.reduce((first, { segment: own = 0 }) => Math.max(first, own), 0)
    const audioSeconds = sumOf(block, (sending) => (sending.outcome.ok ? sending.audioSeconds : 0))
    return [{ ...span, segment, audioSeconds }]
  })
}

/** From the first sending to the last answer; null without any. */
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

/** The value of a counter at a moment, on the line between the samples around it; null outside of them. */
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
 * The times in which one contender was sent nothing, because its server had asked for a pause, in their order and none over another: requests in flight together wait together.
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
  for (const one of held.sort((a, b) => a.fromMs - b.fromMs)) {
    const last = pauses.at(-1)
    if (last === undefined || one.fromMs > last.untilMs) pauses.push(one)
    else pauses[pauses.length - 1] = { ...last, untilMs: Math.max(last.untilMs, one.untilMs) }
  }
  return pauses
}

/** How many pauses lie before a moment. */
function pausesBefore(pauses: readonly Span[], atMs: number): number {
  let [low, high] = [0, pauses.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((pauses[middle] as Span).untilMs <= atMs) low = middle + 1
    else high = middle
  }
  return low
}

/** Whether a sending of one contender was refused for a rate limit, and sent again after a pause. */
function refusedForPause(sendings: readonly AttemptLine[]): (sending: AttemptLine) => boolean {
  const resent = new Set<string>()
  for (const { index, attempt, pacedMs } of sendings)
    if (attempt > 1 && pacedMs !== undefined) resent.add(`${index}/${attempt - 1}`)
  if (resent.size === 0) return () => false
  return ({ index, attempt, outcome }) =>
    !outcome.ok && meansRateLimited(outcome.failure) && resent.has(`${index}/${attempt}`)
}

/** What a rate limit cost a contender that waited it out. */
export function rateLimitWaits(sendings: readonly AttemptLine[]): RateLimitWaits {
  const pauses = findPauses(sendings)
  const isRefused = refusedForPause(sendings)
  return {
    refusedCount: sendings.filter(isRefused).length,
    waitedSeconds: pauses.reduce((sum, { fromMs, untilMs }) => sum + untilMs - fromMs, 0) / 1000,
  }
}

/** @param lines answers of earlier runs to one contender's requests */
export function reusedAnswers(lines: readonly ReusedLine[]): ReusedAnswers {
  const moments = lines.map(({ answeredAt }) => answeredAt).sort()
  return {
    count: lines.length,
    runs: [...new Set(lines.map(({ run }) => run))].sort(),
    oldestAt: moments[0] ?? '',
  }
}

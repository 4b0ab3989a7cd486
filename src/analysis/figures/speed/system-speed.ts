import type { AttemptLine } from '#journal'
import type { SystemSpeed } from '../../documents/speed.ts'
import { pausesBefore, pausesOf, refusedForPause } from './rate-limit-pauses.ts'

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
  const windowSeconds = sum(windows.map((window) => window.lengthMs)) / 1000
  if (windows.length === 0 || windowSeconds <= 0) {
    const found = all.map(({ window }) => window)
    const moreAnswers = sum(found.map((window) => lackingAnswers(window, concurrency)))
    return { value: null, reason: shortBlockReason(found, concurrency), moreAnswers: moreAnswers || null }
  }
  const audioSeconds = sum(windows.map((window) => window.audioSeconds))
  const meanInFlight = sum(windows.map((window) => window.busyMs)) / (windowSeconds * 1000)
  return {
    value: audioSeconds / windowSeconds,
    audioSeconds,
    windowSeconds,
    blockCount: windows.length,
    shortBlockCount: all.length - windows.length,
    meanInFlight,
    completedCount: sum(windows.map((window) => window.endedCount)),
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
  const pauses = pausesOf(sendings)
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
    const isSteady = window !== null && isLongEnough(window, context.concurrency)
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

function isLongEnough(window: SteadyWindow, concurrency: number | null): boolean {
  return window.completedCount >= neededCompletions(window, concurrency)
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
    `needs ${needed} answer${needed === 1 ? '' : 's'} between the first completion and the last start of a block${load}, ` +
    `the longest has ${longest?.completedCount ?? 0}`
  )
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

import type { AttemptLine } from '#journal'
import type { SystemSpeed } from './evaluation.ts'

/**
 * Audio seconds transcribed per second while the load was steady, over all blocks of one contender.
 *
 * The steady window of a block reaches from its first completion to its last start, so that neither the
 * ramp (the first requests, all sent at once) nor the drain (the last ones, with fewer and fewer beside
 * them) is in it. What completes inside it counts, with its whole audio.
 *
 *   in flight 1   ├──a──┤├──c──┤├──d──┤
 *   in flight 2   ├───b────┤├────e────┤
 *                       ╎┄┄┄┄┄┄┄┄┄╎              window: end of a … start of the last; b and c count
 *
 * A failed request adds no audio, and the time it took stays in the window. A window in which fewer
 * requests were answered than are kept in flight says nothing; a closed block needs 2 · concurrency + 1
 * requests to have one.
 *
 * @param sendings every measured sending of one contender, with its block
 * @returns the sum of audio seconds / the sum of windows, never a mean of per-request ratios
 */
export function systemSpeed(sendings: readonly AttemptLine[], concurrency: number): SystemSpeed {
  const blocks = [...Map.groupBy(sendings, (sending) => sending.block).values()]
  const windows = blocks.map((block) => steadyWindow(block, concurrency)).filter((window) => window !== null)
  const windowSeconds = sum(windows.map((window) => window.lengthMs)) / 1000
  if (windows.length === 0 || windowSeconds <= 0) {
    return { value: null, reason: shortBlockReason(blocks, concurrency) }
  }
  const audioSeconds = sum(windows.map((window) => window.audioSeconds))
  return {
    value: audioSeconds / windowSeconds,
    audioSeconds,
    windowSeconds,
    blockCount: windows.length,
    shortBlockCount: blocks.length - windows.length,
    meanInFlight: sum(windows.map((window) => window.busyMs)) / (windowSeconds * 1000),
  }
}

interface SteadyWindow {
  readonly lengthMs: number
  readonly audioSeconds: number
  /** Time in flight inside the window, summed over all requests. */
  readonly busyMs: number
}

function steadyWindow(block: readonly AttemptLine[], concurrency: number): SteadyWindow | null {
  const first = block.reduce((least, { endedAtMs }) => Math.min(least, endedAtMs), Number.POSITIVE_INFINITY)
  const last = block.reduce((most, { sentAtMs }) => Math.max(most, sentAtMs), Number.NEGATIVE_INFINITY)
  const completed = block.filter(
    (sending) => sending.outcome.ok && sending.endedAtMs > first && sending.endedAtMs <= last,
  )
  if (last <= first || completed.length < concurrency) return null
  return {
    lengthMs: last - first,
    audioSeconds: sum(completed.map((sending) => sending.audioSeconds)),
    busyMs: sum(
      block.map(({ sentAtMs, endedAtMs }) =>
        Math.max(0, Math.min(endedAtMs, last) - Math.max(sentAtMs, first)),
      ),
    ),
  }
}

function shortBlockReason(blocks: readonly (readonly AttemptLine[])[], concurrency: number): string {
  if (blocks.length === 0) return 'nothing was sent'
  const longest = Math.max(...blocks.map((block) => block.length))
  const needed = 2 * concurrency + 1
  return longest < needed
    ? `no steady part: needs ${needed} requests a block with ${concurrency} in flight, the longest has ${longest}`
    : `no steady part: fewer than ${concurrency} answered between the first completion and the last start`
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

import type { AttemptLine } from '#journal'
import type { RequestPhases } from '../documents/latency.ts'

/** @returns null for a request without an answer, and for runs that recorded no phases */
export function phasesOf({ socket, sentAtMs, firstByteAtMs, endedAtMs }: AttemptLine): RequestPhases | null {
  if (socket === undefined || firstByteAtMs === null) return null
  const { startedAtMs, connectMs } = socket
  return {
    // Journalled times are rounded to microseconds, each by itself.
    queueMs: Math.max(0, startedAtMs - sentAtMs - connectMs),
    connectMs,
    waitMs: firstByteAtMs - startedAtMs,
    downloadMs: endedAtMs - firstByteAtMs,
  }
}

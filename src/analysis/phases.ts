import type { AttemptLine } from '#journal'
import type { Phases } from './evaluation.ts'
import { percentileSet } from './percentiles.ts'

/**
 * What an answered request spent its service time on, phase by phase; the phases of one request add up to it.
 *
 *   sent ├─queue─┼─connect─┼─upload─┼─wait─┼─download─┤ ended
 *
 * A server may answer before it has all of the body; its wait is then 0 and its upload ends with the first byte.
 */
export interface RequestPhases {
  readonly queueMs: number
  readonly connectMs: number
  readonly uploadMs: number
  readonly waitMs: number
  readonly downloadMs: number
}

/** @returns null for a request without an answer, and for runs that recorded no phases */
export function phasesOf({ socket, sentAtMs, firstByteAtMs, endedAtMs }: AttemptLine): RequestPhases | null {
  if (socket === undefined || firstByteAtMs === null || socket.uploadedAtMs === null) return null
  const { startedAtMs, connectMs } = socket
  const uploadedAtMs = Math.min(socket.uploadedAtMs, firstByteAtMs)
  return {
    // Journalled times are rounded to microseconds, each by itself.
    queueMs: Math.max(0, startedAtMs - sentAtMs - connectMs),
    connectMs,
    uploadMs: uploadedAtMs - startedAtMs,
    waitMs: firstByteAtMs - uploadedAtMs,
    downloadMs: endedAtMs - firstByteAtMs,
  }
}

/** Below this a body fits into the buffers of the operating system, and its upload says nothing of the network. */
const leastUploadBytes = 1_000_000

/**
 * Phases of all answered requests of a contender. Connecting is told of those that had to: of the others it is 0, and
 * a percentile over both would say how often a socket was there.
 */
export function measurePhases(answered: readonly AttemptLine[]): Phases {
  const known = answered.flatMap((attempt) => {
    const phases = phasesOf(attempt)
    return phases === null ? [] : [{ ...phases, bodyBytes: attempt.bodyBytes }]
  })
  const large = known.filter(({ bodyBytes, uploadMs }) => bodyBytes >= leastUploadBytes && uploadMs > 0)
  const bytes = large.reduce((sum, { bodyBytes }) => sum + bodyBytes, 0)
  const ms = large.reduce((sum, { uploadMs }) => sum + uploadMs, 0)
  return {
    queueMs: percentileSet(known.map(({ queueMs }) => queueMs)),
    connectMs: percentileSet(known.flatMap(({ connectMs }) => (connectMs > 0 ? [connectMs] : []))),
    uploadMs: percentileSet(known.map(({ uploadMs }) => uploadMs)),
    waitMs: percentileSet(known.map(({ waitMs }) => waitMs)),
    downloadMs: percentileSet(known.map(({ downloadMs }) => downloadMs)),
    uploadBytesPerSecond:
      large.length === 0
        ? { value: null, reason: 'no request carried 1 MB or more' }
        : { value: bytes / (ms / 1000), sampleCount: large.length },
  }
}

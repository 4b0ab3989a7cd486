import type { LevelSample } from './loaded-server.ts'
import { isMiss, type ServicePromise } from './promise.ts'

/** What an overload did, and how long it was felt. */
export interface Overload {
  /** Offered over the capacity: 2 for twice as much. */
  readonly times: number
  readonly perSecond: number
  readonly forSeconds: number
  readonly requests: number
  readonly answered: number
  /** Refused or failed in any other way. */
  readonly failed: number
  /** Requests in the system when the overload ended. */
  readonly backlogAtEnd: number
  /** Growth of the backlog, requests per second. */
  readonly backlogPerSecond: number
  /**
   * From the end of the overload until the last request that broke the promise had been due; 0 where none was.
   * Null where the promise was still broken when nobody looked any more.
   */
  readonly recoverySeconds: number | null
  /** Texts that are not those of the recording alone: lost or crossed between clients. */
  readonly differing: number
  readonly compared: number
}

/** How a stretch of overload went, followed by a stretch of half the capacity that shows when it was over. */
export function judgeOverload(
  samples: readonly LevelSample[],
  {
    promise,
    times,
    perSecond,
    forSeconds,
    watchedSeconds,
    differing,
    compared,
  }: {
    readonly promise: ServicePromise
    readonly times: number
    readonly perSecond: number
    /** Of overload; the rest was watched. */
    readonly forSeconds: number
    /** From the start until nobody looked any more. */
    readonly watchedSeconds: number
    readonly differing: number
    readonly compared: number
  },
): Overload {
  const endMs = 1000 * forSeconds
  const during = samples.filter(({ dueAtMs }) => dueAtMs < endMs)
  const after = samples.filter(({ dueAtMs }) => dueAtMs >= endMs)
  const backlogAt = (atMs: number): number =>
    samples.filter(({ dueAtMs, endedAtMs }) => dueAtMs <= atMs && endedAtMs > atMs).length
  const isBroken = ({ dueAtMs, endedAtMs, audioSeconds, isAnswered }: LevelSample): boolean =>
    isMiss(promise, { responseMs: endedAtMs - dueAtMs, audioSeconds, isAnswered })
  const lastBrokenMs = after
    .filter(isBroken)
    .reduce((latest, { dueAtMs }) => Math.max(latest, dueAtMs), endMs)
  // Broken to the end of what was watched: nobody knows when it would have been over.
  const lastDueMs = after.reduce((latest, { dueAtMs }) => Math.max(latest, dueAtMs), endMs)
  const isOver = lastDueMs > lastBrokenMs || (lastBrokenMs === endMs && lastDueMs === endMs)
  const half = backlogAt(endMs / 2)
  const backlogAtEnd = backlogAt(endMs)
  return {
    times,
    perSecond,
    forSeconds,
    requests: during.length,
    answered: samples.filter(({ isAnswered }) => isAnswered).length,
    failed: samples.filter(({ isAnswered }) => !isAnswered).length,
    backlogAtEnd,
    backlogPerSecond: (backlogAtEnd - half) / (forSeconds / 2),
    recoverySeconds: isOver && watchedSeconds > forSeconds ? (lastBrokenMs - endMs) / 1000 : null,
    differing,
    compared,
  }
}

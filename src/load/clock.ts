import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'

/** Time as a run sees it. Passed in, so that a test can put a virtual clock in its place. */
export interface Clock {
  /** Milliseconds since an arbitrary start; monotonic, unaffected by changes of the wall clock. */
  nowMs(): number
  /** The wall clock, for time stamps that people read. */
  today(): Date
  /** Resolves at `dueAtMs` of `nowMs`, at once when that has passed, and early when the signal aborts. */
  sleepUntil(dueAtMs: number, signal?: AbortSignal): Promise<void>
}

/** The machine's own clock. The one place in the pure rooms that reads it. */
export const systemClock: Clock = {
  nowMs: () => performance.now(),
  today: () => new Date(),
  async sleepUntil(dueAtMs, signal) {
    const remainingMs = dueAtMs - performance.now()
    if (remainingMs <= 0) return
    // An aborted sleep is an early end, not a failure.
    await sleep(remainingMs, undefined, signal === undefined ? {} : { signal }).catch(() => undefined)
  },
}

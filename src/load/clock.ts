import { performance } from 'node:perf_hooks'
import process from 'node:process'
import { setTimeout as sleep, setImmediate as turnOfTheLoop } from 'node:timers/promises'

/** Time as a run sees it. Passed in, so that a test can put a virtual clock in its place. */
export interface Clock {
  /** Milliseconds since an arbitrary start; monotonic, unaffected by changes of the wall clock. */
  nowMs(): number
  /** The wall clock, for time stamps that people read. */
  today(): Date
  /**
   * Resolves at `dueAtMs` of `nowMs`, never before it; early when the signal aborts, but for the last
   * milliseconds of a sleep. When that moment has passed it resolves after one turn of the event loop, so that a
   * caller who is behind with everything still lets answers come in.
   *
   * @param precision `rough` may be milliseconds late and waits without any processor time
   */
  sleepUntil(dueAtMs: number, signal?: AbortSignal, precision?: Precision): Promise<void>
}

/** How near to its due time a sleep has to end. */
export type Precision = 'exact' | 'rough'

/**
 * How long before the due time the coarse sleep ends. Timers count in whole milliseconds and fire up to one of
 * them early or, on a machine that does something, one or two late. Windows wakes a sleeper on a tick of 15.6 ms.
 */
const fineWaitMs = process.platform === 'win32' ? 17 : 2

/** Longest sleep that a timer of Node can be asked for is 2^31 - 1 ms; a day is shorter and long enough. */
const longestSleepMs = 86_400_000

/**
 * The machine's own clock. The only place in the pure modules that reads it.
 *
 * Sleeping is hybrid: a timer until shortly before the due time, then turns of the event loop until it has come.
 *
 *   now ──────── timer, no processor time ────────┤ 2 ms of turns ├ due
 *
 * Each turn serves whatever sockets are ready, so the waiting costs processor time and delays nothing in this process. It
 * delays an engine that has all processors of the machine at work: a caller without an exact moment sleeps roughly.
 */
export const systemClock: Clock = {
  nowMs: () => performance.now(),
  today: () => new Date(),
  async sleepUntil(dueAtMs, signal, precision = 'exact') {
    const earlyMs = precision === 'exact' ? fineWaitMs : 0
    for (;;) {
      const coarseMs = Math.min(dueAtMs - performance.now() - earlyMs, longestSleepMs)
      if (!(coarseMs > 0)) break
      if (signal?.aborted) return
      // An aborted sleep is an early end, not a failure.
      await sleep(coarseMs, undefined, signal === undefined ? {} : { signal }).catch(() => undefined)
    }
    do await turnOfTheLoop()
    while (performance.now() < dueAtMs)
  },
}

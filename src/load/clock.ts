import { performance } from 'node:perf_hooks'
import process from 'node:process'
import { setTimeout as sleep, setImmediate as turnOfTheLoop } from 'node:timers/promises'

/** Clock of a run. It is a parameter, so that a test can pass a virtual clock. */
export interface Clock {
  /** Milliseconds since an arbitrary start; monotonic, unaffected by changes of the wall clock. */
  nowMs(): number
  /** The wall clock, for time stamps that people read. */
  today(): Date
  /**
   * Resolves when `nowMs()` reaches `dueAtMs`, never before. It resolves early when the signal aborts, except in
   * the last milliseconds of a sleep. When `dueAtMs` has passed already, it resolves after one turn of the event
   * loop, so that a late caller still lets answers come in.
   *
   * @param precision `rough` may be milliseconds late and waits without any processor time
   */
  sleepUntil(dueAtMs: number, signal?: AbortSignal, precision?: Precision): Promise<void>
}

/** Accuracy of the end of a sleep. */
export type Precision = 'exact' | 'rough'

/**
 * The coarse sleep ends this many milliseconds before the due time. Timers count whole milliseconds, and fire up to
 * 1 ms early or, on a busy machine, 1 or 2 ms late. Windows wakes a sleeping thread on a tick of 15.6 ms.
 */
const fineWaitMs = process.platform === 'win32' ? 17 : 2

/** Max duration of one timer: a day, which is below Node's limit of 2^31 - 1 ms. */
const longestSleepMs = 86_400_000

/**
 * Clock of this machine. No other code of the pure modules reads the time.
 *
 * The sleep is hybrid: a timer until shortly before the due time, then turns of the event loop.
 *
 *   now ──────── timer, no processor time ────────┤ 2 ms of turns ├ due
 *
 * Each turn serves the sockets that are ready, so waiting costs processor time but delays nothing in this process.
 * It delays an engine that uses all processors of the machine, so a caller without an exact due time uses `rough`.
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

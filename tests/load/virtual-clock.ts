import type { Clock } from '#load'

/** A clock that stands still until it is told to go on, so that a schedule can be tested to the millisecond. */
export interface VirtualClock extends Clock {
  /** Runs everything that is due, in order of its time, until nobody sleeps any more. */
  runUntilIdle(): Promise<void>
}

/** Lets every promise that can go on go on, without letting time pass. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export function virtualClock(): VirtualClock {
  let nowMs = 0
  const sleepers: { dueAtMs: number; wake: () => void }[] = []
  return {
    nowMs: () => nowMs,
    today: () => new Date(nowMs),
    sleepUntil: (dueAtMs) =>
      new Promise((resolve) => {
        sleepers.push({ dueAtMs, wake: resolve })
      }),
    async runUntilIdle() {
      await settle()
      while (sleepers.length > 0) {
        sleepers.sort((left, right) => left.dueAtMs - right.dueAtMs)
        const next = sleepers.shift()
        if (next === undefined) return
        nowMs = Math.max(nowMs, next.dueAtMs)
        next.wake()
        await settle()
      }
    },
  }
}

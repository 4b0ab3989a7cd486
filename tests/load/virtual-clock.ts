import type { Clock } from '#load/clock'

/** A clock that does not move until a test moves it, so that a schedule can be tested to the millisecond. */
export interface VirtualClock extends Clock {
  /** No sleeper wakes in this time: this process is blocked, and those that were due wake at its end. */
  stall(fromMs: number, forMs: number): void
  /** Runs everything that is due, in order of its time, until no sleeper is left. */
  runUntilIdle(): Promise<void>
}

interface Sleeper {
  readonly dueAtMs: number
  readonly wake: () => void
}

/** Lets every promise that can go on go on, without letting time pass. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export function virtualClock(): VirtualClock {
  let nowMs = 0
  let stall = { fromMs: Number.POSITIVE_INFINITY, untilMs: Number.POSITIVE_INFINITY }
  /** In order of their time; those of the same moment in order of falling asleep. */
  const sleepers: Sleeper[] = []
  const wakesAtMs = (dueAtMs: number): number =>
    dueAtMs >= stall.fromMs && dueAtMs < stall.untilMs ? stall.untilMs : dueAtMs
  return {
    nowMs: () => nowMs,
    today: () => new Date(nowMs),
    sleepUntil(dueAtMs, signal) {
      if (signal?.aborted) return Promise.resolve()
      return new Promise((resolve) => {
        const wake = (): void => {
          signal?.removeEventListener('abort', wakeEarly)
          resolve()
        }
        const sleeper = { dueAtMs, wake }
        const wakeEarly = (): void => {
          sleepers.splice(sleepers.indexOf(sleeper), 1)
          wake()
        }
        signal?.addEventListener('abort', wakeEarly)
        sleepers.splice(sleepers.findLastIndex((other) => other.dueAtMs <= dueAtMs) + 1, 0, sleeper)
      })
    },
    stall(fromMs, forMs) {
      stall = { fromMs, untilMs: fromMs + forMs }
    },
    async runUntilIdle() {
      await settle()
      for (let next = sleepers.shift(); next !== undefined; next = sleepers.shift()) {
        nowMs = Math.max(nowMs, wakesAtMs(next.dueAtMs))
        next.wake()
        await settle()
      }
    },
  }
}

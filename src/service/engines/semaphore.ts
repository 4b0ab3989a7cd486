import { failed, type Outcome, succeeded } from '#prelude'

/** Admits a fixed number of callers at once, the others in order of arrival. */
export interface Semaphore {
  /** Callers that hold a slot, and those that wait for one. */
  count(): { readonly taken: number; readonly waiting: number }
  /**
   * Waits for a slot.
   *
   * @param isExpected continues work under way: it waits however long the queue is
   * @returns a function that releases the slot, to be called exactly once; or why there will be no slot
   */
  acquire(signal: AbortSignal, isExpected?: boolean): Promise<Outcome<() => void, 'full' | 'aborted'>>
}

/**
 * @param slotCount concurrent callers, at least 1
 * @param maxQueue callers that may wait; one more is refused
 */
export function createSemaphore(slotCount: number, maxQueue: number): Semaphore {
  const waiting = new Set<() => void>()
  let taken = 0

  function release(): void {
    const [next] = waiting
    if (next === undefined) {
      taken -= 1
      return
    }
    waiting.delete(next)
    next()
  }

  return {
    count: () => ({ taken, waiting: waiting.size }),
    async acquire(signal, isExpected = false) {
      if (signal.aborted) return failed('aborted')
      if (taken < slotCount) {
        taken += 1
        return succeeded(release)
      }
      if (!isExpected && waiting.size >= maxQueue) return failed('full')
      return new Promise((resolve) => {
        const giveUp = (): void => {
          waiting.delete(takeTurn)
          resolve(failed('aborted'))
        }
        const takeTurn = (): void => {
          signal.removeEventListener('abort', giveUp)
          resolve(succeeded(release))
        }
        waiting.add(takeTurn)
        signal.addEventListener('abort', giveUp, { once: true })
      })
    },
  }
}

import { failed, type Outcome, succeeded } from '#prelude'

/** Lets a fixed number of callers through at once, the others in the order in which they came. */
export interface Turnstile {
  /** Callers whose turn it is, and those that wait for one. */
  count(): { readonly taken: number; readonly waiting: number }
  /**
   * Waits for this caller's turn.
   *
   * @param isExpected work under way goes on: it waits however long the queue is
   * @returns a function that ends the turn, to be called exactly once; or why there will be no turn
   */
  enter(signal: AbortSignal, isExpected?: boolean): Promise<Outcome<() => void, 'full' | 'aborted'>>
}

/**
 * @param places turns at the same time, at least 1
 * @param longestQueue callers that may wait; one more is turned away
 */
export function createTurnstile(places: number, longestQueue: number): Turnstile {
  const waiting = new Set<() => void>()
  let taken = 0

  function leave(): void {
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
    async enter(signal, isExpected = false) {
      if (signal.aborted) return failed('aborted')
      if (taken < places) {
        taken += 1
        return succeeded(leave)
      }
      if (!isExpected && waiting.size >= longestQueue) return failed('full')
      return new Promise((resolve) => {
        const giveUp = (): void => {
          waiting.delete(takeTurn)
          resolve(failed('aborted'))
        }
        const takeTurn = (): void => {
          signal.removeEventListener('abort', giveUp)
          resolve(succeeded(leave))
        }
        waiting.add(takeTurn)
        signal.addEventListener('abort', giveUp, { once: true })
      })
    },
  }
}

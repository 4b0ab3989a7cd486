/** The longest delay of a timer, in milliseconds: 24.8 days. A longer one would fire at once. */
const maxTimerMs = 2_147_483_647

/** Why a request was given up before its answer was complete. */
export type EarlyEnd = 'timedOut' | 'dropped'

/**
 * Starts a request's time-out, joined with the caller's own signal.
 *
 * @param giveUp is called at most once, with whichever came first
 * @returns a function that ends the waiting; without it the timer keeps the process alive
 */
export function startDeadline(
  timeoutMs: number,
  outer: AbortSignal | undefined,
  giveUp: (end: EarlyEnd) => void,
): () => void {
  const release = (): void => {
    clearTimeout(timer)
    outer?.removeEventListener('abort', drop)
  }
  const endAs = (end: EarlyEnd): void => {
    release()
    giveUp(end)
  }
  const drop = (): void => endAs('dropped')
  const timer = setTimeout(endAs, Math.min(timeoutMs, maxTimerMs), 'timedOut')
  outer?.addEventListener('abort', drop, { once: true })
  return release
}

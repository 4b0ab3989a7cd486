/** What ended a request before its answer was complete. */
export type EarlyEnd = 'timedOut' | 'dropped'

/** One request's time-out, joined with the caller's own signal. */
export interface Deadline {
  readonly signal: AbortSignal
  /** Null while neither has happened. */
  end(): EarlyEnd | null
  release(): void
}

/** The longest delay of a timer, in milliseconds: 24.8 days. A longer one would fire at once. */
const longestTimerMs = 2_147_483_647

/** Starts counting now. `release` must be called, or the timer keeps the process alive. */
export function startDeadline(timeoutMs: number, outer: AbortSignal | undefined): Deadline {
  const controller = new AbortController()
  let end: EarlyEnd | null = null
  const endAs = (reason: EarlyEnd): void => {
    end ??= reason
    controller.abort()
  }
  const drop = (): void => endAs('dropped')
  const timer = setTimeout(endAs, Math.min(timeoutMs, longestTimerMs), 'timedOut')
  if (outer?.aborted === true) drop()
  else outer?.addEventListener('abort', drop, { once: true })
  return {
    signal: controller.signal,
    end: () => end,
    release() {
      clearTimeout(timer)
      outer?.removeEventListener('abort', drop)
    },
  }
}

import type { Clock } from './clock.ts'

/** What a schedule needs to send one list of requests. */
export interface Dispatch {
  /** How many requests there are. They are sent in order, by position. */
  readonly count: number
  readonly clock: Clock
  /** Aborted: nothing more is sent; what is in flight is waited for. */
  readonly stop: AbortSignal
  /** Sends one request and resolves when it is over. Must not throw for what a server can do. */
  send(position: number, dueAtMs: number): Promise<void>
}

/** Decides when requests leave. One of these per load shape, all under one conformance suite. */
export interface Schedule {
  /** In the words of a plan: "closed, 4 in flight". */
  describe(): string
  /**
   * Sends until the list or the stop signal ends it, and resolves when nothing is in flight any more.
   *
   * @returns how many requests were sent: the first `sent` positions, always without a gap
   */
  dispatch(dispatch: Dispatch): Promise<{ readonly sent: number }>
}

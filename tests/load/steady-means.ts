import type { Sent } from './dispatch-against.ts'

export interface SteadyMeans {
  /** N: requests in flight. */
  readonly inFlight: number
  /** X: completions per second. */
  readonly perSecond: number
  /** R: from the due time to the answer. */
  readonly responseSeconds: number
}

/** Means over the time in which all users have begun and none has finished. */
export function steadyMeans(sent: readonly Sent[], users: number, fromMs: number): SteadyMeans {
  const toMs = Math.min(...sent.slice(-users).map(({ endedAtMs }) => endedAtMs))
  const windowMs = toMs - fromMs
  const inFlightMs = sent.map(({ sentAtMs, endedAtMs }) =>
    Math.max(0, Math.min(endedAtMs, toMs) - Math.max(sentAtMs, fromMs)),
  )
  const completed = sent.filter(({ endedAtMs }) => endedAtMs >= fromMs && endedAtMs < toMs)
  const responseMs = completed.map(({ dueAtMs, endedAtMs }) => endedAtMs - dueAtMs)
  return {
    inFlight: sum(inFlightMs) / windowMs,
    perSecond: completed.length / (windowMs / 1_000),
    responseSeconds: sum(responseMs) / 1_000 / completed.length,
  }
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

import type { Interval } from './evaluation.ts'

/** What one threshold came to for one contender. */
export interface ThresholdResult {
  /** As written. */
  readonly threshold: string
  readonly metric: string
  readonly contenderId: string
  /** The group that was held to the limit, as `noisy`; null for all together. */
  readonly group: string | null
  /** In the metric's own unit; null where there is nothing to hold against the limit. */
  readonly measured: number | null
  readonly interval: Interval | null
  /** In the metric's own unit. */
  readonly limit: number
  /** `invalid` counts as failed: a limit on nothing was not kept. */
  readonly outcome: 'passed' | 'failed' | 'invalid'
  /** False where the limit lies inside the interval of a regression: neither kept nor broken for certain. */
  readonly isResolved: boolean
  /** Why it failed or is invalid, where the numbers alone do not say it. */
  readonly reason: string | null
}

import type { RetryConfig } from '#config/bench-config'
import { failureLabel } from '#contract/failures'
import type { AttemptLine } from '#journal/attempt-line'
import { seededRandom } from '#prelude'

/** Decides which failed requests are sent again, and when. Nothing is, unless the config declares it. */
export interface Retries {
  /**
   * Whether the policy would have this attempt followed by another one, its budget aside.
   *
   * @param pausesBefore attempts of the request that a rate limit refused and that were waited out: they are no retries
   */
  mayFollow(line: AttemptLine, pausesBefore: number): boolean
  /** How long to wait before the request is sent again; null where it is not. What it grants, it takes from the budget. */
  waitMsAfter(line: AttemptLine, pausesBefore: number): number | null
}

export interface RetryContext {
  readonly seed: number
  /** Measured requests in the plan. */
  readonly plannedCount: number
  /** Repeats that earlier segments of the run have made. */
  readonly spentCount: number
}

/** A server that asks for a longer wait than this is not waited for: the run would not progress. */
const maxWaitMs = 300_000

/**
 * Waits double from one attempt of a request to the next, and lie in the upper half of that, at random:
 *
 *   back-off 1 s   1st wait 0.5 to 1 s   2nd 1 to 2 s   3rd 2 to 4 s
 *
 * so that requests that failed together do not come back together. A server's `Retry-After` is waited out in full
 * before, and the back-off only spreads requests that got the same delay. The random part depends on the seed, the request
 * and the attempt alone, whatever else is in flight.
 */
export function startRetries(policy: RetryConfig, { seed, plannedCount, spentCount }: RetryContext): Retries {
  const { codes, most, backOffSeconds, budget } = policy
  let left = Math.floor(budget * plannedCount) - spentCount
  const mayFollow = ({ phase, attempt, outcome }: AttemptLine, pausesBefore: number): boolean =>
    phase === 'measure' &&
    attempt - pausesBefore <= most &&
    !outcome.ok &&
    codes.includes(failureLabel(outcome.failure))
  return {
    mayFollow,
    waitMsAfter(line, pausesBefore) {
      if (left <= 0 || !mayFollow(line, pausesBefore)) return null
      const waitMs = backOffMs(
        { index: line.index, attempt: line.attempt - pausesBefore, outcome: line.outcome },
        { seed, backOffSeconds },
      )
      if (waitMs > maxWaitMs) return null
      left -= 1
      return waitMs
    },
  }
}

function backOffMs(
  { index, attempt, outcome }: Pick<AttemptLine, 'index' | 'attempt' | 'outcome'>,
  { seed, backOffSeconds }: { readonly seed: number; readonly backOffSeconds: number },
): number {
  const unit = seededRandom(
    (seed ^ Math.imul(index + 1, 0x9e3779b1) ^ Math.imul(attempt, 0x85ebca6b)) >>> 0,
  ).unit()
  const stepMs = 1000 * backOffSeconds * 2 ** (attempt - 1)
  const askedSeconds =
    !outcome.ok && 'retryAfterSeconds' in outcome.failure ? outcome.failure.retryAfterSeconds : undefined
  return askedSeconds === undefined ? stepMs * (0.5 + unit / 2) : 1000 * askedSeconds + stepMs * unit
}

import type { RetryConfig } from '#config/bench-config'
import { failureLabel, meansSpentQuota } from '#contract/failures'
import type { AttemptLine } from '#journal/attempt-line'
import type { PlannedRequest } from '#journal/plan-line'
import type { RunCounts } from '#journal/run-record'
import { seededRandom } from '#prelude'

/** Maximum delay from a server that a retry waits, because a longer one would stall the run. */
const maxWaitMs = 300_000

export type Retries = ReturnType<typeof startRetries>

/**
 * Decides which failed requests are sent again, and when. None is, unless the config declares it. Waits double from one
 * attempt of a request to the next; each is random in the upper half of its range:
 *
 *   back-off 1 s   1st wait 0.5 to 1 s   2nd 1 to 2 s   3rd 2 to 4 s
 *
 * Requests that failed together are therefore not repeated together. A server's `Retry-After` is waited out first, and
 * the back-off only spreads requests with the same delay. The random part depends only on seed, request and attempt.
 *
 * @param plannedCount number of measured requests in the plan
 * @param spentCount number of repeats that earlier segments of the run have made
 */
export function startRetries(
  { codes, most, backOffSeconds, budget }: RetryConfig,
  { seed, plannedCount, spentCount }: Readonly<Record<'seed' | 'plannedCount' | 'spentCount', number>>,
) {
  // Rounded down, the budget of a small plan would be 0.
  let left = Math.max(Math.floor(budget * plannedCount), Math.sign(budget)) - spentCount
  /**
   * Whether the policy allows a further attempt after this one, regardless of its budget.
   *
   * @param uncounted number of attempts of the request that the policy does not count, see `readProgress`
   */
  const mayFollow = ({ phase, attempt, outcome }: AttemptLine, uncounted: number): boolean =>
    phase === 'measure' &&
    attempt - uncounted <= most &&
    !outcome.ok &&
    codes.includes(failureLabel(outcome.failure))
  return {
    mayFollow,
    /** Milliseconds until the request is sent again; null if it is not. A wait is deducted from the budget. */
    waitMsAfter(line: AttemptLine, uncounted: number): number | null {
      const { index, outcome } = line
      if (left <= 0 || outcome.ok || !mayFollow(line, uncounted)) return null
      const attempt = line.attempt - uncounted
      const mixed = seed ^ Math.imul(index + 1, 0x9e3779b1) ^ Math.imul(attempt, 0x85ebca6b)
      const unit = seededRandom(mixed >>> 0).unit()
      const stepMs = 1000 * backOffSeconds * 2 ** (attempt - 1)
      const askedSeconds =
        'retryAfterSeconds' in outcome.failure ? outcome.failure.retryAfterSeconds : undefined
      const waitMs =
        askedSeconds === undefined ? stepMs * (0.5 + unit / 2) : 1000 * askedSeconds + stepMs * unit
      if (waitMs > maxWaitMs) return null
      left -= 1
      return waitMs
    },
  }
}

/**
 * The progress of earlier segments of a run. A request is done when an attempt of it is in the journal, answered or failed.
 * Requests without an attempt are not done, including those in flight when the run died. Nor are those that were
 * dropped in flight or refused for a spent quota, and those that would have been sent again.
 *
 * @param answered indices of requests that an earlier run has answered, so that they are not sent
 * @param mayFollow whether a further attempt would have followed an attempt
 * @param waitsOut whether an attempt was refused for a rate limit that is waited out
 */
export function readProgress(
  requests: readonly PlannedRequest[],
  { earlier, answered }: { readonly earlier: readonly AttemptLine[]; readonly answered: ReadonlySet<number> },
  { mayFollow, waitsOut }: Pick<Retries, 'mayFollow'> & { readonly waitsOut: (line: AttemptLine) => boolean },
) {
  const uncounted = new Map<number, number>()
  for (const line of earlier) {
    if (waitsOut(line) || isSentAgain(line)) uncounted.set(line.index, (uncounted.get(line.index) ?? 0) + 1)
  }
  /** Number of attempts of a request that are sent again whatever the retry policy is, so that it does not count them. */
  const uncountedAttempts = (index: number): number => uncounted.get(index) ?? 0
  const last = new Map<number, { readonly attempt: number; readonly isDone: boolean }>()
  for (const line of earlier) {
    const { index, attempt } = line
    if (attempt < (last.get(index)?.attempt ?? 0)) continue
    last.set(index, { attempt, isDone: !isSentAgain(line) && !mayFollow(line, uncountedAttempts(index)) })
  }
  const isDone = (index: number): boolean => answered.has(index) || last.get(index)?.isDone === true
  const unfinished = new Set<string>()
  const toRepeat = new Set<number>()
  for (const { phase, index, contenderId } of requests) {
    if (phase !== 'measure' || isDone(index)) continue
    unfinished.add(contenderId)
    if (last.has(index)) toRepeat.add(index)
  }
  return {
    /** Whether a request needs no further attempt. A warm-up needs none if no measured request is left. */
    isDone: ({ phase, index, contenderId }: PlannedRequest): boolean =>
      phase === 'warmup' ? !unfinished.has(contenderId) : isDone(index),
    /** The number of the next attempt, from 1. */
    nextAttempt: (index: number): number => (last.get(index)?.attempt ?? 0) + 1,
    uncountedAttempts,
    /** Indices of measured requests that were sent and will be sent again. */
    toRepeat,
  }
}

/** Whether a resumed run sends a request again after this attempt: it was dropped, or the user may have bought more quota. */
function isSentAgain({ outcome }: AttemptLine): boolean {
  return !outcome.ok && (outcome.failure.kind === 'dropped' || meansSpentQuota(outcome.failure))
}

/**
 * Counts the attempts of earlier segments that the retry policy made.
 *
 * @param waitsOut whether an attempt was refused for a rate limit that is waited out
 */
export function countRetries(
  earlier: readonly AttemptLine[],
  waitsOut: (line: AttemptLine) => boolean,
): number {
  const previous = new Map<number, AttemptLine>()
  let count = 0
  for (const line of earlier) {
    const before = previous.get(line.index)
    previous.set(line.index, line)
    if (line.phase === 'measure' && before !== undefined && !waitsOut(before) && !isSentAgain(before))
      count += 1
  }
  return count
}

/**
 * Counts measured requests by the outcome of their last attempt; a request without an attempt is unsent.
 *
 * @param planned number of measured requests in the plan, without the warm-up
 * @param answeredBefore number of those that an earlier run has answered
 */
export function startTally(planned: number, answeredBefore: number) {
  const outcomes = new Map<number, 'answered' | 'failed' | 'dropped'>()
  const numbers = { answered: answeredBefore, failed: 0, dropped: 0 }
  return {
    add({ index, phase, outcome }: AttemptLine): void {
      if (phase !== 'measure') return
      const before = outcomes.get(index)
      if (before !== undefined) numbers[before] -= 1
      const last = outcome.ok ? 'answered' : outcome.failure.kind === 'dropped' ? 'dropped' : 'failed'
      outcomes.set(index, last)
      numbers[last] += 1
    },
    counts: (): RunCounts => ({ planned, ...numbers, notSent: planned - answeredBefore - outcomes.size }),
  }
}

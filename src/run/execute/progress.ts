import { meansSpentQuota } from '#contract/failures'
import type { AttemptLine } from '#journal/attempt-line'
import type { PlannedRequest } from '#journal/plan-line'
import type { RunCounts } from '#journal/run-record'
import type { Retries } from './retries.ts'

/** How far earlier segments of a run have come. */
export interface Progress {
  /** Whether nothing is left to do for a request. A warm-up is, where its contender has nothing left to be warm for. */
  isSettled(request: PlannedRequest): boolean
  /** The number of the next attempt, from 1. */
  nextAttempt(index: number): number
  /** Attempts of a request that were refused for a rate limit and waited out. */
  pausesBefore(index: number): number
  /** Indices of measured requests that were sent and are to be sent again. */
  readonly unsettled: ReadonlySet<number>
}

/**
 * A request is settled by an attempt in the journal, answered or failed. Not settled are those of which
 * there is none (also where one was under way when the run died: its outcome is unknown), those that were
 * dropped in flight or refused for a spent quota, and those that would have been sent again.
 *
 * @param answered indices of requests that an earlier run has answered, so that they are not sent
 * @param mayFollow whether an attempt would have been followed by another one
 */
export function readProgress(
  requests: readonly PlannedRequest[],
  { earlier, answered }: { readonly earlier: readonly AttemptLine[]; readonly answered: ReadonlySet<number> },
  mayFollow: Retries['mayFollow'],
): Progress {
  const pauses = new Map<number, number>()
  for (const { index, attempt, pacedMs } of earlier) {
    if (attempt > 1 && pacedMs !== undefined) pauses.set(index, (pauses.get(index) ?? 0) + 1)
  }
  const pausesBefore = (index: number): number => pauses.get(index) ?? 0
  const last = new Map<number, { readonly attempt: number; readonly isSettled: boolean }>()
  for (const line of earlier) {
    const { index, attempt, outcome } = line
    if (attempt < (last.get(index)?.attempt ?? 0)) continue
    // What a spent quota refused is sent when more was paid.
    const isDropped = !outcome.ok && (outcome.failure.kind === 'dropped' || meansSpentQuota(outcome.failure))
    last.set(index, { attempt, isSettled: !isDropped && !mayFollow(line, pausesBefore(index)) })
  }
  const isDone = (index: number): boolean => answered.has(index) || last.get(index)?.isSettled === true
  const unfinished = new Set<string>()
  const unsettled = new Set<number>()
  for (const { phase, index, contenderId } of requests) {
    if (phase !== 'measure' || isDone(index)) continue
    unfinished.add(contenderId)
    if (last.has(index)) unsettled.add(index)
  }
  return {
    isSettled: ({ phase, index, contenderId }) =>
      phase === 'warmup' ? !unfinished.has(contenderId) : isDone(index),
    nextAttempt: (index) => (last.get(index)?.attempt ?? 0) + 1,
    pausesBefore,
    unsettled,
  }
}

/** Counts measured requests by what their last attempt came to; what has none is not sent. */
export interface Tally {
  add(line: AttemptLine): void
  counts(): RunCounts
}

/**
 * @param planned measured requests in the plan; the warm-up is not among them
 * @param answeredBefore those of them that an earlier run has answered
 */
export function startTally(planned: number, answeredBefore = 0): Tally {
  const outcomes = new Map<number, CountedOutcome>()
  const numbers: Record<CountedOutcome, number> = { answered: answeredBefore, failed: 0, dropped: 0 }
  return {
    add({ index, phase, outcome }) {
      if (phase !== 'measure') return
      const before = outcomes.get(index)
      if (before !== undefined) numbers[before] -= 1
      const last = outcome.ok ? 'answered' : outcome.failure.kind === 'dropped' ? 'dropped' : 'failed'
      outcomes.set(index, last)
      numbers[last] += 1
    },
    counts: () => ({ planned, ...numbers, notSent: planned - answeredBefore - outcomes.size }),
  }
}

type CountedOutcome = 'answered' | 'failed' | 'dropped'

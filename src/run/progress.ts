import type { AttemptLine, PlannedRequest } from '#journal'
import type { Rows } from '#prelude'
import type { Retries } from './retries.ts'

/** How far earlier sittings of a run have come. */
export interface Progress {
  /** Whether nothing is left to do for a request. A warm-up is, where its contender has nothing left to be warm for. */
  isSettled(request: PlannedRequest): boolean
  /** The number of the next attempt, from 1. */
  nextAttempt(index: number): number
}

/**
 * A request is settled by an attempt that stands in the journal, answered or failed. Not settled are those of which
 * there is none (also where one was under way when the run died: nobody knows what became of it), those that were
 * dropped in flight, and those that the policy would have sent again.
 */
export function progressOf(
  requests: readonly PlannedRequest[],
  earlier: Rows<AttemptLine>,
  retries: Pick<Retries, 'mayFollow'>,
): Progress {
  const last = new Map<number, { readonly attempt: number; readonly isSettled: boolean }>()
  for (const line of earlier) {
    const { index, attempt, outcome } = line
    if (attempt < (last.get(index)?.attempt ?? 0)) continue
    const isDropped = !outcome.ok && outcome.failure.kind === 'dropped'
    last.set(index, { attempt, isSettled: !isDropped && !retries.mayFollow(line) })
  }
  const isDone = (index: number): boolean => last.get(index)?.isSettled === true
  const unfinished = new Set(
    requests.flatMap(({ phase, index, contenderId }) =>
      phase === 'measure' && !isDone(index) ? [contenderId] : [],
    ),
  )
  return {
    isSettled: ({ phase, index, contenderId }) =>
      phase === 'warmup' ? !unfinished.has(contenderId) : isDone(index),
    nextAttempt: (index) => (last.get(index)?.attempt ?? 0) + 1,
  }
}

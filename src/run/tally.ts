import type { AttemptLine, RunCounts } from '#journal'

/** Counts measured requests by what their last attempt came to; what has none is not sent. */
export interface Tally {
  add(line: AttemptLine): void
  counts(): RunCounts
}

/**
 * @param planned measured requests in the plan; the warm-up is not among them
 * @param answeredBefore those of them that an earlier run has answered
 */
export function tallyOf(planned: number, answeredBefore = 0): Tally {
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

import type { AttemptLine, RunCounts } from '#journal'

/** Counts measured requests by what their last attempt came to; what has none is not sent. */
export interface Tally {
  add(line: AttemptLine): void
  counts(): RunCounts
}

/** @param planned measured requests in the plan; the warm-up is not among them */
export function tallyOf(planned: number): Tally {
  const fates = new Map<number, Fate>()
  const numbers: Record<Fate, number> = { answered: 0, failed: 0, dropped: 0 }
  return {
    add({ index, phase, outcome }) {
      if (phase !== 'measure') return
      const before = fates.get(index)
      if (before !== undefined) numbers[before] -= 1
      const fate = outcome.ok ? 'answered' : outcome.failure.kind === 'dropped' ? 'dropped' : 'failed'
      fates.set(index, fate)
      numbers[fate] += 1
    },
    counts: () => ({ planned, ...numbers, notSent: planned - fates.size }),
  }
}

type Fate = 'answered' | 'failed' | 'dropped'

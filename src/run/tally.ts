import type { AttemptLine, RunCounts } from '#journal'

/** Counts measured attempts as they come in; what has not come is not sent. */
export interface Tally {
  add(line: AttemptLine): void
  counts(): RunCounts
}

/** @param planned measured requests in the plan; the warm-up is not among them */
export function tallyOf(planned: number): Tally {
  let answered = 0
  let failed = 0
  let dropped = 0
  return {
    add({ phase, outcome }) {
      if (phase !== 'measure') return
      if (outcome.ok) answered += 1
      else if (outcome.failure.kind === 'dropped') dropped += 1
      else failed += 1
    },
    counts: () => ({ planned, answered, failed, dropped, notSent: planned - answered - failed - dropped }),
  }
}

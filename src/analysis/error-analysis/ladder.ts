import { addCounts, type ErrorCounts, errorRate, type Rung, rungs, timesCounts } from '#scoring'
import type { LadderRung } from '../documents/error-analysis/formatting.ts'
import type { AnswerTally } from './answer-tally.ts'

/**
 * How much of the error rate is a matter of writing. An answer in a language without rules ends with the third rung, and has
 * the errors of that on those above it.
 *
 * @returns empty where no answer shows its words; the last two rungs only where a language has rules
 */
export function startLadder(): AnswerTally<readonly LadderRung[]> {
  const sums = new Map<Rung, ErrorCounts>()
  let highest = 0
  return {
    add({ times }, { ladder }) {
      if (ladder === null) return
      highest = Math.max(highest, ladder.length)
      for (const [place, rung] of rungs.entries()) {
        const found = ladder[Math.min(place, ladder.length - 1)]
        if (found === undefined) continue
        const counts = timesCounts(found.words, times)
        const sum = sums.get(rung)
        sums.set(rung, sum === undefined ? counts : addCounts(sum, counts))
      }
    },
    result: () =>
      [...sums].slice(0, highest).map(([rung, counts]) => ({ rung, counts, rate: errorRate(counts) })),
  }
}

import { addCounts, climbLadder, type ErrorCounts, errorRate, type Rung, timesCounts } from '#scoring'
import type { AnswerTally } from './answer-tally.ts'
import type { LadderRung } from './insight.ts'

/** How much of the error rate is a matter of writing. The rungs of numbers and spellings are English. */
export function startLadder(isEnglish: boolean): AnswerTally<readonly LadderRung[]> {
  const sums = new Map<Rung, ErrorCounts>()
  for (const { rung, words } of climbLadder([], isEnglish)) sums.set(rung, words)
  return {
    add({ reference, hypothesis, times }) {
      for (const { rung, words } of climbLadder([{ reference, hypothesis }], isEnglish)) {
        sums.set(rung, addCounts(sums.get(rung) ?? words, timesCounts(words, times)))
      }
    },
    result: () => [...sums].map(([rung, counts]) => ({ rung, counts, rate: errorRate(counts) })),
  }
}

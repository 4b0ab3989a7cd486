import { addCounts, climbLadder, type ErrorCounts, errorRate, type Rung, timesCounts } from '#scoring'
import type { LadderRung } from '../documents/insight-formatting.ts'
import type { AnswerTally } from './answer-tally.ts'

/** How much of the error rate is a matter of writing, on the rungs that every answer can climb. */
export function startLadder(): AnswerTally<readonly LadderRung[]> {
  const sums = new Map<Rung, ErrorCounts>()
  for (const { rung, words } of climbLadder([], { isEnglish: true })) sums.set(rung, words)
  return {
    add(answer, { ladder }) {
      for (const { rung, words } of ladder) {
        sums.set(rung, addCounts(sums.get(rung) ?? words, timesCounts(words, answer.times)))
      }
      const climbed = new Set(ladder.map(({ rung }) => rung))
      for (const rung of sums.keys()) if (!climbed.has(rung)) sums.delete(rung)
    },
    result: () => [...sums].map(([rung, counts]) => ({ rung, counts, rate: errorRate(counts) })),
  }
}

import { startConfusions } from '#scoring'
import type { ConfusionTable } from '../documents/error-analysis/rates.ts'
import type { AnswerTally } from './answer-tally.ts'

const listed = 200

/** The most frequent confusions, word for word or by phrase. */
export function startConfusionTable(phrases: boolean): AnswerTally<ConfusionTable> {
  const tally = startConfusions({ phrases })
  return {
    add({ utterance, times }, { steps }) {
      tally.add({ id: utterance.id, steps, times })
    },
    result: () => ({ limit: listed, distinct: tally.distinct(), ...tally.result(listed) }),
  }
}

import type { RunFinding } from '../run-facts.ts'
import { counted, named } from '../wording.ts'

/** One such utterance can rule the error rate of a small corpus. */
export const utteranceOver100 = {
  code: 'UTTERANCE_OVER_100',
  severity: 'warning',
  meaning:
    'An utterance has more errors than its reference has words (or characters, where CER leads), so mostly insertions: a hallucination, a ' +
    'repetition loop, or a reference that does not belong to the audio. Listen to it.',
  detect: ({ utteranceTallies, crossedAnswers }) =>
    utteranceTallies
      .map((tally) => {
        const crossed = crossedAnswers.get(tally.contenderId)?.utteranceIds ?? []
        return { ...tally, ids: [...tally.overfullIds].filter((id) => !crossed.includes(id)) }
      })
      .filter(({ ids }) => ids.length > 0)
      .map(({ contenderId, leads, ids }) => {
        return {
          message: `${contenderId} has more errors than ${leads} in ${counted(ids.length, 'utterance')}: ${named(ids)}`,
          advice: 'listen to them: an engine that invents text, or a reference of another recording',
          utteranceIds: ids,
        }
      }),
} satisfies RunFinding

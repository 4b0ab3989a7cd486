import { shellWord } from '#prelude'
import type { RunFinding } from '../run-facts.ts'
import { crossedText } from '../wording.ts'

/** A fault of the server, which no error rate of an engine shows. */
export const answersCrossed = {
  code: 'ANSWERS_CROSSED',
  severity: 'decisive',
  meaning:
    'Answers are the text of another recording, which was sent at about the same time: the server confuses the requests that ' +
    'it works on, and one user reads what another one said. The error rate counts such an answer as wrong, which says nothing of ' +
    'the engine. Found by the text: it has an error rate of 60% or more against its own reference, and of 34% or less against ' +
    'that of the other recording, which has five words or more. Short and repeated sentences, exchanged references, and one ' +
    'text for many recordings are not counted.',
  detect: ({ contenders, crossedAnswers, material: { record } }) =>
    contenders.flatMap(({ contender: { id }, counts: { answered } }) => {
      const crossed = crossedAnswers.get(id)
      if (crossed === undefined) return []
      return [
        {
          message: `${id}: ${crossedText(crossed, answered)}`,
          advice: `listen to them (transcribench review ${shellWord(record.id)}), then see whether it stays with one request at a time`,
          utteranceIds: crossed.utteranceIds,
        },
      ]
    }),
} satisfies RunFinding

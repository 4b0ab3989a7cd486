import { doctorCommand } from '../next-commands.ts'
import type { RunFinding } from '../run-facts.ts'
import { counted } from '../wording.ts'

export const nothingEdited = {
  code: 'NOTHING_EDITED',
  severity: 'invalid',
  meaning:
    'Texts were sent to be edited, and every one came back as it was: post_processed is false in all answers, which is how ' +
    'the API says that a provider failed or is not there. The errors shown are those of the texts that were sent.',
  detect: ({ contenders, material: { record } }) =>
    contenders
      .filter(({ postProcessedRate }) => postProcessedRate === 0)
      .map(({ contender: { id }, counts: { answered } }) => ({
        message: `${id} edited none of ${counted(answered, 'text')}`,
        advice: doctorCommand(record),
      })),
} satisfies RunFinding

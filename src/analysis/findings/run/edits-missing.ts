import type { RunFinding } from '../run-facts.ts'
import { counted } from '../wording.ts'

export const editsMissing = {
  code: 'EDITS_MISSING',
  severity: 'warning',
  meaning:
    'Some texts came back as they were sent: post_processed is false in those answers, which is how the API says that a ' +
    'provider failed. They are scored as they came back, as a person would have got them.',
  detect: ({ contenders }) =>
    contenders.flatMap(({ contender: { id }, counts: { answered }, postProcessedRate }) => {
      if (postProcessedRate === null || postProcessedRate === 0 || postProcessedRate === 1) return []
      const unedited = Math.round((1 - postProcessedRate) * answered)
      return [
        {
          message: `${id} did not edit ${unedited} of ${counted(answered, 'text')}: its provider failed`,
          advice: 'which ones: isPostProcessed in journal.jsonl',
        },
      ]
    }),
} satisfies RunFinding

import type { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import { list, nullableText, oneOf, part, text } from '#prelude/document-fields'

export const findingSeverities = ['invalid', 'decisive', 'warning', 'note'] as const
const severitySchema = oneOf(findingSeverities)
export type FindingSeverity = z.infer<typeof severitySchema>

export const findingSchema = part(
  'Finding',
  'Something that could make a reader distrust the figures, and what to do about it.',
  {
    code: text.describe('Name of the kind of finding, in capitals; see `transcribench explain <code>`.'),
    severity: severitySchema.describe(
      '`invalid`: the figures cannot be quoted. `decisive`: they are right, but mean something else than they seem to. `warning`: it weakens them. `note`: good to know.',
    ),
    message: text.describe('What was found, in a sentence with its numbers.'),
    advice: nullableText.describe('What to do, preferably a command; null where nothing can be done.'),
    utteranceIds: list(text)
      .optional()
      .describe('Utterances to look at; absent where the finding is not about particular ones.'),
  },
)
export type Finding = DeepReadonly<z.infer<typeof findingSchema>>

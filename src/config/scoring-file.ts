import { z } from 'zod'
import { failureLabels, type NoSpeechRule } from '#contract/failures'
import type { ReplacementRule } from '#scoring/profiles/extension'
import { profileNames } from '#scoring/profiles/index'
import type { Description, FileOf } from './settings.ts'

/** Means the profile that is right for the language of what is transcribed. */
export const automaticProfile = 'auto'

export const replacementKeys: { readonly [Key in keyof ReplacementRule]-?: Description } = {
  from: {
    description: 'what is written otherwise; a word or several',
    expects: 'text of at least one character',
  },
  to: { description: 'what it becomes; empty where it is to go', expects: 'text' },
  before: {
    description: 'what has to come right before it, spaces included; default: a space; "" for anything',
    expects: 'text',
  },
  after: {
    description: 'what has to come right after it, spaces included; default: a space; "" for anything',
    expects: 'text',
  },
}

export const noSpeechKeys: { readonly [Key in keyof NoSpeechRule]-?: Description } = {
  code: {
    description: 'what the server answers: its code, or HTTP_ with the status where it gives none',
    expects: 'the code of an answer such as TRANSCRIPTION_FAILED or HTTP_422',
  },
  message: {
    description: 'words that its message holds, in capitals or not; left out where the code says it all',
    expects: 'text of at least one character',
  },
}

const text = z.string()
const someText = text.min(1)
const replacement: z.ZodType<ReplacementRule> = z.strictObject({
  from: someText.meta({ description: replacementKeys.from.description }),
  to: text.meta({ description: replacementKeys.to.description }),
  before: text.optional().meta({ description: replacementKeys.before.description }),
  after: text.optional().meta({ description: replacementKeys.after.description }),
})

// A request that got no answer says nothing about its audio; those labels begin with a small letter.
const answerCodes = failureLabels.filter((label) => /^[A-Z]/.test(label))
const noSpeech: z.ZodType<NoSpeechRule> = z.strictObject({
  code: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]*$/)
    .meta({ description: noSpeechKeys.code.description, examples: [...answerCodes, 'HTTP_422'] }),
  message: z
    .string()
    .regex(/\S/)
    .optional()
    .meta({ description: noSpeechKeys.message.description, examples: ['no speech'] }),
})

/** The parsers of the keys, without their descriptions. */
export const scoringParsers = {
  profile: z.enum([automaticProfile, ...profileNames]),
  fillers: z.array(someText),
  replacements: z.array(replacement),
  equivalences: z.array(z.array(someText).min(2)),
  vocabulary: z.array(someText),
  noSpeech: z.array(noSpeech),
}

/** How texts are made comparable, as it is in a file: the scoring section of a config, or a separate file. */
export type ScoringFile = FileOf<typeof scoringParsers>

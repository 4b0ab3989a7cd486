import { z } from 'zod'
import { defaultNoSpeechRules, failureLabels, type NoSpeechRule } from '#contract/failures'
import type { ReplacementRule } from '#scoring/profiles/extension'
import { profileNames } from '#scoring/profiles/index'
import { aText, type FileOf, fileObject, type Key, oneOf, type Setting } from './settings.ts'

/** Stands for the profile of the transcribed language. */
export const automaticProfile = 'auto'

const text = z.string()
const someText = text.min(1)

const replacementKeys: { readonly [Name in keyof ReplacementRule]-?: Key } = {
  from: {
    parser: someText,
    description: 'what is written otherwise; a word or several',
    expects: aText.expects,
    isNeeded: true,
  },
  to: {
    parser: text,
    description: 'what it becomes; empty where it is to go',
    expects: 'text',
    isNeeded: true,
  },
  before: {
    parser: text,
    description: 'what has to come right before it, spaces included; default: a space; "" for anything',
    expects: 'text',
  },
  after: {
    parser: text,
    description: 'what has to come right after it, spaces included; default: a space; "" for anything',
    expects: 'text',
  },
}

// Labels of unanswered requests begin with a small letter; they say nothing about the audio.
const answerCodes = failureLabels.filter((label) => /^[A-Z]/.test(label))

const noSpeechKeys: { readonly [Name in keyof NoSpeechRule]-?: Key } = {
  code: {
    parser: z.string().regex(/^[A-Z][A-Z0-9_]*$/),
    examples: [...answerCodes, 'HTTP_422'],
    description: 'what the server answers: its code, or HTTP_ with the status where it gives none',
    expects: 'the code of an answer such as TRANSCRIPTION_FAILED or HTTP_422',
    isNeeded: true,
  },
  message: {
    parser: z.string().regex(/\S/),
    examples: ['no speech'],
    description: 'words that its message holds, in capitals or not; left out where the code says it all',
    expects: aText.expects,
  },
}

/** The keys for text normalisation and scoring rules. */
export const scoringKeys = {
  profile: {
    parser: z.enum([automaticProfile, ...profileNames]),
    description:
      'rules by which texts are made comparable before words are counted; auto is that of the language (such as english, german or chinese), by-language for several, unspaced for other scripts without spaces, else basic',
    expects: oneOf([automaticProfile, ...profileNames]),
    flag: { syntax: '--profile <profile>', reads: 'text' },
    standard: automaticProfile,
  },
  fillers: {
    parser: z.array(someText),
    description: 'words and phrases that only fill a pause: they do not count on either side',
    expects: 'a list of words and phrases',
    flag: null,
    standard: [],
    each: aText,
  },
  replacements: {
    parser: z.array(fileObject(replacementKeys) as z.ZodType<ReplacementRule>),
    description: 'texts that are written otherwise on both sides, in the order in which they are tried',
    expects: 'a list of { from, to }, with before and after where the context matters',
    flag: null,
    standard: [],
    each: {
      expects: 'an object',
      description: 'such as { from: gonna, to: going to }',
      keys: replacementKeys,
    },
  },
  equivalences: {
    parser: z.array(z.array(someText).min(2)),
    description: 'ways to write the same, such as [okay, OK]; the first of each list is what all become',
    expects: 'a list of lists of at least two texts',
    flag: null,
    standard: [],
    each: { expects: 'a list of at least two texts', description: 'such as [okay, OK]', each: aText },
  },
  vocabulary: {
    parser: z.array(someText),
    description: 'spellings that cover every way to break or join them: WiFi for "wi fi" and "wi-fi"',
    expects: 'a list of words',
    flag: null,
    standard: [],
    each: aText,
  },
  noSpeech: {
    parser: z.array(fileObject(noSpeechKeys) as z.ZodType<NoSpeechRule>),
    description:
      'refusals that mean "no speech found": they count as answers without words; [] where none does',
    expects: 'a list of { code }, with message where the code alone does not say it',
    flag: null,
    standard: defaultNoSpeechRules,
    each: {
      expects: 'an object',
      description: 'such as { code: TRANSCRIPTION_FAILED, message: no speech }',
      keys: noSpeechKeys,
    },
  },
} satisfies Readonly<Record<string, Setting>>

/** The scoring section of a config, or a separate file. */
export type ScoringFile = FileOf<typeof scoringKeys>

export const scoringFile: z.ZodType<ScoringFile> = fileObject(scoringKeys)

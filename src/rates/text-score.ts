import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import {
  type AlignmentRule,
  alignmentRules,
  type CharacterRule,
  characterRules,
  type ScliteOptions,
} from '#scoring'
import { alignmentStepSchema, confusionSchema, errorCountsSchema } from '#scoring/shapes'
import { errorRateSchema } from './error-rate.ts'
import type { NamedRules } from './named-rules.ts'
import { textGroupingSchema } from './text-groups.ts'

/** Version of the document that `transcribench wer --json` prints. */
export const textScoreFormatVersion = 3

const text = z.string()
const count = z.int().min(0)
const rate = z.number().nullable()
const share = z.number().min(0).max(1).nullable()

const profileChoice = z.enum(['name', 'alignment', 'language', 'languages', 'script', 'nothing'])
export type ProfileChoice = z.infer<typeof profileChoice>

const confusions = z.array(confusionSchema)

export const scoredTextSchema = z
  .strictObject({
    id: text.describe('Id of the utterance.'),
    speaker: text.nullable().describe('Speaker; null where unknown.'),
    tags: z.record(z.string(), text).describe('Tags by name.'),
    reference: text.describe('As written; several accepted texts are in braces, with slashes between them.'),
    hypothesis: text.nullable().describe('As written; null where nothing came back.'),
    words: errorCountsSchema.nullable().describe('Word errors; null where the hypothesis is.'),
    characters: errorCountsSchema
      .nullable()
      .describe('Character errors; null where the hypothesis is, and where they were not counted.'),
    wordErrorRate: rate.describe('Null where the reference holds no words, and where nothing came back.'),
    steps: z
      .array(alignmentStepSchema)
      .nullable()
      .describe(
        'The aligned words, all deleted where nothing came back; null where only counts were asked for.',
      ),
  })
  .meta({ id: 'ScoredText', description: 'One utterance, counted, with its texts.' })
/** One utterance, counted, with its texts: a row of what is written out. */
export type ScoredText = DeepReadonly<z.infer<typeof scoredTextSchema>>

export const textScoreSchema = z.strictObject({
  formatVersion: z.int().describe('Version of this document.'),
  profile: z
    .strictObject({
      id: text.describe('Name and version, as `english@2`.'),
      fingerprint: text.describe('Fingerprint of its rules.'),
      leads: z.enum(['words', 'characters']).describe('The error rate that leads for its languages.'),
    })
    .describe('Normalisation profile.'),
  profileBy: profileChoice.describe(
    'What decided the profile: its name, the other scorer, the language, the language of each utterance, or the script of the texts.',
  ),
  alignment: z.enum(alignmentRules).describe('Alignment rule.'),
  characterRule: z.enum(characterRules).describe('What counts as a character.'),
  sclite: z
    .strictObject({
      optionalDeletions: z.boolean().describe('`-D`: a word in parentheses that was not said is right.'),
      fragments: z
        .boolean()
        .describe('`-F`: a fragment (`fi-`, `-sh`) is right where the other word begins or ends as it does.'),
    })
    .nullable()
    .describe("Options of sclite's alignment; null for any other."),
  seed: z.int().describe('Seed of the intervals.'),
  utteranceCount: count.describe('Utterances.'),
  speakerCount: count.nullable().describe('Speakers; null where a speaker is unknown.'),
  coverage: share.describe('Answered / all, 0..1; null without utterances.'),
  words: errorRateSchema.describe('Word errors, over what was answered.'),
  characters: errorRateSchema.nullable().describe('Character errors; null where only words were counted.'),
  wordsFailedAsEmpty: errorRateSchema.describe(
    'Word errors with what was not answered as an empty transcript.',
  ),
  wordRates: z
    .strictObject({
      errorRate: rate.describe('Word error rate; null without words.'),
      matchErrorRate: rate.describe('Match error rate; null without words.'),
      wordInformationLost: rate.describe('Word information lost; null without words.'),
      wordInformationPreserved: rate.describe('Word information preserved; null without words.'),
    })
    .describe('Rates of the word counts, over what was answered.'),
  sentenceErrorRate: share.describe(
    'Share of answered utterances with a word error, 0..1; null without any.',
  ),
  meanUtteranceRate: rate.describe(
    "Mean of the utterances' own rates, which no ranking uses; null without any.",
  ),
  silent: z
    .strictObject({
      utteranceCount: count.describe('Utterances whose reference is empty after normalisation.'),
      answeredWithWords: count.describe('Of these, answered with words.'),
      insertedWords: count.describe('Words of these answers.'),
    })
    .describe('Utterances without a word to say.'),
  vowelSignsLostCount: count.describe(
    'References in a script with vowel signs, under a profile that drops them: their rates say little.',
  ),
  emptiedReferences: z
    .array(text)
    .describe('Ids of references that hold text and of which the profile leaves nothing.'),
  tagNames: z.array(text).describe('Names of the tags, in the order of their code units.'),
  groupings: z.array(textGroupingSchema).describe('Groups that were asked for.'),
  confusions: z
    .strictObject({
      substitutions: confusions.describe('Substitutions.'),
      deletions: confusions.describe('Deletions.'),
      insertions: confusions.describe('Insertions.'),
    })
    .nullable()
    .describe('The most frequent errors; null where not asked for.'),
  worst: z
    .array(scoredTextSchema)
    .nullable()
    .describe('Answered utterances with the most word errors; null where not asked for.'),
})
/** Two sets of texts compared, without a service. */
export type TextScore = DeepReadonly<z.infer<typeof textScoreSchema>>

export interface TextScoreOptions {
  /** Id; by language and alignment by default. */
  readonly profile?: string | undefined
  /** What is added to the profile, in this order. */
  readonly rules?: readonly NamedRules[] | undefined
  /** A BCP 47 tag, an ISO 639 code or an English name, for the default profile. */
  readonly language?: string | undefined
  /** The first references, whose script decides the default profile where no language is named. */
  readonly texts?: readonly string[] | undefined
  /** Whether the first utterances name their languages, each of which then has its own profile. */
  readonly namesLanguages?: boolean | undefined
  /** `canonical` by default. */
  readonly alignment?: AlignmentRule | undefined
  /** Default: those of the profile; code points for jiwer's alignment. */
  readonly characters?: CharacterRule | undefined
  /** Both are off by default. Only for sclite's alignment. */
  readonly sclite?: ScliteOptions | undefined
  /** Of the intervals. */
  readonly seed: number
  /** `speaker`, `duration` or names of tags. */
  readonly by?: readonly string[] | undefined
  /** How many of the most frequent ones; none by default. */
  readonly confusions?: number | undefined
  /** Characters are not counted. */
  readonly only?: 'words' | undefined
}

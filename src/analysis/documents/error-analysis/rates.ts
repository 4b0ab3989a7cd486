import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import { errorRateSchema, intervalSchema } from '#rates/documents'
import { confusionSchema, errorCountsSchema } from '#scoring/shapes'
import { count, nullableNumber, nullableText, share, text } from '../scalars.ts'

/** A ratio with what it was made from. */
export const countedRateSchema = z
  .strictObject({
    rate: nullableNumber.describe('numerator / denominator; null where the denominator is 0.'),
    numerator: count.describe('What was counted.'),
    denominator: count.describe('What it was counted among.'),
    interval: intervalSchema.nullable().describe('Interval of the rate; null for the reason that follows.'),
    noIntervalReason: nullableText.describe('Why there is no interval; null where there is one.'),
  })
  .meta({ id: 'CountedRate', description: 'A ratio with what it was made from.' })
export type CountedRate = DeepReadonly<z.infer<typeof countedRateSchema>>

/** Why something could not be counted. */
const unexplainedSchema = z
  .strictObject({
    reason: text.describe('Why there is nothing.'),
    rate: z.null().describe('There is no rate.'),
  })
  .meta({ id: 'NotCounted', description: 'The reason why something could not be counted.' })

/** Something, or the reason why there is nothing. */
export type Explained<Present> =
  | (Present & { readonly reason: null })
  | { readonly reason: string; readonly rate: null }

/** The schema of what is there, or of the reason why it is not. */
export function explained<Shape extends z.ZodRawShape>(present: z.ZodObject<Shape>) {
  const reason = z.null().describe('Null: it was counted.')
  return z.union([z.strictObject({ reason, ...present.shape }), unexplainedSchema])
}

/** Rates that depend on how ties between alignments are resolved: `alignment` of the document names the rule. */
export const otherRatesSchema = z
  .strictObject({
    matchErrorRate: countedRateSchema.describe('(S + D + I) / (H + S + D + I).'),
    sentenceErrorRate: countedRateSchema.describe(
      'Scored requests with at least one word error / scored requests.',
    ),
    wordInformationPreserved: nullableNumber.describe(
      '(H / N) · (H / P), a product of two ratios of sums, without an interval; null where both sides are empty.',
    ),
    wordInformationLost: nullableNumber.describe('1 less the preserved share; null where that is.'),
  })
  .meta({
    id: 'OtherRates',
    description:
      'Rates that depend on the rule that resolves ties between alignments (`alignment` of the document).',
  })
export type OtherRates = DeepReadonly<z.infer<typeof otherRatesSchema>>

const confusionKinds = ['substitutions', 'deletions', 'insertions'] as const

/** The most frequent confusions of each kind, the most frequent first. */
export const confusionTableSchema = z
  .strictObject({
    limit: count.describe('Max listed of each kind.'),
    distinct: z.record(z.enum(confusionKinds), count).describe('Different ones in all, by kind.'),
    substitutions: z.array(confusionSchema).describe('The most frequent substitutions.'),
    deletions: z.array(confusionSchema).describe('The most frequent deletions.'),
    insertions: z.array(confusionSchema).describe('The most frequent insertions.'),
  })
  .meta({
    id: 'ConfusionTable',
    description: 'The most frequent confusions of each kind, the most frequent first.',
  })
export type ConfusionTable = DeepReadonly<z.infer<typeof confusionTableSchema>>

/** The requests whose utterances have something in common. An utterance with two tags is in two groups. */
const breakdownGroupSchema = z
  .strictObject({
    name: nullableText.describe('Null for the requests that lack what is grouped by.'),
    utteranceCount: count.describe('Utterances of the group.'),
    speakerCount: count.nullable().describe('Speakers of the group; null where one is unknown.'),
    askedCount: count.describe('Requests that were planned.'),
    scoredCount: count.describe('Requests that were scored.'),
    words: errorRateSchema.describe('Word error rate of the group.'),
    characters: errorCountsSchema.describe('Character errors of the group.'),
    characterErrorRate: nullableNumber.describe('Null where the references hold nothing.'),
    sentenceErrorRate: share
      .nullable()
      .describe('Share of scored requests with at least one word error; null where none was scored.'),
    isSmall: z.boolean().describe('Fewer than 20 utterances: shown, and not to be ranked.'),
    profile: z
      .strictObject({
        id: z.string().describe('Name and version, as `german@1`.'),
        leads: z.enum(['words', 'characters']).describe('The error rate that leads for the language.'),
      })
      .optional()
      .describe('Of a language in a corpus of several: the profile that scores it; absent otherwise.'),
  })
  .meta({
    id: 'BreakdownGroup',
    description:
      'Requests whose utterances have something in common. An utterance with two tags is in two groups.',
  })
export type BreakdownGroup = DeepReadonly<z.infer<typeof breakdownGroupSchema>>

/** One way to group, with its groups, the most reference words first. */
export const breakdownSchema = z
  .strictObject({
    by: z.enum(['speaker', 'tag', 'language', 'source', 'duration']).describe('What is grouped by.'),
    groupCount: count.describe('Groups in all; the 100 with the most words are listed.'),
    groups: z
      .array(breakdownGroupSchema)
      .describe('The most reference words first; by duration, in the order of length.'),
  })
  .meta({ id: 'Breakdown', description: 'One way to group the requests of a contender, with its groups.' })
export type Breakdown = DeepReadonly<z.infer<typeof breakdownSchema>>

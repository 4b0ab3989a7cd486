import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import {
  count,
  flag,
  group,
  list,
  nullableCount,
  nullableNumber,
  nullableShare,
  nullableText,
  number,
  oneOf,
  orNull,
  part,
  text,
} from '#prelude/document-fields'
import { errorRateSchema, intervalSchema } from '#rates/documents'
import { confusionSchema, errorCountsSchema } from '#scoring/shapes'

export const countedRateSchema = part('CountedRate', 'A ratio with what it was made from.', {
  rate: nullableNumber.describe(
    'numerator / denominator; in `OtherRates` with the weights of `words`; null where the denominator is 0.',
  ),
  numerator: count.describe('What was counted.'),
  denominator: count.describe('What it was counted among.'),
  interval: orNull(intervalSchema).describe('Interval of the rate; null for the reason that follows.'),
  noIntervalReason: nullableText.describe('Why there is no interval; null where there is one.'),
})
export type CountedRate = DeepReadonly<z.infer<typeof countedRateSchema>>

const unexplainedSchema = part('NotCounted', 'The reason why something could not be counted.', {
  reason: text.describe('Why there is nothing.'),
  rate: z.null().describe('There is no rate.'),
})

/** A value, or the reason why there is none. */
export type Explained<Present> =
  | (Present & { readonly reason: null })
  | { readonly reason: string; readonly rate: null }

export function explained<Shape extends z.ZodRawShape>(present: z.ZodObject<Shape>) {
  const reason = z.null().describe('Null: it was counted.')
  return z.union([group({ reason, ...present.shape }), unexplainedSchema])
}

export const otherRatesSchema = part(
  'OtherRates',
  'Rates that depend on the rule that resolves ties between alignments (`alignment` of the document). Where a load ended ' +
    'within a pass over the corpus, every utterance has the same weight, as in `words`.',
  {
    matchErrorRate: countedRateSchema.describe('(S + D + I) / (H + S + D + I).'),
    sentenceErrorRate: countedRateSchema.describe(
      'Scored requests with at least one word error / scored requests.',
    ),
    wordInformationPreserved: nullableNumber.describe(
      '(H / N) · (H / P), a product of two ratios of sums, without an interval; null where both sides are empty.',
    ),
    wordInformationLost: nullableNumber.describe('1 less the preserved share; null where that is.'),
  },
)
export type OtherRates = DeepReadonly<z.infer<typeof otherRatesSchema>>

const confusionKinds = ['substitutions', 'deletions', 'insertions'] as const

export const confusionTableSchema = part(
  'ConfusionTable',
  'The most frequent confusions of each kind, the most frequent first.',
  {
    limit: count.describe('Max listed of each kind.'),
    distinct: z.record(oneOf(confusionKinds), count).describe('Different ones in all, by kind.'),
    substitutions: list(confusionSchema).describe('The most frequent substitutions.'),
    deletions: list(confusionSchema).describe('The most frequent deletions.'),
    insertions: list(confusionSchema).describe('The most frequent insertions.'),
  },
)
export type ConfusionTable = DeepReadonly<z.infer<typeof confusionTableSchema>>

const breakdownGroupSchema = part(
  'BreakdownGroup',
  'Requests whose utterances have something in common. An utterance with two tags is in two groups.',
  {
    name: nullableText.describe('Null for the requests that lack what is grouped by.'),
    utteranceCount: count.describe('Utterances of the group.'),
    speakerCount: nullableCount.describe('Speakers of the group; null where one is unknown.'),
    askedCount: count.describe('Requests that were planned.'),
    scoredCount: count.describe('Requests that were scored.'),
    words: errorRateSchema.describe('Word error rate of the group.'),
    characters: errorCountsSchema.describe('Character errors of the group.'),
    characterErrorRate: nullableNumber.describe('Null where the references hold nothing.'),
    sentenceErrorRate: nullableShare.describe(
      'Share of scored requests with at least one word error; null where none was scored.',
    ),
    isSmall: flag.describe('Fewer than 20 utterances: shown, and not to be ranked.'),
    profile: group({
      id: text.describe('Name and version, as `german@1`.'),
      leads: oneOf(['words', 'characters']).describe('The error rate that leads for the language.'),
    })
      .optional()
      .describe('Of a language in a corpus of several: the profile that scores it; absent otherwise.'),
  },
)
export type BreakdownGroup = DeepReadonly<z.infer<typeof breakdownGroupSchema>>

export const breakdownSchema = part(
  'Breakdown',
  'One way to group the requests of a contender, with its groups.',
  {
    by: oneOf(['speaker', 'tag', 'language', 'source', 'duration']).describe('What is grouped by.'),
    groupCount: count.describe('Groups in all; the 100 with the most words are listed.'),
    groups: list(breakdownGroupSchema).describe(
      'The most reference words first; by duration, in the order of length.',
    ),
  },
)
export type Breakdown = DeepReadonly<z.infer<typeof breakdownSchema>>

const meanErrorSchema = part('MeanTimeError', 'Mean absolute difference of times in milliseconds.', {
  meanMs: nullableNumber.describe(
    'Sum of the absolute differences / words, in milliseconds; null without words.',
  ),
  wordCount: count.describe('Words whose time is known on both sides.'),
  interval: orNull(intervalSchema).describe(
    'Interval of the mean in milliseconds; null for the reason that follows.',
  ),
  noIntervalReason: nullableText.describe('Why there is no interval; null where there is one.'),
})
export type MeanTimeError = DeepReadonly<z.infer<typeof meanErrorSchema>>

export const timeAnalysisSchema = group({
  rate: countedRateSchema.describe(
    'Matched words whose start and end differ by 200 ms at most, as far as both sides have them / matched words with a time ' +
      'on both sides.',
  ),
  startError: meanErrorSchema.describe('Mean absolute error of the starts.'),
  endError: meanErrorSchema.describe('Mean absolute error of the ends.'),
  closeMs: number.describe('The difference in milliseconds up to which a time counts as right.'),
  units: list(oneOf(['word', 'segment'])).describe(
    'What the target timed. A segment has the start of its first word and the end of its last.',
  ),
  matchedCount: count.describe('Words that the alignment matches, in answers with times.'),
  untimedCount: count.describe('Answers without times to utterances whose reference has them.'),
})
export type TimeAnalysis = DeepReadonly<z.infer<typeof timeAnalysisSchema>>

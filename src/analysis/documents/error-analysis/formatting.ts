import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import { rungs, wordClasses } from '#scoring'
import { caseCountsSchema, errorCountsSchema, numberFindingsSchema } from '#scoring/shapes'
import { count, nullableNumber, share, text } from '../scalars.ts'
import { countedRateSchema } from './rates.ts'

const classAnalysisSchema = z
  .strictObject({
    counts: errorCountsSchema.describe('Errors in words of this class.'),
    rate: nullableNumber.describe('(S + D + I) / (H + S + D); null where the references hold none.'),
  })
  .meta({ id: 'ClassAnalysis', description: 'Errors in words of one class.' })
export type ClassAnalysis = DeepReadonly<z.infer<typeof classAnalysisSchema>>

/** Numbers by value, and classes of words, over an alignment of English text with spoken numbers as figures. */
export const numberAnalysisSchema = z.strictObject({
  rate: countedRateSchema.describe(
    '(wrong + missing) / spoken, by value: another text of the same number is no error.',
  ),
  ...numberFindingsSchema.shape,
  classes: z
    .record(z.enum(wordClasses), classAnalysisSchema)
    .describe('Numbers, sums of money, percentages, ordinals and dates.'),
})
export type NumberAnalysis = DeepReadonly<z.infer<typeof numberAnalysisSchema>>

const nameCountsSchema = z
  .strictObject({
    name: text.describe('As the references write it first.'),
    said: count.describe('How often it was spoken.'),
    wrong: count.describe('How often it was not recognised.'),
  })
  .meta({ id: 'NameCounts', description: 'How often one proper name was spoken and not recognised.' })
export type NameCounts = DeepReadonly<z.infer<typeof nameCountsSchema>>

/** What became of the words that are names by `nameRule`; their capitals do not count. */
export const nameAnalysisSchema = z.strictObject({
  rate: countedRateSchema.describe('(S + D) / (H + S + D): names that were not recognised / names spoken.'),
  counts: errorCountsSchema.describe("By the reference's names; insertions are names that were inserted."),
  nameCount: count.describe('Different names that were spoken.'),
  names: z.array(nameCountsSchema).describe('The most often wrong first, 200 at most.'),
})
export type NameAnalysis = DeepReadonly<z.infer<typeof nameAnalysisSchema>>

const markAnalysisSchema = z
  .strictObject({
    mark: text.describe('The punctuation mark.'),
    counts: errorCountsSchema.describe('Errors in this mark.'),
    precision: share.nullable().describe('H / (H + I) over this mark; null where it was never written.'),
    recall: share.nullable().describe('H / (H + S + D); null where the references hold none.'),
  })
  .meta({ id: 'MarkAnalysis', description: 'Errors in one punctuation mark.' })
export type MarkAnalysis = DeepReadonly<z.infer<typeof markAnalysisSchema>>

/** Marks after the words that were recognised, compared mark by mark. */
export const punctuationAnalysisSchema = z.strictObject({
  rate: countedRateSchema.describe('(S + D + I) / (H + S + D + I).'),
  marks: z
    .array(markAnalysisSchema)
    .describe(
      'By mark of the reference (of the hypothesis, where one was inserted), the most frequent first.',
    ),
})
export type PunctuationAnalysis = DeepReadonly<z.infer<typeof punctuationAnalysisSchema>>

/** Capital letters of words that were recognised. */
export const capitalsAnalysisSchema = z.strictObject({
  rate: countedRateSchema.describe('wrong / compared, over all words.'),
  sentenceStarts: caseCountsSchema.describe('Words at the start of a sentence.'),
  otherWords: caseCountsSchema.describe('All other words.'),
})
export type CapitalsAnalysis = DeepReadonly<z.infer<typeof capitalsAnalysisSchema>>

/** The errors that are left when so much does not count. */
export const ladderRungSchema = z
  .strictObject({
    rung: z.enum(rungs).describe('What does not count from this rung on.'),
    counts: errorCountsSchema.describe('Word errors that are left.'),
    rate: nullableNumber.describe('Word error rate that is left; null without reference words.'),
  })
  .meta({
    id: 'LadderRung',
    description: 'The word errors that are left when one more kind of formatting does not count.',
  })
export type LadderRung = DeepReadonly<z.infer<typeof ladderRungSchema>>

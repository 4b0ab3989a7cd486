import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import { intervalSchema } from '#rates/documents'
import { count, nullableNumber, nullableText, number } from '../scalars.ts'
import { countedRateSchema } from './rates.ts'

/** A mean with what it is a mean of. */
export const meanErrorSchema = z
  .strictObject({
    meanMs: nullableNumber.describe(
      'Sum of the absolute differences / words, in milliseconds; null without words.',
    ),
    wordCount: count.describe('Words whose time is known on both sides.'),
    interval: intervalSchema
      .nullable()
      .describe('Interval of the mean in milliseconds; null for the reason that follows.'),
    noIntervalReason: nullableText.describe('Why there is no interval; null where there is one.'),
  })
  .meta({ id: 'MeanTimeError', description: 'Mean absolute difference of times in milliseconds.' })
export type MeanTimeError = DeepReadonly<z.infer<typeof meanErrorSchema>>

/** How exactly a contender says when words are spoken. */
export const timeAnalysisSchema = z.strictObject({
  rate: countedRateSchema.describe(
    'Matched words whose start and end differ by 200 ms at most, as far as both sides have them / matched words with a time ' +
      'on both sides.',
  ),
  startError: meanErrorSchema.describe('Mean absolute error of the starts.'),
  endError: meanErrorSchema.describe('Mean absolute error of the ends.'),
  closeMs: number.describe('The difference in milliseconds up to which a time counts as right.'),
  units: z
    .array(z.enum(['word', 'segment']))
    .describe('What the target timed. A segment has the start of its first word and the end of its last.'),
  matchedCount: count.describe('Words that the alignment matches, in answers with times.'),
  untimedCount: count.describe('Answers without times to utterances whose reference has them.'),
})
export type TimeAnalysis = DeepReadonly<z.infer<typeof timeAnalysisSchema>>

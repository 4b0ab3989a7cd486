import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import { entityTypes, type PathologyKind, pathologyRules } from '#scoring'
import { errorCountsSchema, keywordCountsSchema } from '#scoring/shapes'
import { count, nullableNumber, number, share, text } from '../scalars.ts'
import { countedRateSchema } from './rates.ts'

/** How often the words that matter were spoken, found and invented. */
export const keywordAnalysisSchema = z
  .strictObject({
    recall: countedRateSchema.describe('found / (found + missed).'),
    precision: countedRateSchema.describe('found / (found + invented).'),
    f1: share
      .nullable()
      .describe('Harmonic mean of the two; null where no keyword was spoken or recognised.'),
    keywords: z
      .array(keywordCountsSchema)
      .describe('Keywords that were spoken or recognised, the most missed and invented first, 200 at most.'),
    keywordCount: count.describe('Keywords that were searched for.'),
  })
  .meta({ id: 'KeywordAnalysis', description: 'How often the keywords were spoken, found and invented.' })
export type KeywordAnalysis = DeepReadonly<z.infer<typeof keywordAnalysisSchema>>

/** What became of the entities of one type. */
export const entityAnalysisSchema = z
  .strictObject({
    type: z.enum(entityTypes).describe('Type of the entities.'),
    recall: countedRateSchema.describe('found / (found + missed): every word of the entity right, in a row.'),
    missedRate: countedRateSchema.describe('missed / (found + missed).'),
    precision: countedRateSchema.describe('found / (found + invented).'),
    invented: count.describe('Entities of this corpus that were recognised where they were not spoken.'),
    missed: z
      .array(z.strictObject({ text: text.describe('The entity.'), count: count.describe('How often.') }))
      .describe('The entities that were missed most, 20 at most.'),
  })
  .meta({ id: 'EntityAnalysis', description: 'How often entities of one type were found and missed.' })
export type EntityAnalysis = DeepReadonly<z.infer<typeof entityAnalysisSchema>>

const pathologyExampleSchema = z
  .strictObject({
    utteranceId: text.describe('The utterance.'),
    requestIndex: count.describe('The first request with this answer; see `utterances`.'),
    round: count.describe('The round of that request.'),
    answerCount: count.describe('Requests with this text as the answer.'),
    size: count.describe('Words concerned: inserted, repeated, missing; letters for a wrong script.'),
    detail: text.describe('The words, or the script.'),
  })
  .meta({ id: 'PathologyExample', description: 'One answer in which a pathology was found.' })
export type PathologyExample = DeepReadonly<z.infer<typeof pathologyExampleSchema>>

/** A way to fail that an error rate does not distinguish from ordinary errors. */
export const pathologyAnalysisSchema = z
  .strictObject({
    kind: z.enum(Object.keys(pathologyRules) as PathologyKind[]).describe('What was searched for.'),
    rule: text.describe('The rule by which it was searched for.'),
    rate: countedRateSchema.describe('Utterances with at least one such answer / utterances with an answer.'),
    answerCount: count.describe('Requests with such an answer.'),
    examples: z
      .array(pathologyExampleSchema)
      .describe('The largest first, one for each utterance and text, 100 at most.'),
  })
  .meta({
    id: 'PathologyAnalysis',
    description: 'A way to fail that an error rate does not distinguish from ordinary errors.',
  })
export type PathologyAnalysis = DeepReadonly<z.infer<typeof pathologyAnalysisSchema>>

/** How far a contender agrees with itself over the rounds; no reference is needed. */
export const flakinessAnalysisSchema = z
  .strictObject({
    rate: countedRateSchema.describe(
      'Utterances whose answers differ after normalisation / utterances that were answered at least twice.',
    ),
    betweenRepeats: errorCountsSchema.describe('Each answer against each later one of the same utterance.'),
    betweenRepeatsRate: nullableNumber.describe('Word error rate between repeats; null without words.'),
    unstableIds: z.array(text).describe('Utterances whose answers differ, the first 100.'),
  })
  .meta({
    id: 'FlakinessAnalysis',
    description: 'How far a contender agrees with itself over the rounds; no reference is needed.',
  })
export type FlakinessAnalysis = DeepReadonly<z.infer<typeof flakinessAnalysisSchema>>

const silenceExampleSchema = z
  .strictObject({
    utteranceId: text.describe('The utterance.'),
    audioSeconds: number.describe('Length of its audio in seconds.'),
    answerCount: count.describe('Its answers.'),
    answeredWithWordsCount: count.describe('Its answers with words.'),
    insertedWords: count.describe('Words in all of them.'),
    hypothesis: text.describe('The first answer with words.'),
  })
  .meta({ id: 'SilenceExample', description: 'An utterance without words that was answered with words.' })
export type SilenceExample = DeepReadonly<z.infer<typeof silenceExampleSchema>>

/** Utterances whose reference has no words: silence, noise. */
export const silenceAnalysisSchema = z
  .strictObject({
    utteranceCount: count.describe('Utterances whose reference has no words.'),
    answeredWithWords: countedRateSchema.describe('Answers with words / answers.'),
    insertedWords: count.describe('Words in all of these answers.'),
    audioSeconds: number.describe('Audio of the answered requests in seconds.'),
    insertedWordsPerMinute: nullableNumber.describe('Null where the audio has no length.'),
    examples: z
      .array(silenceExampleSchema)
      .describe('One for each utterance that was answered with words, the most words first, 100 at most.'),
  })
  .meta({ id: 'SilenceAnalysis', description: 'Answers where nothing was spoken: silence and noise.' })
export type SilenceAnalysis = DeepReadonly<z.infer<typeof silenceAnalysisSchema>>

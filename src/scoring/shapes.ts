/**
 * The shapes of what scoring finds, as documents hold them. A separate entry point: a browser that scores does not load the
 * parsers of documents.
 */
import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import { entityTypes } from './kinds.ts'

const count = z.int().min(0)

/** What an alignment found, in words or in characters. */
export const errorCountsSchema = z
  .strictObject({
    hits: count.describe('H: tokens that are right.'),
    substitutions: count.describe('S: tokens that were recognised as another one.'),
    deletions: count.describe('D: tokens of the reference that are missing.'),
    insertions: count.describe('I: tokens that the reference does not have.'),
  })
  .meta({ id: 'ErrorCounts', description: 'What an alignment found, in words or in characters.' })
export type ErrorCounts = DeepReadonly<z.infer<typeof errorCountsSchema>>

const reference = z.string().describe('Word of the reference.')
const hypothesis = z.string().describe('Word of the hypothesis.')

/** One position of an alignment, in reading order. */
export const alignmentStepSchema = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('hit').describe('The words are the same.'),
      reference,
      hypothesis,
    }),
    z.strictObject({
      kind: z.literal('substitution').describe('One word was recognised as another one.'),
      reference,
      hypothesis,
    }),
    z.strictObject({
      kind: z.literal('deletion').describe('A word of the reference is missing.'),
      reference,
      hypothesis: z.null().describe('None.'),
    }),
    z.strictObject({
      kind: z.literal('insertion').describe('A word that the reference does not have.'),
      reference: z.null().describe('None.'),
      hypothesis,
    }),
  ])
  .meta({ id: 'AlignmentStep', description: 'One position of an alignment, in reading order.' })
export type AlignmentStep = DeepReadonly<z.infer<typeof alignmentStepSchema>>

/** An error that occurs again and again. */
export const confusionSchema = z
  .strictObject({
    reference: z.string().nullable().describe('What was spoken; null for an insertion.'),
    hypothesis: z.string().nullable().describe('What was recognised; null for a deletion.'),
    count: z.int().min(0).describe('How often it occurs, over all scored requests.'),
    utteranceIds: z.array(z.string()).describe('The first utterances that it occurs in, 10 at most.'),
  })
  .meta({ id: 'Confusion', description: 'An error that occurs again and again.' })
export type Confusion = DeepReadonly<z.infer<typeof confusionSchema>>

/** How often one keyword was spoken, found and invented. */
export const keywordCountsSchema = z
  .strictObject({
    keyword: z.string().describe('The word or phrase, normalised.'),
    found: count.describe('Spoken and recognised, every word of it right.'),
    missed: count.describe('Spoken and not recognised.'),
    invented: count.describe('Recognised where it was not spoken.'),
  })
  .meta({ id: 'KeywordCounts', description: 'How often one keyword was spoken, found and invented.' })
export type KeywordCounts = DeepReadonly<z.infer<typeof keywordCountsSchema>>

/** A stretch of a reference that matters for what it names. */
export const entitySchema = z
  .strictObject({
    type: z.enum(entityTypes).describe('What it names.'),
    text: z.string().describe('The words, as the reference has them.'),
  })
  .meta({ id: 'Entity', description: 'Words of a reference that name something, with what they name.' })
export type Entity = DeepReadonly<z.infer<typeof entitySchema>>

/** A word or a segment with its times. */
export const timedTextSchema = z
  .strictObject({
    text: z.string().describe('The word, or the text of the segment.'),
    startSeconds: z.number().describe('Start in seconds from the beginning of the recording.'),
    endSeconds: z.number().describe('End in seconds from the beginning of the recording.'),
  })
  .meta({ id: 'TimedText', description: 'A word or a segment of a recording with its times.' })
export type TimedText = DeepReadonly<z.infer<typeof timedTextSchema>>

/** What became of the numbers that were said, by value. */
export const numberFindingsSchema = z.strictObject({
  right: count.describe('Recognised as the same text.'),
  formatOnly: count.describe('Recognised as another text of the same value: $5 for 5, 5.0 for 5, 5th for 5.'),
  wrong: count.describe('Recognised as another value.'),
  missing: count.describe('Spoken and not recognised.'),
  invented: count.describe('Recognised and not spoken.'),
})
export type NumberFindings = DeepReadonly<z.infer<typeof numberFindingsSchema>>

/** Capital letters of words that were recognised. */
export const caseCountsSchema = z
  .strictObject({
    compared: z.int().min(0).describe('Words that were compared.'),
    wrong: z.int().min(0).describe('Words of them with another capital letter.'),
  })
  .meta({ id: 'CaseCounts', description: 'Capital letters of words that were recognised.' })
export type CaseCounts = DeepReadonly<z.infer<typeof caseCountsSchema>>

/** A reference that every contender contradicts in the same way: probably it is the reference that is wrong. */
export const suspectReferenceSchema = z
  .strictObject({
    id: z.string().describe('Id of the utterance.'),
    reference: z.string().describe('Its reference.'),
    agreedText: z.string().describe('What all contenders agree on, normalised.'),
    contenderCount: z.int().min(0).describe('Contenders that agree.'),
    errors: z.int().min(0).describe('Word errors of the agreed text against the reference.'),
  })
  .meta({
    id: 'SuspectReference',
    description: 'A reference that every contender contradicts in the same words.',
  })
export type SuspectReference = DeepReadonly<z.infer<typeof suspectReferenceSchema>>

/** A contender whose own text is the reference, so that it cannot but win. */
export const selfReferenceSchema = z
  .strictObject({
    contenderId: z.string().describe('The contender.'),
    identicalCount: z
      .int()
      .min(0)
      .describe('Utterances of at least five words where its text is the reference, letter for letter.'),
    comparedCount: z.int().min(0).describe('Utterances of at least five words that were compared.'),
  })
  .meta({
    id: 'SelfReference',
    description: 'A contender whose own text is the reference, so that it must win.',
  })
export type SelfReference = DeepReadonly<z.infer<typeof selfReferenceSchema>>

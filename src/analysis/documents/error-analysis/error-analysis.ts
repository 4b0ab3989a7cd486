import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import { selfReferenceSchema, suspectReferenceSchema } from '#scoring/shapes'
import { count, text } from '../scalars.ts'
import {
  entityAnalysisSchema,
  flakinessAnalysisSchema,
  keywordAnalysisSchema,
  pathologyAnalysisSchema,
  silenceAnalysisSchema,
} from './answers.ts'
import {
  capitalsAnalysisSchema,
  ladderRungSchema,
  nameAnalysisSchema,
  numberAnalysisSchema,
  punctuationAnalysisSchema,
} from './formatting.ts'
import {
  breakdownSchema,
  confusionTableSchema,
  countedRateSchema,
  explained,
  otherRatesSchema,
} from './rates.ts'
import { robustnessSchema } from './robustness.ts'
import { timeAnalysisSchema } from './times.ts'

/**
 * How one contender errs: what its error rate does not show. Everything is counted over all scored requests,
 * repeats over the rounds included, unless it says "utterance". Lists are cut to what a person can look at, and
 * say how much there is in all.
 */
export const contenderAnalysisSchema = z
  .strictObject({
    contenderId: text.describe('The contender.'),
    rates: otherRatesSchema.describe('Match error rate, sentence error rate, word information.'),
    confusions: z
      .strictObject({
        words: confusionTableSchema.describe('Word for word, as the alignment pairs them.'),
        phrases: confusionTableSchema.describe(
          'Consecutive errors between two hits as one: "one two" for "uno dos".',
        ),
      })
      .describe('The most frequent errors, 200 of each kind at most.'),
    breakdowns: z
      .array(breakdownSchema)
      .describe('By speaker, tag, language, source and length; only what has at least two groups.'),
    robustness: z
      .array(robustnessSchema)
      .default([])
      .describe('One for each ladder of a derived corpus; empty for other corpora.'),
    keywords: keywordAnalysisSchema
      .nullable()
      .describe('Null without a vocabulary (`scoring.vocabulary`) and without keywords of utterances.'),
    entities: z
      .array(entityAnalysisSchema)
      .default([])
      .describe('One for each type of entity in the manifest; empty where it has none.'),
    times: explained(timeAnalysisSchema)
      .nullable()
      .default(null)
      .describe('Errors of the times of words or segments; null where no reference has times.'),
    numbers: explained(numberAnalysisSchema).describe(
      'Numbers by value, and classes of words, over an alignment of English text with spoken numbers as figures.',
    ),
    names: explained(nameAnalysisSchema).describe('Proper names, found by their capitals.'),
    punctuation: explained(punctuationAnalysisSchema).describe(
      'Punctuation marks after the words that were recognised.',
    ),
    capitals: explained(capitalsAnalysisSchema).describe('Capital letters of words that were recognised.'),
    formattedWords: explained(countedRateSchema).describe(
      'Word error rate with capitals, and with marks as words; nothing where references have neither.',
    ),
    ladder: z
      .array(ladderRungSchema)
      .describe(
        'The errors that are left when capitals, then punctuation, then numbers, then spellings of the language do not count. ' +
          'Without languages whose character rate leads: texts without spaces do not show their words.',
      ),
    pathologies: z.array(pathologyAnalysisSchema).describe('One for each kind, found or not.'),
    flakiness: flakinessAnalysisSchema.nullable().describe('Null where no utterance was answered twice.'),
    silence: silenceAnalysisSchema.nullable().describe('Null where every reference has words.'),
  })
  .meta({
    id: 'ContenderAnalysis',
    description:
      'How one contender errs. Counts are over all scored requests, repeats over the rounds included, unless they say "utterance".',
  })
export type ContenderAnalysis = DeepReadonly<z.infer<typeof contenderAnalysisSchema>>

/** References compared with what the contenders answer: where the reference itself may be wrong. */
export const referenceAuditSchema = z
  .strictObject({
    suspectCount: count
      .nullable()
      .describe(
        'References that at least two contenders contradict, all in the same words; null with one contender.',
      ),
    suspects: z.array(suspectReferenceSchema).describe('All of them, the most errors first.'),
    selfReferences: z
      .array(selfReferenceSchema)
      .describe('Contenders whose own text the references are: they must win.'),
  })
  .meta({ id: 'ReferenceAudit', description: 'Where the references themselves may be wrong.' })
export type ReferenceAudit = DeepReadonly<z.infer<typeof referenceAuditSchema>>

import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import {
  count,
  group,
  list,
  nullableCount,
  nullableNumber,
  nullableShare,
  number,
  oneOf,
  orNull,
  part,
  text,
} from '#prelude/document-fields'
import { errorRateSchema } from '#rates/documents'
import { type PathologyKind, pathologyRules } from '#scoring/error-analysis/pathologies'
import { entityTypes, rungs, wordClasses } from '#scoring/kinds'
import {
  caseCountsSchema,
  errorCountsSchema,
  keywordCountsSchema,
  numberFindingsSchema,
  selfReferenceSchema,
  suspectReferenceSchema,
} from '#scoring/shapes'
import {
  breakdownSchema,
  confusionTableSchema,
  countedRateSchema,
  explained,
  otherRatesSchema,
  timeAnalysisSchema,
} from './error-rates.ts'

const rungSchema = part('RobustnessRung', 'The error rate at one value of a ladder.', {
  value: nullableNumber.describe('Value of the parameter; null for the version without the step.'),
  utteranceCount: count.describe('Utterances of this value.'),
  askedCount: count.describe('Requests that were sent.'),
  scoredCount: count.describe('Requests that were scored.'),
  errors: errorRateSchema.describe('Error rate at this value, of words or of characters, whichever leads.'),
})
export type RobustnessRung = DeepReadonly<z.infer<typeof rungSchema>>

const crossingSchema = part(
  'RobustnessCrossing',
  'The value of the parameter at which the error rate crosses a limit, by linear interpolation, with a percentile bootstrap over ' +
    'parent utterances or speakers.',
  {
    limitRate: number.describe('The limit, 0..1.'),
    position: oneOf(['within', 'before', 'beyond']).describe(
      '`before`: above the limit at every value; `beyond`: at none.',
    ),
    value: nullableNumber.describe(
      'Where the rate crosses the limit; null unless it does within the ladder.',
    ),
    easierEnd: nullableNumber.describe(
      'End of the 95% interval to the easier values; null where it is not on the ladder.',
    ),
    harderEnd: nullableNumber.describe(
      'End of the 95% interval to the harder values; null where it is not on the ladder.',
    ),
  },
)
export type RobustnessCrossing = DeepReadonly<z.infer<typeof crossingSchema>>

const robustnessSchema = part(
  'Robustness',
  'Error rates of one contender along a ladder of a derived corpus.',
  {
    parameter: text.describe('Parameter that the ladder varies, as `snr`.'),
    unit: text.describe('Unit of the values; empty for a ratio.'),
    harder: orNull(oneOf(['lower', 'higher'])).describe('Which values are harder; null where both ends are.'),
    rungs: list(rungSchema).describe(
      'From the easiest to the hardest value; the version without the step first.',
    ),
    crossings: list(crossingSchema).describe(
      'For limits of 5, 10, 20, 30 and 50 %; empty where both ends are hard.',
    ),
  },
)
export type Robustness = DeepReadonly<z.infer<typeof robustnessSchema>>

const classAnalysisSchema = part('ClassAnalysis', 'Errors in words of one class.', {
  counts: errorCountsSchema.describe('Errors in words of this class.'),
  rate: nullableNumber.describe('(S + D + I) / (H + S + D); null where the references hold none.'),
})
export type ClassAnalysis = DeepReadonly<z.infer<typeof classAnalysisSchema>>

const numberAnalysisSchema = group({
  rate: countedRateSchema.describe(
    '(wrong + missing) / spoken, by value: another text of the same number is no error.',
  ),
  ...numberFindingsSchema.shape,
  classes: z
    .record(oneOf(wordClasses), classAnalysisSchema)
    .describe('Numbers, sums of money, percentages, ordinals and dates.'),
})
export type NumberAnalysis = DeepReadonly<z.infer<typeof numberAnalysisSchema>>

const nameCountsSchema = part('NameCounts', 'How often one proper name was spoken and not recognised.', {
  name: text.describe('As the references write it first.'),
  said: count.describe('How often it was spoken.'),
  wrong: count.describe('How often it was not recognised.'),
})
export type NameCounts = DeepReadonly<z.infer<typeof nameCountsSchema>>

/** Outcomes of the words that are names by `nameRule`, ignoring their capitals. */
const nameAnalysisSchema = group({
  rate: countedRateSchema.describe('(S + D) / (H + S + D): names that were not recognised / names spoken.'),
  counts: errorCountsSchema.describe("By the reference's names; insertions are names that were inserted."),
  nameCount: count.describe('Different names that were spoken.'),
  names: list(nameCountsSchema).describe('The most often wrong first, 200 at most.'),
})
export type NameAnalysis = DeepReadonly<z.infer<typeof nameAnalysisSchema>>

const markAnalysisSchema = part('MarkAnalysis', 'Errors in one punctuation mark.', {
  mark: text.describe('The punctuation mark.'),
  counts: errorCountsSchema.describe('Errors in this mark.'),
  precision: nullableShare.describe('H / (H + I) over this mark; null where it was never written.'),
  recall: nullableShare.describe('H / (H + S + D); null where the references hold none.'),
})
export type MarkAnalysis = DeepReadonly<z.infer<typeof markAnalysisSchema>>

const punctuationAnalysisSchema = group({
  rate: countedRateSchema.describe('(S + D + I) / (H + S + D + I).'),
  marks: list(markAnalysisSchema).describe(
    'By mark of the reference (of the hypothesis, where one was inserted), the most frequent first.',
  ),
})
export type PunctuationAnalysis = DeepReadonly<z.infer<typeof punctuationAnalysisSchema>>

const capitalsAnalysisSchema = group({
  rate: countedRateSchema.describe('wrong / compared, over all words.'),
  sentenceStarts: caseCountsSchema.describe('Words at the start of a sentence.'),
  otherWords: caseCountsSchema.describe('All other words.'),
})
export type CapitalsAnalysis = DeepReadonly<z.infer<typeof capitalsAnalysisSchema>>

const ladderRungSchema = part(
  'LadderRung',
  'The word errors that are left when one more kind of formatting does not count.',
  {
    rung: oneOf(rungs).describe('What does not count from this rung on.'),
    counts: errorCountsSchema.describe('Word errors that are left.'),
    rate: nullableNumber.describe('Word error rate that is left; null without reference words.'),
  },
)
export type LadderRung = DeepReadonly<z.infer<typeof ladderRungSchema>>

const keywordAnalysisSchema = part(
  'KeywordAnalysis',
  'How often the keywords were spoken, found and invented.',
  {
    recall: countedRateSchema.describe('found / (found + missed).'),
    precision: countedRateSchema.describe('found / (found + invented).'),
    f1: nullableShare.describe('Harmonic mean of the two; null where no keyword was spoken or recognised.'),
    keywords: list(keywordCountsSchema).describe(
      'Keywords that were spoken or recognised, the most missed and invented first, 200 at most.',
    ),
    keywordCount: count.describe('Keywords that were searched for.'),
  },
)
export type KeywordAnalysis = DeepReadonly<z.infer<typeof keywordAnalysisSchema>>

const entityAnalysisSchema = part('EntityAnalysis', 'How often entities of one type were found and missed.', {
  type: oneOf(entityTypes).describe('Type of the entities.'),
  recall: countedRateSchema.describe('found / (found + missed): every word of the entity right, in a row.'),
  missedRate: countedRateSchema.describe('missed / (found + missed).'),
  precision: countedRateSchema.describe('found / (found + invented).'),
  invented: count.describe('Entities of this corpus that were recognised where they were not spoken.'),
  missed: list(group({ text: text.describe('The entity.'), count: count.describe('How often.') })).describe(
    'The entities that were missed most, 20 at most.',
  ),
})
export type EntityAnalysis = DeepReadonly<z.infer<typeof entityAnalysisSchema>>

const pathologyExampleSchema = part('PathologyExample', 'One answer in which a pathology was found.', {
  utteranceId: text.describe('The utterance.'),
  requestIndex: count.describe('The first request with this answer; see `utterances`.'),
  round: count.describe('The round of that request.'),
  answerCount: count.describe('Requests with this text as the answer.'),
  size: count.describe('Words concerned: inserted, repeated, missing; letters for a wrong script.'),
  detail: text.describe('The words, or the script.'),
})
export type PathologyExample = DeepReadonly<z.infer<typeof pathologyExampleSchema>>

const pathologyAnalysisSchema = part(
  'PathologyAnalysis',
  'A way to fail that an error rate does not distinguish from ordinary errors.',
  {
    kind: oneOf(Object.keys(pathologyRules) as PathologyKind[]).describe('What was searched for.'),
    rule: text.describe('The rule by which it was searched for.'),
    rate: countedRateSchema.describe('Utterances with at least one such answer / utterances with an answer.'),
    answerCount: count.describe('Requests with such an answer.'),
    examples: list(pathologyExampleSchema).describe(
      'The largest first, one for each utterance and text, 100 at most.',
    ),
  },
)
export type PathologyAnalysis = DeepReadonly<z.infer<typeof pathologyAnalysisSchema>>

const flakinessAnalysisSchema = part(
  'FlakinessAnalysis',
  'How far a contender agrees with itself over the rounds; no reference is needed.',
  {
    rate: countedRateSchema.describe(
      'Utterances whose answers differ after normalisation / utterances that were answered at least twice.',
    ),
    betweenRepeats: errorCountsSchema.describe('Each answer against each later one of the same utterance.'),
    betweenRepeatsRate: nullableNumber.describe('Word error rate between repeats; null without words.'),
    unstableIds: list(text).describe('Utterances whose answers differ, the first 100.'),
  },
)
export type FlakinessAnalysis = DeepReadonly<z.infer<typeof flakinessAnalysisSchema>>

const silenceExampleSchema = part(
  'SilenceExample',
  'An utterance without words that was answered with words.',
  {
    utteranceId: text.describe('The utterance.'),
    audioSeconds: number.describe('Length of its audio in seconds.'),
    answerCount: count.describe('Its answers.'),
    answeredWithWordsCount: count.describe('Its answers with words.'),
    insertedWords: count.describe('Words in all of them.'),
    hypothesis: text.describe('The first answer with words.'),
  },
)
export type SilenceExample = DeepReadonly<z.infer<typeof silenceExampleSchema>>

const silenceAnalysisSchema = part(
  'SilenceAnalysis',
  'Answers where nothing was spoken: silence and noise.',
  {
    utteranceCount: count.describe('Utterances whose reference has no words.'),
    answeredWithWords: countedRateSchema.describe('Answers with words / answers.'),
    insertedWords: count.describe('Words in all of these answers.'),
    audioSeconds: number.describe('Audio of the answered requests in seconds.'),
    insertedWordsPerMinute: nullableNumber.describe('Null where the audio has no length.'),
    examples: list(silenceExampleSchema).describe(
      'One for each utterance that was answered with words, the most words first, 100 at most.',
    ),
  },
)
export type SilenceAnalysis = DeepReadonly<z.infer<typeof silenceAnalysisSchema>>

/**
 * Errors of one contender in detail. Counts are over all scored requests, including repeats over the rounds, unless
 * they say "utterance". Lists are shortened for readers, and have their total counts.
 */
export const contenderAnalysisSchema = part(
  'ContenderAnalysis',
  'How one contender errs. Counts are over all scored requests, repeats over the rounds included, unless they say "utterance".',
  {
    contenderId: text.describe('The contender.'),
    rates: otherRatesSchema.describe('Match error rate, sentence error rate, word information.'),
    confusions: group({
      words: confusionTableSchema.describe('Word for word, as the alignment pairs them.'),
      phrases: confusionTableSchema.describe(
        'Consecutive errors between two hits as one: "one two" for "uno dos".',
      ),
    }).describe('The most frequent errors, 200 of each kind at most.'),
    breakdowns: list(breakdownSchema).describe(
      'By speaker, tag, language, source and length; only what has at least two groups.',
    ),
    robustness: list(robustnessSchema)
      .default([])
      .describe('One for each ladder of a derived corpus; empty for other corpora.'),
    keywords: orNull(keywordAnalysisSchema).describe(
      'Null without a vocabulary (`scoring.vocabulary`) and without keywords of utterances.',
    ),
    entities: list(entityAnalysisSchema)
      .default([])
      .describe('One for each type of entity in the manifest; empty where it has none.'),
    times: orNull(explained(timeAnalysisSchema))
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
    ladder: list(ladderRungSchema).describe(
      'The errors that are left when capitals, then punctuation, then numbers, then spellings of the language do not count. ' +
        'Without languages whose character rate leads: texts without spaces do not show their words.',
    ),
    pathologies: list(pathologyAnalysisSchema).describe('One for each kind, found or not.'),
    flakiness: orNull(flakinessAnalysisSchema).describe('Null where no utterance was answered twice.'),
    silence: orNull(silenceAnalysisSchema).describe('Null where every reference has words.'),
  },
)
export type ContenderAnalysis = DeepReadonly<z.infer<typeof contenderAnalysisSchema>>

export const referenceAuditSchema = part('ReferenceAudit', 'Where the references themselves may be wrong.', {
  suspectCount: nullableCount.describe(
    'References that at least two contenders contradict, all in the same words; null with one contender.',
  ),
  suspects: list(suspectReferenceSchema).describe('All of them, the most errors first.'),
  selfReferences: list(selfReferenceSchema).describe(
    'Contenders whose own text the references are: they must win.',
  ),
})
export type ReferenceAudit = DeepReadonly<z.infer<typeof referenceAuditSchema>>

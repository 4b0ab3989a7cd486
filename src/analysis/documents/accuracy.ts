import type { z } from 'zod'
import { runCountsSchema } from '#journal/run-record'
import type { DeepReadonly } from '#prelude'
import {
  count,
  group,
  list,
  nullableCount,
  nullableNumber,
  nullableShare,
  nullableText,
  part,
  text,
} from '#prelude/document-fields'
import { type ErrorRate, errorRateSchema } from '#rates/documents'
import { type FigureMetric, type Measurement, measured } from './figure.ts'

const failureReasonSchema = group({
  message: text.describe('Message of the server or the system.'),
  hint: nullableText.describe('Advice of the server; null where it gave none.'),
  count: count.describe('How often.'),
})

const failureGroupSchema = part('FailureGroup', 'Failures of one kind.', {
  label: text.describe('The code that they are counted by.'),
  count: count.describe('Failed requests.'),
  reasons: list(failureReasonSchema).describe('The most frequent messages first, 3 at most.'),
})
export type FailureGroup = DeepReadonly<z.infer<typeof failureGroupSchema>>

export const accuracyFields = {
  counts: runCountsSchema.describe('Requests by what became of them.'),
  failures: list(failureGroupSchema).describe('The most frequent first.'),
  failureRate: nullableShare.describe('failed / (answered + failed), 0..1; null when nothing was sent.'),
  scoredCount: count.describe('Answers that were compared with their reference.'),
  noSpeechCount: count.describe(
    'Refusals that mean "no speech": scored as an empty transcript, and among `answered`.',
  ),
  utteranceCount: count.describe('Utterances behind the rates.'),
  speakerCount: nullableCount.describe('Speakers behind the rates; null where one is unknown.'),
  coverage: nullableShare.describe('scored / planned, 0..1; null when nothing was planned.'),
  words: errorRateSchema.describe('Word error rate of scored requests.'),
  characters: errorRateSchema.describe('Character error rate of scored requests.'),
  sentenceErrorRate: nullableShare.describe(
    'Share of scored requests with at least one word error, 0..1; null where none was scored.',
  ),
  wordsWithFailuresAsEmpty: errorRateSchema.describe(
    'As `words`, with every failed request counted as an empty transcript; what was not sent is in no sum.',
  ),
  charactersWithFailuresAsEmpty: errorRateSchema.describe('As `characters`, in the same way.'),
  meanUtteranceWordErrorRate: nullableNumber.describe(
    "Mean of the utterances' own rates: shown second, never ranked by. Null where nothing was scored.",
  ),
  postProcessedRate: nullableShare.describe(
    'Share of answered texts that a language model edited, 0..1; null for transcriptions.',
  ),
}
type AccuracyFigures = DeepReadonly<z.infer<z.ZodObject<typeof accuracyFields>>>

const nothingScored = 'nothing was scored'
const noWords = 'the references hold no words'
const mcCowan2004 =
  'McCowan et al. 2004, "On the use of information retrieval measures for speech recognition evaluation"'

export const accuracyMetrics: readonly FigureMetric<AccuracyFigures>[] = [
  {
    id: 'wer',
    name: 'word error rate',
    unit: 'rate',
    formula: '(S + D + I) / (H + S + D), sums over all scored requests',
    source: mcCowan2004,
    reading:
      'Wrong, missing and additional words for every hundred words that were said. Over 100% where more ' +
      'was added than said. It covers the answered requests only; coverage is next to it. Where no error ' +
      'occurred there is no interval, because resampling finds none either; with no error in n ' +
      'utterances, about 3/n of others may have one.',
    column: 'wer_rate',
    measure: ({ words, scoredCount }) => rateWithInterval(words, scoredCount),
  },
  {
    id: 'cer',
    name: 'character error rate',
    unit: 'rate',
    formula:
      '(S + D + I) / (H + S + D) over graphemes; spaces included, except with the profiles of languages ' +
      'without spaces',
    source: mcCowan2004,
    reading:
      'As the word error rate, letter by letter. For scripts without spaces (Chinese, Japanese, Thai) it ' +
      'comes first, and contenders are ranked by it.',
    column: 'cer_rate',
    measure: ({ characters, scoredCount }) => rateWithInterval(characters, scoredCount),
  },
  {
    id: 'wer.all',
    name: 'word error rate with failures as empty transcripts',
    unit: 'rate',
    formula:
      'as wer, every request that failed counted as an empty transcript; what was not sent is in no sum',
    source: 'a request that fails leaves its user without any text; contenders are ranked by this',
    reading: 'Equal to wer where everything was answered. A large distance from it means many failures.',
    column: 'wer_all_rate',
    measure: ({ wordsWithFailuresAsEmpty, counts }) =>
      rateWithInterval(wordsWithFailuresAsEmpty, counts.answered + counts.failed),
  },
  {
    id: 'cer.all',
    name: 'character error rate with failures as empty transcripts',
    unit: 'rate',
    formula:
      'as cer, every request that failed counted as an empty transcript; what was not sent is in no sum',
    source: 'a request that fails leaves its user without any text',
    reading: 'Where the character error rate comes first, contenders are ranked by this.',
    column: 'cer_all_rate',
    measure: ({ charactersWithFailuresAsEmpty, counts }) =>
      rateWithInterval(charactersWithFailuresAsEmpty, counts.answered + counts.failed),
  },
  {
    id: 'wer.mean',
    name: 'mean of the utterances’ own word error rates',
    unit: 'rate',
    formula: 'mean over utterances of (S + D + I) / (H + S + D)',
    source: 'shown because other programs report it; short utterances weigh as much as long ones',
    reading:
      'A second opinion only: one short hallucinated utterance can dominate it. Nothing is ranked by it.',
    column: 'wer_mean_rate',
    measure: ({ meanUtteranceWordErrorRate }) => measured(meanUtteranceWordErrorRate, noWords),
  },
  {
    id: 'ser',
    name: 'sentence error rate',
    unit: 'rate',
    formula: 'scored requests with at least one word error / scored requests',
    source: mcCowan2004,
    reading: 'How often a transcript needs any correction at all. Long utterances nearly always do.',
    column: 'ser_rate',
    measure: ({ sentenceErrorRate }) => measured(sentenceErrorRate, nothingScored),
  },
  {
    id: 'coverage',
    name: 'coverage',
    unit: 'rate',
    better: 'higher',
    formula: 'scored requests / planned requests',
    source: 'a rate without its denominator says nothing',
    reading:
      'Below 100% the rates speak of a part of the corpus. The run is not valid where more requests ' +
      'failed than were answered.',
    column: 'coverage_rate',
    measure: ({ coverage }) => measured(coverage, 'nothing was planned'),
  },
  {
    id: 'failures',
    name: 'failure rate',
    unit: 'rate',
    formula: 'failed requests / (answered + failed requests)',
    source: 'failed requests are counted, never dropped and never scored as silence',
    reading: 'Refusals, time-outs, broken connections and unreadable answers. "No speech" is an answer.',
    column: 'failure_rate',
    measure: ({ failureRate }) => measured(failureRate, 'nothing was sent'),
  },
  {
    id: 'post-processed',
    aliases: ['edited'],
    name: 'post-processed texts',
    unit: 'rate',
    better: 'higher',
    formula: 'answers with post_processed true / answers',
    source: 'the API answers ok with the text unchanged where a provider failed',
    reading:
      'How often a language model really edited the text. What came back unchanged is an answer all the ' +
      'same, and is compared with its reference: wer and cer are then the distance of what the user got ' +
      'from what it should have been.',
    column: 'post_processed_rate',
    measure: ({ postProcessedRate }) => measured(postProcessedRate, 'nothing was post-processed'),
  },
]

function rateWithInterval(
  { rate, interval }: Pick<ErrorRate, 'rate' | 'interval'>,
  requestCount: number,
): Measurement {
  if (rate !== null) return { value: rate, interval }
  return { value: null, reason: requestCount === 0 ? nothingScored : noWords }
}

import { errorCount, referenceLength, sumCounts, timesCounts } from '#scoring/counts'
import { type FormattingCounts, sumFormatting } from '#scoring/error-analysis/formatting'
import type { ErrorCounts } from '#scoring/shapes'
import type { CapitalsAnalysis, MarkAnalysis, PunctuationAnalysis } from '../documents/error-analysis.ts'
import type { CountedRate, Explained } from '../documents/error-rates.ts'
import type { AnswerTally } from './answer-facts.ts'
import { type IntervalOptions, pooledRate, type RateTerm } from './counted-rate.ts'

export interface FormattingAnalysis {
  readonly punctuation: Explained<PunctuationAnalysis>
  readonly capitals: Explained<CapitalsAnalysis>
  readonly formattedWords: Explained<CountedRate>
}

/**
 * Punctuation and capitals, as written. References that know neither say nothing about them: there a service
 * that restores them would be blamed for every one.
 */
export function startFormatting(options: IntervalOptions): AnswerTally<FormattingAnalysis> {
  let sum = sumFormatting([])
  let hasMarks = false
  let hasCapitals = false
  let hasSmallLetters = false
  const marks: RateTerm[] = []
  const capitals: RateTerm[] = []
  const formatted: RateTerm[] = []
  return {
    add({ utterance, reference, times }, { formatting }) {
      hasMarks ||= /[\p{L}\p{N}][.,?!:;…。，、？！：；।۔،؟؛]/u.test(reference)
      hasCapitals ||= /\p{Lu}/u.test(reference)
      hasSmallLetters ||= /\p{Ll}/u.test(reference)
      const counts = scaled(formatting, times)
      sum = sumFormatting([sum, counts])
      const atMarks = sumCounts(Object.values(counts.punctuation))
      const { sentenceStarts, otherWords } = counts
      marks.push({
        utterance,
        numerator: errorCount(atMarks),
        denominator: errorCount(atMarks) + atMarks.hits,
      })
      capitals.push({
        utterance,
        numerator: sentenceStarts.wrong + otherWords.wrong,
        denominator: sentenceStarts.compared + otherWords.compared,
      })
      formatted.push({
        utterance,
        numerator: errorCount(counts.formatted),
        denominator: referenceLength(counts.formatted),
      })
    },
    result() {
      const noMarks = { reason: 'the references are written without punctuation', rate: null } as const
      const noCapitals = { reason: 'the references are written without capitals', rate: null } as const
      const onlyCapitals = { reason: 'the references are written in capitals alone', rate: null } as const
      const caseReason = !hasCapitals ? noCapitals : hasSmallLetters ? null : onlyCapitals
      const { sentenceStarts, otherWords } = sum
      return {
        punctuation: hasMarks
          ? { reason: null, rate: pooledRate(marks, options), marks: analyseMarks(sum) }
          : noMarks,
        capitals: caseReason ?? {
          reason: null,
          rate: pooledRate(capitals, options),
          sentenceStarts,
          otherWords,
        },
        formattedWords:
          !hasMarks || caseReason !== null
            ? { reason: 'the references are written without punctuation or capitals', rate: null }
            : { reason: null, ...pooledRate(formatted, options) },
      }
    },
  }
}

function scaled(
  { punctuation, sentenceStarts, otherWords, formatted }: FormattingCounts,
  times: number,
): FormattingCounts {
  if (times === 1) return { punctuation, sentenceStarts, otherWords, formatted }
  const more = ({ compared, wrong }: FormattingCounts['otherWords']): FormattingCounts['otherWords'] => ({
    compared: compared * times,
    wrong: wrong * times,
  })
  return {
    punctuation: Object.fromEntries(
      Object.entries(punctuation).map(([mark, counts]) => [mark, timesCounts(counts, times)]),
    ),
    sentenceStarts: more(sentenceStarts),
    otherWords: more(otherWords),
    formatted: timesCounts(formatted, times),
  }
}

function analyseMarks({ punctuation }: FormattingCounts): readonly MarkAnalysis[] {
  return Object.entries(punctuation)
    .map(([mark, counts]) => ({
      mark,
      counts,
      precision: ratio(counts.hits, counts.hits + counts.insertions),
      recall: ratio(counts.hits, referenceLength(counts)),
    }))
    .sort((a, b) => total(b.counts) - total(a.counts) || (a.mark < b.mark ? -1 : 1))
}

function total(counts: ErrorCounts): number {
  return referenceLength(counts) + counts.insertions
}

function ratio(numerator: number, denominator: number): number | null {
  return denominator === 0 ? null : numerator / denominator
}

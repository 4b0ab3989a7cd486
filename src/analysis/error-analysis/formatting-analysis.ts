import { errorCount, referenceLength, sumCounts, timesCounts } from '#scoring/counts'
import { type FormattingCounts, sumFormatting } from '#scoring/error-analysis/formatting'
import type { ErrorCounts } from '#scoring/shapes'
import type { CapitalsAnalysis, MarkAnalysis, PunctuationAnalysis } from '../documents/error-analysis.ts'
import type { CountedRate, Explained } from '../documents/error-rates.ts'
import type { AnswerTally } from './answer-facts.ts'
import { type IntervalOptions, nothingScored, startRate } from './counted-rate.ts'

export interface FormattingAnalysis {
  readonly punctuation: Explained<PunctuationAnalysis>
  readonly capitals: Explained<CapitalsAnalysis>
  readonly formattedWords: Explained<CountedRate>
}

/**
 * Compares punctuation and capitals as written. References without either are excluded, because a service that
 * restores them would have an error for each.
 */
export function startFormatting(options: IntervalOptions): AnswerTally<FormattingAnalysis> {
  let sum = sumFormatting([])
  let isHeard = false
  let hasMarks = false
  let hasCapitals = false
  let hasSmallLetters = false
  const [marks, capitals, formatted] = [startRate(options), startRate(options), startRate(options)]
  return {
    add({ utterance, reference, times }, { formatting }) {
      isHeard = true
      hasMarks ||= /[\p{L}\p{N}][.,?!:;…。，、？！：；।۔،؟؛]/u.test(reference)
      hasCapitals ||= /\p{Lu}/u.test(reference)
      hasSmallLetters ||= /\p{Ll}/u.test(reference)
      const counts = scaled(formatting, times)
      sum = sumFormatting([sum, counts])
      const atMarks = sumCounts(Object.values(counts.punctuation))
      const { sentenceStarts, otherWords } = counts
      const compared = sentenceStarts.compared + otherWords.compared
      marks.add(utterance, errorCount(atMarks), errorCount(atMarks) + atMarks.hits)
      capitals.add(utterance, sentenceStarts.wrong + otherWords.wrong, compared)
      formatted.add(utterance, errorCount(counts.formatted), referenceLength(counts.formatted))
    },
    result() {
      const { sentenceStarts, otherWords } = sum
      const hasBothCases = hasCapitals && hasSmallLetters
      const without = (what: string): { readonly reason: string; readonly rate: null } => ({
        reason: isHeard ? `the references are written ${what}` : nothingScored,
        rate: null,
      })
      return {
        punctuation: hasMarks
          ? { reason: null, rate: marks.rate(), marks: analyseMarks(sum) }
          : without('without punctuation'),
        capitals: hasBothCases
          ? { reason: null, rate: capitals.rate(), sentenceStarts, otherWords }
          : without(hasCapitals ? 'in capitals alone' : 'without capitals'),
        formattedWords:
          hasMarks && hasBothCases
            ? { reason: null, ...formatted.rate() }
            : without('without punctuation or capitals'),
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

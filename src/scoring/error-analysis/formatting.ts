import { align, countErrors } from '../alignment/align.ts'
import { addCounts, noErrors } from '../counts.ts'
import type { AlignmentStep, CaseCounts, ErrorCounts } from '../shapes.ts'
import { type NameOutcome, nameOutcomes } from './names.ts'
import { formattedWords, type WrittenWord, writtenTokens, writtenWords } from './written-words.ts'

/** How well punctuation and capitals were restored, judged only where the words are right. */
export interface FormattingCounts {
  /** By mark of the reference (of the hypothesis for insertions): hits, substitutions, deletions, insertions. */
  readonly punctuation: Readonly<Record<string, ErrorCounts>>
  readonly sentenceStarts: CaseCounts
  readonly otherWords: CaseCounts
  /** Words with capitals, and marks as separate words: the counts of a formatted word error rate. */
  readonly formatted: ErrorCounts
}

/**
 * Compares the punctuation and the capitals of a pair, as written.
 *
 * The words are aligned without either; then, after every word that was recognised, the marks that follow it on
 * both sides are compared, and its letters. So an error in a word never counts as one in its comma.
 *
 * @param known an alignment of the two by some profile: taken where its words are those that are aligned here
 * @see Meister et al. 2023, arXiv:2310.02943, for the punctuation error rate (S + D + I) / (H + S + D + I), which
 *   `matchErrorRate` gives of these counts; they align marks and words together, which lets words leak in
 */
export function compareFormatting(
  reference: string,
  hypothesis: string,
  known: readonly AlignmentStep[] = [],
): FormattingCounts {
  return compareWriting(reference, hypothesis, known).formatting
}

/** `compareFormatting`, and what became of the proper names. */
export function compareWriting(
  reference: string,
  hypothesis: string,
  known: readonly AlignmentStep[] = [],
): { readonly formatting: FormattingCounts; readonly names: readonly NameOutcome[] } {
  const saidTokens = writtenTokens(reference)
  const heardTokens = writtenTokens(hypothesis)
  const said = writtenWords(saidTokens)
  const heard = writtenWords(heardTokens)
  const words = [said.map(({ word }) => word), heard.map(({ word }) => word)] as const
  const steps = isOf(known, ...words) ? known : align(...words).steps
  const punctuation: Record<string, ErrorCounts> = {}
  const sentenceStarts = { compared: 0, wrong: 0 }
  const otherWords = { compared: 0, wrong: 0 }
  let row = 0
  let column = 0
  for (const step of steps) {
    const expected = said[row]
    const actual = heard[column]
    if (step.reference !== null) row += 1
    if (step.hypothesis !== null) column += 1
    if (step.kind !== 'hit' || expected === undefined || actual === undefined) continue
    if (expected.marksAfter.length + actual.marksAfter.length > 0) {
      compareMarks(punctuation, expected.marksAfter, actual.marksAfter)
    }
    const startsSentence = endsSentence(said[row - 2])
    compareCase(startsSentence ? sentenceStarts : otherWords, expected.written, actual.written)
  }
  const formatted = countErrors(formattedWords(saidTokens), formattedWords(heardTokens))
  return {
    formatting: { punctuation, sentenceStarts, otherWords, formatted },
    names: nameOutcomes(steps, said, heard),
  }
}

function isOf(
  steps: readonly AlignmentStep[],
  reference: readonly string[],
  hypothesis: readonly string[],
): boolean {
  let row = 0
  let column = 0
  for (const step of steps) {
    if (step.reference !== null && step.reference !== reference[row++]) return false
    if (step.hypothesis !== null && step.hypothesis !== hypothesis[column++]) return false
  }
  return row === reference.length && column === hypothesis.length
}

/** The beginning of a text has no word before it. */
function endsSentence(word: WrittenWord | undefined): boolean {
  return word === undefined || word.marksAfter.some((mark) => /[.?!…]/.test(mark))
}

function compareMarks(
  punctuation: Record<string, ErrorCounts>,
  expected: readonly string[],
  actual: readonly string[],
): void {
  const count = (mark: string, kind: keyof ErrorCounts): void => {
    punctuation[mark] = addCounts(punctuation[mark] ?? noErrors, { ...noErrors, [kind]: 1 })
  }
  for (const { kind, reference, hypothesis } of align(expected, actual).steps) {
    if (kind === 'hit') count(reference, 'hits')
    else if (kind === 'substitution') count(reference, 'substitutions')
    else if (kind === 'deletion') count(reference, 'deletions')
    else count(hypothesis ?? '', 'insertions')
  }
}

function compareCase(
  counts: { compared: number; wrong: number },
  expected: string | null,
  actual: string | null,
): void {
  if (expected === null || actual === null) return
  const hasCase = expected.toLowerCase() !== expected.toUpperCase()
  if (!hasCase || expected.toLowerCase() !== actual.toLowerCase()) return
  counts.compared += 1
  if (expected !== actual) counts.wrong += 1
}

/** Sums of many pairs. */
export function sumFormatting(all: Iterable<FormattingCounts>): FormattingCounts {
  const punctuation: Record<string, ErrorCounts> = {}
  const sentenceStarts = { compared: 0, wrong: 0 }
  const otherWords = { compared: 0, wrong: 0 }
  let formatted = noErrors
  for (const counts of all) {
    for (const [mark, found] of Object.entries(counts.punctuation)) {
      punctuation[mark] = addCounts(punctuation[mark] ?? noErrors, found)
    }
    sentenceStarts.compared += counts.sentenceStarts.compared
    sentenceStarts.wrong += counts.sentenceStarts.wrong
    otherWords.compared += counts.otherWords.compared
    otherWords.wrong += counts.otherWords.wrong
    formatted = addCounts(formatted, counts.formatted)
  }
  return { punctuation, sentenceStarts, otherWords, formatted }
}

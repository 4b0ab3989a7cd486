import { align, countErrors } from '../alignment/align.ts'
import type { AlignmentStep } from '../alignment/steps.ts'
import { addCounts, type ErrorCounts, noErrors } from '../counts.ts'
import { basic } from '../profiles/basic.ts'
import { normalise } from '../profiles/profile.ts'
import { tokeniseWords } from '../tokens/words.ts'

/** Marks that are judged, and what is taken for them in other scripts. */
const marks: Readonly<Record<string, string>> = {
  '.': '.',
  '。': '.',
  '।': '.',
  '۔': '.',
  '．': '.',
  ',': ',',
  '、': ',',
  '，': ',',
  '،': ',',
  '?': '?',
  '？': '?',
  '؟': '?',
  '!': '!',
  '！': '!',
  ':': ':',
  '：': ':',
  ';': ';',
  '；': ';',
  '؛': ';',
  '…': '…',
}

/** A word as it was written, what it is compared by, and the marks right after it. */
interface WrittenWord {
  readonly word: string
  /** Null where one written word became several and its letters cannot be told apart. */
  readonly written: string | null
  readonly marksAfter: readonly string[]
}

/** Capital letters of words that were recognised. */
export interface CaseCounts {
  readonly compared: number
  readonly wrong: number
}

/** How well punctuation and capitals were restored, judged only where the words are right. */
export interface FormattingCounts {
  /** By mark of the reference (of the hypothesis, where one was put in): hit, another mark, missing, put in. */
  readonly punctuation: Readonly<Record<string, ErrorCounts>>
  readonly sentenceStarts: CaseCounts
  readonly otherWords: CaseCounts
  /** Words with capitals and marks as words of their own: the counts of a formatted word error rate. */
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
  return { punctuation, sentenceStarts, otherWords, formatted }
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

/** What stands between two spaces: a body, and the marks that it ends in. */
interface WrittenToken {
  readonly body: string
  readonly marks: readonly string[]
  /** Letters and digits of ASCII alone: one word, whatever is made of it. */
  readonly isPlain: boolean
}

const noMarks: readonly string[] = []
const plain = /^[A-Za-z0-9]+$/
const plainBeforeMarks = /^([A-Za-z0-9]+)([^\p{L}\p{N}\p{M}]+)$/u
const atEnd = /[^\p{L}\p{N}\p{M}]*$/u

function writtenTokens(text: string): WrittenToken[] {
  return text.split(/\s+/).map((token) => {
    if (plain.test(token)) return { body: token, marks: noMarks, isPlain: true }
    const parts = plainBeforeMarks.exec(token)
    if (parts !== null) return { body: parts[1] ?? '', marks: marksIn(parts[2] ?? ''), isPlain: true }
    const end = atEnd.exec(token)?.[0] ?? ''
    return { body: token.slice(0, token.length - end.length), marks: marksIn(end), isPlain: false }
  })
}

function writtenWords(tokens: readonly WrittenToken[]): WrittenWord[] {
  const words: WrittenWord[] = []
  for (const { body, marks: marksAfter, isPlain } of tokens) {
    if (isPlain) {
      words.push({ word: body.toLowerCase(), written: body, marksAfter })
      continue
    }
    const normalised = tokeniseWords(normalise(body, basic), basic.words)
    const pieces = body.split(/[^\p{L}\p{N}\p{M}'’]+/u).filter((piece) => piece !== '')
    for (const [index, word] of normalised.entries()) {
      const written = pieces.length === normalised.length ? (pieces[index] as string) : null
      words.push({ word, written, marksAfter: index === normalised.length - 1 ? marksAfter : noMarks })
    }
    // Marks that stand alone belong to the word before them.
    const last = words.at(-1)
    if (normalised.length === 0 && last !== undefined) {
      words[words.length - 1] = { ...last, marksAfter: [...last.marksAfter, ...marksAfter] }
    }
  }
  return words
}

function marksIn(text: string): readonly string[] {
  if (text === '') return noMarks
  return Array.from(text.replace(/\.{2,}/g, '…'), (mark) => marks[mark] ?? '').filter((mark) => mark !== '')
}

/** The beginning of a text stands after no word. */
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

/** Words as written, without other symbols, and each mark as a word of its own. */
function formattedWords(tokens: readonly WrittenToken[]): string[] {
  const words: string[] = []
  for (const { body, marks: marksAfter, isPlain } of tokens) {
    const word = isPlain ? body : body.replace(/^[^\p{L}\p{N}\p{M}]+/u, '').replaceAll('’', "'")
    if (word !== '') words.push(word)
    words.push(...marksAfter)
  }
  return words
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

import { addStep, noErrors } from '../counts.ts'
import type { WordClass } from '../kinds.ts'
import { basic } from '../profiles/basic.ts'
import { normalise } from '../profiles/profile.ts'
import type { AlignmentStep, ErrorCounts, NumberFindings } from '../shapes.ts'
import { tokeniseWords } from '../tokens.ts'

const dateWords = new Set(
  (
    'january february march april may june july august september october november december ' +
    'monday tuesday wednesday thursday friday saturday sunday'
  ).split(' '),
)

/** Names of days and months, in small letters. */
function isDateWord(word: string): boolean {
  return dateWords.has(word)
}

/**
 * The class of a word as `english` (or `whisper-english`) writes it: figures are numbers, with a currency money,
 * with a per cent sign percent, with an ending ordinals; names of months and days are dates (“may” among them,
 * which is mostly a verb, only next to a figure: see `classifySteps`).
 */
function wordClass(word: string): WordClass | null {
  if (dateWords.has(word)) return 'date'
  if (!startsFigure(word) || !/^[+-]?[£€$¢]?\d/.test(word)) return null
  if (/[£€$¢]/.test(word)) return 'money'
  if (word.endsWith('%')) return 'percent'
  return /\d(?:st|nd|rd|th|s)$/.test(word) ? 'ordinal' : 'number'
}

/** Nearly every word shows at its first letter that it is no figure. */
function startsFigure(word: string): boolean {
  const first = word.charCodeAt(0)
  return first < letterA || first > letterZ
}

const letterA = 'a'.charCodeAt(0)
const letterZ = 'z'.charCodeAt(0)

/** Counts of one class: reference words of the class by the kind of step, and inserted words of the class. */
export type ClassCounts = Readonly<Record<WordClass, ErrorCounts>>

/** Error counts by class of word, over steps that were aligned with an English profile. */
export function countClasses(utterances: Iterable<readonly AlignmentStep[]>): ClassCounts {
  const counts = {
    number: noErrors,
    money: noErrors,
    percent: noErrors,
    ordinal: noErrors,
    date: noErrors,
  }
  for (const steps of utterances) {
    for (const [index, step] of steps.entries()) {
      const kind = classOfStep(steps, index)
      if (kind !== null) counts[kind] = addStep(counts[kind], step.kind)
    }
  }
  return counts
}

function classOfStep(steps: readonly AlignmentStep[], index: number): WordClass | null {
  const step = steps[index]
  const word = step?.reference ?? step?.hypothesis ?? ''
  if (word !== 'may' && word !== 'march') return wordClass(word)
  const neighbours = [steps[index - 1], steps[index + 1]]
  return neighbours.some((other) => /^\d/.test(other?.reference ?? '')) ? 'date' : null
}

/**
 * Compares the values of aligned figures, over steps that were aligned with an English profile,
 * which writes spoken numbers as figures.
 */
export function compareNumbers(utterances: Iterable<readonly AlignmentStep[]>): NumberFindings {
  const found = { right: 0, formatOnly: 0, wrong: 0, missing: 0, invented: 0 }
  for (const steps of utterances) {
    for (const { reference, hypothesis } of steps) {
      const said = numberValue(reference)
      const heard = numberValue(hypothesis)
      if (said === null && heard === null) continue
      if (said === null) found.invented += 1
      else if (heard === null) found.missing += 1
      else if (reference === hypothesis) found.right += 1
      else if (said === heard) found.formatOnly += 1
      else found.wrong += 1
    }
  }
  return found
}

/** The value of a figure; null for any other word. Too large ones are compared as they are written. */
function numberValue(word: string | null): number | string | null {
  if (word === null || !startsFigure(word)) return null
  const match = /^([+-]?)([£€$¢]?)(\d+(?:\.\d+)?)(?:%|st|nd|rd|th|s)?$/.exec(word)
  if (match === null) return null
  const [, sign = '', , digits = ''] = match
  return digits.length > 15 ? sign + digits : Number(sign + digits)
}

/** Says which words count as proper names, for people. */
export const nameRule: string =
  'A word with a capital first letter that begins no sentence. A sentence begins after . ? ! … : and after a comma that begins ' +
  'a quotation, but not after a capitalised abbreviation such as "Dr." or "J." in the text. ' +
  'Not I and its contractions, nor single letters, names of days and months, and texts of which more than two thirds ' +
  'are written so.'

/** What became of a name. */
export interface NameOutcome {
  /** As it is written. */
  readonly name: string
  /** An insertion is an inserted name. */
  readonly kind: AlignmentStep['kind']
}

/**
 * Hits and errors of the names of a reference, and inserted names: words are compared without their capitals.
 *
 * @param steps an alignment of the words of both sides
 */
export function nameOutcomes(
  steps: readonly AlignmentStep[],
  said: readonly WrittenWord[],
  heard: readonly WrittenWord[],
): NameOutcome[] {
  const saidNames = namesAmong(said)
  const heardNames = namesAmong(heard)
  const outcomes: NameOutcome[] = []
  let row = 0
  let column = 0
  for (const { kind, reference, hypothesis } of steps) {
    const name = kind === 'insertion' ? heardNames[column] : saidNames[row]
    if (name !== undefined && name !== null) outcomes.push({ name, kind })
    if (reference !== null) row += 1
    if (hypothesis !== null) column += 1
  }
  return outcomes
}

/** The name that each word is, or null for a word that is none. Empty for a text that is written in capitals. */
function namesAmong(words: readonly WrittenWord[]): readonly (string | null)[] {
  const inside = words.map(({ written }, index) =>
    written === null || beginsSentence(words, index) ? null : written,
  )
  const capitalised = inside.map((written) =>
    written !== null && /^[\p{Lu}\p{Lt}]['’]?\p{L}/u.test(written) ? written : null,
  )
  const withLetters = inside.filter((written) => written !== null && /^\p{L}/u.test(written)).length
  const count = capitalised.filter((written) => written !== null).length
  if (withLetters >= minWords && count > headlineShare * withLetters) return []
  return capitalised.map((written, index) =>
    written === null || /^I['’]/.test(written) || isDateWord(words[index]?.word ?? '') ? null : written,
  )
}

/** A text of so many words or more that is mostly capitalised is a headline. */
const minWords = 4
const headlineShare = 2 / 3

function beginsSentence(words: readonly WrittenWord[], index: number): boolean {
  const before = words[index - 1]
  if (before === undefined) return true
  const { marksAfter, written } = before
  if (words[index]?.opensQuotation === true && marksAfter.length > 0) return true
  if (marksAfter.some((mark) => /[?!…:]/.test(mark))) return true
  const isAbbreviation = marksAfter.length === 1 && /^\p{Lu}\p{L}{0,2}$/u.test(written ?? '')
  return marksAfter.includes('.') && !isAbbreviation
}

/** Marks that are judged, each with what is taken for it in other scripts. */
const marks: ReadonlyMap<string, string> = new Map(
  ['.。।۔．', ',、，،', '?？؟', '!！', ':：', ';；؛', '…'].flatMap((alike) =>
    Array.from(alike, (mark) => [mark, alike.charAt(0)] as const),
  ),
)

/** A word as it was written, what it is compared by, and the marks right after it. */
export interface WrittenWord {
  readonly word: string
  /** Null where one written word became several and its letters cannot be assigned. */
  readonly written: string | null
  readonly marksAfter: readonly string[]
  /** A quotation begins with it. */
  readonly opensQuotation: boolean
}

/** Text between two spaces: a body, and the marks that it ends in. */
interface WrittenToken {
  readonly body: string
  readonly marks: readonly string[]
  /** Letters and digits of ASCII alone: one word, whatever is made of it. */
  readonly isPlain: boolean
}

const noMarks: readonly string[] = []
const plain = /^[A-Za-z0-9]+$/
const plainBeforeMarks = /^([A-Za-z0-9]+)([^\p{L}\p{N}\p{M}]+)$/u
const openingQuote = /^["'“„«‹‘‚「『]/u
const atEnd = /[^\p{L}\p{N}\p{M}]*$/u

/** A text cut at its spaces. */
export function writtenTokens(text: string): WrittenToken[] {
  return text.split(/\s+/).map((token) => {
    if (plain.test(token)) return { body: token, marks: noMarks, isPlain: true }
    const parts = plainBeforeMarks.exec(token)
    if (parts !== null) return { body: parts[1] ?? '', marks: marksIn(parts[2] ?? ''), isPlain: true }
    const end = atEnd.exec(token)?.[0] ?? ''
    return { body: token.slice(0, token.length - end.length), marks: marksIn(end), isPlain: false }
  })
}

/** The words of a text, compared as `basic` compares them. */
export function writtenWords(tokens: readonly WrittenToken[]): WrittenWord[] {
  const words: WrittenWord[] = []
  for (const { body, marks: marksAfter, isPlain } of tokens) {
    if (isPlain) {
      words.push({ word: body.toLowerCase(), written: body, marksAfter, opensQuotation: false })
      continue
    }
    const normalised = tokeniseWords(normalise(body, basic), basic.words)
    const pieces = body.split(/[^\p{L}\p{N}\p{M}'’]+/u).filter((piece) => piece !== '')
    for (const [index, word] of normalised.entries()) {
      const written = pieces.length === normalised.length ? (pieces[index] as string) : null
      words.push({
        word,
        written,
        marksAfter: index === normalised.length - 1 ? marksAfter : noMarks,
        opensQuotation: index === 0 && openingQuote.test(body),
      })
    }
    // Separate marks belong to the word before them.
    const last = words.at(-1)
    if (normalised.length === 0 && last !== undefined) {
      words[words.length - 1] = { ...last, marksAfter: [...last.marksAfter, ...marksAfter] }
    }
  }
  return words
}

function marksIn(text: string): readonly string[] {
  if (text === '') return noMarks
  return Array.from(text.replace(/\.{2,}/g, '…'), (mark) => marks.get(mark) ?? '').filter(
    (mark) => mark !== '',
  )
}

/** Words as written, without other symbols, and each mark as a separate word. */
export function formattedWords(tokens: readonly WrittenToken[]): string[] {
  const words: string[] = []
  for (const { body, marks: marksAfter, isPlain } of tokens) {
    const word = isPlain ? body : body.replace(/^[^\p{L}\p{N}\p{M}]+/u, '').replaceAll('’', "'")
    if (word !== '') words.push(word)
    words.push(...marksAfter)
  }
  return words
}

import type { AlignmentStep, ErrorCounts, NumberFindings } from '../shapes.ts'

/** Kinds of words that people look at on their own. */
export const wordClasses = ['number', 'money', 'percent', 'ordinal', 'date'] as const
export type WordClass = (typeof wordClasses)[number]

const dateWords = new Set(
  (
    'january february march april may june july august september october november december ' +
    'monday tuesday wednesday thursday friday saturday sunday'
  ).split(' '),
)

/** Names of days and months, in small letters. */
export function isDateWord(word: string): boolean {
  return dateWords.has(word)
}

/**
 * The class of a word as `english` (or `whisper-english`) writes it: figures are numbers, with a currency money,
 * with a per cent sign percent, with an ending ordinals; names of months and days are dates (“may” among them,
 * which is mostly a verb, only next to a figure: see `classifySteps`).
 */
export function wordClass(word: string): WordClass | null {
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
    number: emptyCounts(),
    money: emptyCounts(),
    percent: emptyCounts(),
    ordinal: emptyCounts(),
    date: emptyCounts(),
  }
  for (const steps of utterances) {
    for (const [index, step] of steps.entries()) {
      const kind = classOfStep(steps, index)
      if (kind === null) continue
      if (step.kind === 'hit') counts[kind].hits += 1
      else if (step.kind === 'substitution') counts[kind].substitutions += 1
      else if (step.kind === 'deletion') counts[kind].deletions += 1
      else counts[kind].insertions += 1
    }
  }
  return counts
}

function emptyCounts(): { hits: number; substitutions: number; deletions: number; insertions: number } {
  return { hits: 0, substitutions: 0, deletions: 0, insertions: 0 }
}

function classOfStep(steps: readonly AlignmentStep[], index: number): WordClass | null {
  const step = steps[index]
  const word = step?.reference ?? step?.hypothesis ?? ''
  if (word !== 'may' && word !== 'march') return wordClass(word)
  const neighbours = [steps[index - 1], steps[index + 1]]
  return neighbours.some((other) => /^\d/.test(other?.reference ?? '')) ? 'date' : null
}

/**
 * Compares the values of aligned figures, over steps that were aligned with an English
 * profile, which writes spoken numbers as figures.
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

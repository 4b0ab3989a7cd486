import type { AlignmentStep } from '../shapes.ts'
import { isDateWord } from './word-classes.ts'
import type { WrittenWord } from './written-words.ts'

/** By which words count as proper names, for people. */
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

/** By word, the name that it is; null for any other. Empty for a text that is written in capitals. */
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

/** From so many words on, a text that is mostly capitalised is a headline. */
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

import { type Stage, wordStage } from '../profile.ts'
import { joinNumbers, mentionsNumber, type NumberDialect } from '../published/number-joining.ts'
import type { NumberWord } from '../published/number-words.ts'
import { border, plainOf } from '../readings.ts'
import { isLetter } from './plain-marks.ts'

export interface FigureRules {
  /** Number words, and how they become figures. */
  readonly numbers: NumberDialect
  /** Number words to figures; default: the published way, by `numbers`. */
  readonly join?: (words: readonly string[], numbers: NumberDialect) => readonly string[]
  /** Words for one before a multiplier, a hundred, and what they then are: one. */
  readonly articles: readonly string[]
  readonly one: string
  /** Abbreviations after a number, with the words for one and for more. */
  readonly units: Readonly<Record<string, readonly [one: string, more: string]>>
  /** Abbreviations after a sum of money: `$5 m`. */
  readonly magnitudes: Readonly<Record<string, string>>
  /** Abbreviations before a number. */
  readonly beforeNumbers: Readonly<Record<string, string>>
  /** Words between such an abbreviation and its number: Jan. the 5th. */
  readonly determiners: readonly string[]
  /** Parts of a whole after a number, as further words of that number: `and a half` is point five. */
  readonly fractions: Readonly<Record<string, string>>
  /** Further words that a unit can be after: two and a half km. */
  readonly halves?: readonly string[]
  /** What is made of the words once numbers are figures: dates, times, digits. */
  finish(words: readonly string[]): readonly string[]
}

/** A stage that writes numbers as figures, with their units, currencies, dates and times. */
export function figureStage(rules: FigureRules, example: Stage['example']): Stage {
  const { numbers, articles, units, magnitudes, beforeNumbers, fractions, join = joinNumbers } = rules
  const rewrites = rewritesOf(rules)
  const multiplied = multiplication(rules)
  return wordStage({
    name: 'numbers',
    does: 'Number words become figures, with signs, currencies, units, ordinal endings, dates and times.',
    example,
    settings: JSON.stringify([articles, units, magnitudes, beforeNumbers, fractions]),
    concerns: (word) => holdsDigit(word) || word.startsWith(border) || mentionsNumber([word], numbers),
    applyToWords: (words) => rules.finish(multiplied(join(rewritten(words, rewrites), numbers))),
  })
}

/** A figure begins with a digit or has one after its sign or currency; no word has one further on. */
function holdsDigit(word: string): boolean {
  return word.charCodeAt(0) < letterA && /\d/.test(word)
}

const letterA = 97

/** What is written instead of a word, and of how many words after it; null where it stays. */
type Rewrite = (
  tokens: readonly string[],
  at: number,
  written: readonly string[],
) => { readonly words: readonly string[]; readonly furtherCount: number } | null

/** Writes out what is next to numbers and is no word yet, so that numbers are made from words alone. */
function rewritten(tokens: readonly string[], rewrites: ReadonlyMap<string, Rewrite>): readonly string[] {
  const written: string[] = []
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at] as string
    const rewrite = rewrites.get(token)?.(tokens, at, written) ?? null
    if (rewrite === null) written.push(token)
    else {
      written.push(...rewrite.words)
      at += rewrite.furtherCount
    }
  }
  return written
}

/** The rewrites by the word that they begin with. */
function rewritesOf(rules: FigureRules): ReadonlyMap<string, Rewrite> {
  const kinds = numberKinds(rules.numbers)
  const halves = new Set(rules.halves)
  const instead = (words: readonly string[], furtherCount = 0): ReturnType<Rewrite> => ({
    words,
    furtherCount,
  })
  const isArticle = (tokens: readonly string[], at: number): boolean =>
    rules.articles.includes(tokens[at] ?? '') && kinds.of(tokens[at + 1]) === 'multiplier'
  const isBeforeNumber = (tokens: readonly string[], at: number): boolean => {
    const number = tokens[rules.determiners.includes(tokens[at] ?? '') ? at + 1 : at]
    return kinds.isUnsigned(number) || kinds.isOrdinal(number) || isArticle(tokens, at)
  }
  const articles = rules.articles.map((article): [string, Rewrite] => [
    article,
    (tokens, at) => (isArticle(tokens, at) && tokens[at - 1] !== 'half' ? instead([rules.one]) : null),
  ])
  const before = Object.entries(rules.beforeNumbers).map(([short, word]): [string, Rewrite] => [
    short,
    (tokens, at) => (isBeforeNumber(tokens, at + 1) ? instead([word]) : null),
  ])
  const units = Object.entries(rules.units).map(([short, [one, more]]): [string, Rewrite] => [
    short,
    (_, __, written) => {
      const count = written.at(-1)
      if (!(kinds.isNumber(count) || halves.has(count ?? '')) || isMoney(count)) return null
      const isOne = (count === '1' || count === rules.one) && !kinds.isNumber(written.at(-2))
      return instead([isOne ? one : more])
    },
  ])
  return new Map([...articles, ...before, ...units, ...fractionRewrites(rules, kinds)])
}

function fractionRewrites({ fractions }: FigureRules, kinds: NumberKinds): [string, Rewrite][] {
  const parts = Object.entries(fractions).map(([said, decimals]) => ({
    said: said.split(' '),
    words: decimals.split(' '),
  }))
  const rewrite: Rewrite = (tokens, at) => {
    if (!kinds.isWhole(tokens[at - 1])) return null
    const part = parts.find(({ said }) => said.every((word, index) => word === tokens[at + index]))
    return part === undefined ? null : { words: part.words, furtherCount: part.said.length - 1 }
  }
  return parts.map(({ said }) => [said[0] as string, rewrite])
}

/** What a token is to a number. */
interface NumberKinds {
  of(token: string | undefined): NumberWord['kind'] | undefined
  /** Figures with their sign and currency, or a word that becomes figures and nothing else. */
  isNumber(token: string | undefined): boolean
  isUnsigned(token: string | undefined): boolean
  isWhole(token: string | undefined): boolean
  isOrdinal(token: string | undefined): boolean
}

/** `3rd`, or a day that is marked as one. */
const ordinal = new RegExp(`^\\d+(?!s$)[a-z${border}]+$`)

function numberKinds(numbers: NumberDialect): NumberKinds {
  const of = (token = ''): NumberWord['kind'] | undefined => numbers.words().get(token)?.kind
  const isWord = (token = ''): boolean => {
    const kind = of(token)
    // “oh” and “o” are noughts only among digits.
    return (kind === 'zero' && token.length > 2) || kind === 'one' || kind === 'ten' || kind === 'multiplier'
  }
  return {
    of,
    isNumber: (token = '') => isWord(token) || numbers.prefixOf(token) !== null,
    isUnsigned: (token = '') => isWord(token) || of(token) === 'repeat' || numbers.prefixOf(token) === '',
    isWhole: (token = '') => isWord(token) || /^\d+$/.test(token),
    isOrdinal: (token = '') =>
      ordinal.test(token) || ['suffixedOne', 'suffixedTen', 'suffixedMultiplier'].includes(of(token) ?? ''),
  }
}

/** Writes sums of money out: `$5` with `m` after it is five million dollars. */
function multiplication(rules: FigureRules): (words: readonly string[]) => readonly string[] {
  const { magnitudes, numbers, join = joinNumbers } = rules
  const magnitudeByWord = new Map(Object.entries(magnitudes))
  return (words) => {
    if (!words.some(isMoney)) return words
    const written: string[] = []
    for (const word of words) {
      const sum = written.at(-1)
      const magnitude = magnitudeByWord.get(word)
      if (magnitude === undefined || sum === undefined || !isMoney(sum)) written.push(word)
      else written.splice(-1, 1, ...join([plainOf(sum), magnitude], numbers))
    }
    return written
  }
}

function isMoney(token: string | undefined): boolean {
  return token !== undefined && !isLetter(token.charCodeAt(0)) && /^[+-]?[£€$¢]\d/.test(token)
}

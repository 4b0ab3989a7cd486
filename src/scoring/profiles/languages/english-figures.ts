import { lazily } from '#prelude'
import type { FigureRules } from '../language-rules/figures.ts'
import { isLetter } from '../language-rules/plain-marks.ts'
import type { NumberDialect } from '../published/number-joining.ts'
import { type NumberWord, numberWords } from '../published/number-words.ts'
import { border, plainOf, regnalMark } from '../readings.ts'
import { readNumbers } from './english-numbers.ts'
import { ordinal } from './english-readings.ts'
import words from './english-words.json' with { type: 'json' }

const mendedWords = lazily(() => {
  const corrected = numberWords()
  const ninth = corrected.get('nineth')
  corrected.delete('nineth')
  if (ninth !== undefined) corrected.set('ninth', ninth)
  return corrected
})

const writtenNumber = /^([+-]?[£€$¢]?)(?:\d+(?:\.\d+)?)$/
const digits = /^\d+(?:\.\d+)?$/

/** The first letter distinguishes most words from numbers. */
function canBeginNumber(token: string): boolean {
  const first = token.charCodeAt(0)
  if (isLetter(first)) return false
  return (first >= 48 && first <= 57) || '+-£€$¢'.includes(token.charAt(0))
}

/** Whisper's rules without what goes wrong in running speech: each word is a number only among numbers. */
const mendedDialect: NumberDialect = {
  words: mendedWords,
  meaning,
  prefixOf: (token) => (canBeginNumber(token) ? (writtenNumber.exec(token)?.[1] ?? null) : null),
  keepsWrittenDigits: true,
  keepsSign: true,
}

function meaning(tokens: readonly string[], index: number): NumberWord | undefined {
  const token = tokens[index] ?? ''
  const word = mendedWords().get(token)
  if (word === undefined) return undefined
  if (word.kind === 'sign') return startsNumber(tokens, index + 1) ? word : undefined
  if (word.kind === 'and')
    return startsNumber(tokens, index + 1) || isSuffixed(tokens[index + 1]) ? word : undefined
  if (word.kind === 'zero' && token !== 'zero') return isBetweenNumbers(tokens, index) ? word : undefined
  if (word.kind === 'point') return isPointed(tokens, index) ? word : undefined
  return word
}

/** “point” separates a number from its decimals. */
function isPointed(tokens: readonly string[], index: number): boolean {
  const isAfterNumber = isNumber(tokens[index - 1]) || meaning(tokens, index - 1)?.kind === 'zero'
  return isAfterNumber && isBetweenNumbers(tokens, index)
}

/** “oh” goes on with a number, and so do several of them, but none of them begins or ends one. */
function isBetweenNumbers(tokens: readonly string[], index: number): boolean {
  let before = index - 1
  while (isOh(tokens[before])) before -= 1
  let after = index + 1
  while (isOh(tokens[after])) after += 1
  return (isNumber(tokens[before]) || isRepeat(tokens[before])) && startsNumber(tokens, after)
}

function startsNumber(tokens: readonly string[], index: number): boolean {
  if (!isRepeat(tokens[index])) return isNumber(tokens[index])
  const repeated = meaning(tokens, index + 1)?.kind
  return repeated === 'one' || repeated === 'zero'
}

function isSuffixed(token: string | undefined): boolean {
  const kind = mendedWords().get(token ?? '')?.kind
  return kind === 'suffixedOne' || kind === 'suffixedTen' || kind === 'suffixedMultiplier'
}

function isOh(token: string | undefined): boolean {
  return token === 'oh' || token === 'o'
}

function isRepeat(token: string | undefined): boolean {
  return token === 'double' || token === 'triple'
}

/** Figures, and the words that become figures and nothing else. */
function isNumber(token: string | undefined): boolean {
  if (token === undefined) return false
  const kind = isOh(token) ? undefined : mendedWords().get(token)?.kind
  return digits.test(token) || kind === 'zero' || kind === 'one' || kind === 'ten' || kind === 'multiplier'
}

export const months: ReadonlySet<string> = new Set(
  'january february march april may june july august september october november december'.split(' '),
)

const partsOfOne = new Set('second third fourth fifth sixth seventh eighth ninth tenth'.split(' '))

/**
 * Ordinals are parts after a single one: one third, one second. “Second” is a unit after any number but the tens, so that the twenty second stays a day.
 */
const numbers: NumberDialect = {
  ...mendedDialect,
  meaning(tokens, index) {
    const token = tokens[index] ?? ''
    return partsOfOne.has(token) && isPart(token, tokens, index)
      ? undefined
      : mendedDialect.meaning(tokens, index)
  },
}

function isPart(token: string, tokens: readonly string[], index: number): boolean {
  const before = tokens[index - 1]
  if (before === undefined) return false
  const isAlone = !goesOn(tokens, index - 2)
  if (token !== 'second') return /^[+-]?1$/.test(before) || (isAlone && before === 'one')
  const isOnes = mendedDialect.words().get(before)?.kind === 'one'
  return /^[+-]?\d+(?:\.\d+)?$/.test(before) || (isAlone && isOnes)
}

/** Whether the number after a word can be a part of another one: twenty one, double one, a million and one, $5 m. */
function goesOn(tokens: readonly string[], index: number): boolean {
  const token = tokens[index]
  if (token === undefined) return false
  if (token === 'and') return mendedDialect.words().get(tokens[index - 1] ?? '')?.kind === 'multiplier'
  const kind = mendedDialect.words().get(token)?.kind
  return (
    mendedDialect.prefixOf(token) !== null ||
    kind === 'one' ||
    kind === 'ten' ||
    kind === 'multiplier' ||
    kind === 'repeat' ||
    kind === 'zero' ||
    kind === 'point' ||
    Object.hasOwn(magnitudes, token)
  )
}

export const magnitudes: Readonly<Record<string, string>> = words.magnitudes

/** Abbreviations with what is said for one and for several; the plural is formed with s where the table has none. */
function wordsOfUnits(
  units: Readonly<Record<string, readonly string[]>>,
): Readonly<Record<string, readonly [one: string, more: string]>> {
  return Object.fromEntries(
    Object.entries(units).map(([short, [one = '', more = `${one}s`]]) => [short, [one, more]]),
  )
}

const dayHalves = new Set(['am', 'pm'])
const isFoot = new Set(['foot', 'feet'])
const takesFigures = new Set([...months, ...dayHalves, ...isFoot])

/** The rules of english@2, which is published: its results stay as they are. What is new goes into `englishFigures3`. */
export const englishFigures: FigureRules = {
  numbers,
  articles: ['a', 'an'],
  one: 'one',
  units: wordsOfUnits(words.units),
  magnitudes,
  determiners: ['the'],
  beforeNumbers: words.beforeNumbers,
  fractions: {
    'and a half': 'point five',
    'and a quarter': 'point two five',
    'and three quarters': 'point seven five',
    'and 3 quarters': 'point seven five',
  },
  finish: (words) =>
    joinDigits(
      words.some((word) => takesFigures.has(word)) ? joinDates(joinHours(joinHeights(words))) : words,
    ),
}

const holdsMark = new RegExp(`[${border}${regnalMark}]`)
const letterAfterNumber = new RegExp(`${border}[kmb]$|${regnalMark}$`)

/** A number that was written with a border is one too, and “oh” is a decimal: two point oh. */
const borderedNumbers: NumberDialect = {
  ...numbers,
  meaning(tokens, index) {
    const token = tokens[index]
    if (isOh(token) && tokens[index - 1] === 'point' && isNumber(tokens[index - 2])) return { kind: 'zero' }
    if (isOh(token) && isAfterPart(tokens, index) && startsNumber(tokens, index + 1)) return { kind: 'zero' }
    if (token === 'point' && isOh(tokens[index + 1]) && isNumber(tokens[index - 1])) return { kind: 'point' }
    return numbers.meaning(tokens, index)
  },
  prefixOf: (token) =>
    isLetter(token.charCodeAt(0))
      ? null
      : numbers.prefixOf(
          holdsMark.test(token) ? token.replace(letterAfterNumber, '').replaceAll(border, '') : token,
        ),
}

/** Seventeen and a half, oh, eleven: 17.5, 0, 11. */
function isAfterPart(tokens: readonly string[], index: number): boolean {
  return /^(?:half|quarters?)$/.test(tokens[index - 1] ?? '') && isNumber(tokens[index - 4])
}

const moneyWords = new Set(['pounds', 'dollars', 'euros'])
/** What is said for a unit besides its name. */
const shortForms: Readonly<Record<string, string>> = { kilograms: '|kilos' }
/** The third version: every number for itself, and a unit before a noun as it is said there, 5 kilometer run. */
export const englishFigures3: FigureRules = {
  ...englishFigures,
  numbers: borderedNumbers,
  join: readNumbers,
  fractions: {},
  halves: ['half', 'quarter', 'quarters', `1${border}half`, `1${border}quarter`],
  units: Object.fromEntries(
    Object.entries({ ...englishFigures.units, ...wordsOfUnits(words.furtherUnits) }).map(
      ([short, [one, more]]) => [
        short,
        [
          one,
          one === more || moneyWords.has(more) ? more : `${more}|${more}|${one}${shortForms[more] ?? ''}`,
        ],
      ],
    ),
  ),
  finish: (words) => (words.some((word) => isFoot.has(word)) ? joinHeights(words) : words),
}

/** Times before a.m. and p.m.: `10 30 am` is one time, and o'clock is not said. */
function joinHours(words: readonly string[]): readonly string[] {
  const isHour = (word: string | undefined): boolean => word !== undefined && /^\d{1,2}$/.test(word)
  const isBeforeHalf = (all: readonly string[], at: number): boolean =>
    isHour(all[at - 1]) && dayHalves.has(all[at + 1] ?? '')
  const said = words.filter((word, at) => word !== "o'clock" || !isBeforeHalf(words, at))
  const written: string[] = []
  for (const [at, word] of said.entries()) {
    const isMinutes = /^[0-5]\d$/.test(word) && isBeforeHalf(said, at)
    if (isMinutes) written.push(`${written.pop()}${word}`)
    else written.push(word)
  }
  return written
}

/** Days of a month: `May 5` is `May 5th`, and `the 5th of June` is `5 June`. */
function joinDates(words: readonly string[]): readonly string[] {
  const written: string[] = []
  for (let index = 0; index < words.length; index += 1) {
    const [word = '', next = '', afterNext] = words.slice(index, index + 3)
    const isDay = months.has(words[index - 1] ?? '') || isBeforeMonth(next, afterNext)
    const day = isDay && !partsOfOne.has(next) ? asOrdinal(word) : word
    if (/^\d{1,2}(?:st|nd|rd|th)$/.test(day) && next === 'of' && months.has(afterNext ?? '')) {
      if (written.at(-1) === 'the') written.pop()
      index += 1
    }
    written.push(day)
  }
  return written
}

/** Two months are verbs too: a number before them is a day only at the end, or where a year follows. */
function isBeforeMonth(word: string, next: string | undefined): boolean {
  const isVerb = word === 'may' || word === 'march'
  return months.has(word) && (!isVerb || next === undefined || /^\d{4}(?:\||$)/.test(next))
}

function asOrdinal(word: string): string {
  const day = Number(plainOf(word))
  if (!/^\d{1,2}(?:\||$)/.test(word) || day < 1 || day > 31) return word
  return ordinal(day)
}

/** Heights in feet and inches: 6 foot 2 inches is 6 feet 2. */
function joinHeights(words: readonly string[]): readonly string[] {
  const isHeight = (at: number): boolean =>
    (words[at] === 'foot' || words[at] === 'feet') &&
    /^\d$/.test(words[at - 1] ?? '') &&
    /^(?:\d|1[01])$/.test(words[at + 1] ?? '')
  return words.flatMap((word, at) => {
    if (isHeight(at)) return ['feet']
    return (word === 'inches' || word === 'inch') && isHeight(at - 2) ? [] : [word]
  })
}

/** Telephone numbers in groups of three and four figures. */
function joinDigits(words: readonly string[]): readonly string[] {
  if (!words.some((word, index) => isDigits(word, 4) && isDigits(words[index - 1], 3))) return words
  const written: string[] = []
  for (const word of words) {
    let number = word
    if (isDigits(word, 4)) {
      for (let count = 0; count < 2 && isDigits(written.at(-1), 3); count += 1)
        number = written.pop() + number
    }
    written.push(number)
  }
  return written
}

function isDigits(word: string | undefined, count: number): boolean {
  return word?.length === count && /^\d+$/.test(word)
}

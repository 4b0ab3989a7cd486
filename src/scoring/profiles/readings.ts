import { align } from '../alignment/align.ts'
import {
  type Arc,
  alignNetworks,
  canonicalCosts,
  type NetworkCosts,
  networkOf,
  type TranscriptPart,
} from '../alignment/networks.ts'

/*
 * What can be said in several ways is one token, `1984|=1984|~19_84`: what stands for it alone, then every reading, with
 * `_` between the words of one. `=` is before a number that is said as a whole. A reading without words need not be said.
 */

/** Before a number that is said as a whole, not in parts: one thousand nine hundred and eighty-four. */
export const wholeMark = '='
/** Before a part of a figure that is said in parts and goes on: no mark ends it, as in a list of numbers. */
export const partMark = '~'
/** Before a number that may be such a part, or stand alone. */
export const eitherMark = '?'

/**
 * Where a number ends, as a letter that no text holds, so that all stages before the numbers leave it alone: `20 ꞏ 5` is twenty
 * and five; in `10ꞏ30` ten and thirty were said one after another; a figure before it was said as a whole: `1984ꞏ` of 1,984. A
 * word after it can be said in several ways: `3 ꞏto 2`, `10ꞏM`.
 */
export const border = 'ꞏ'
/** Before a figure that was written with the decimal 5: it may be said as two and a half. */
export const halfMark: string = border + border
/** Between two number words of a text without any marks: a number may have ended there. */
export const possibleBorder = 'ꞎ'
/** After a number of a ruler: it may be said as the eighth. */
export const regnalMark = 'ꞑ'

/** Between a number and the form in which it was said: `5ꞌpięciu`. The last word lists, each after it, the figures that were written as such. */
export const formMark = 'ꞌ'

/** Follows a number of three or more digits that was said as a whole, so that digits said one by one do not equal it: `345ꞓ`. */
export const saidWholeMark = 'ꞓ'
/** Encloses what was said for a figure digit by digit, in a text without spaces: `345ꞔ三四五ꞔ`. */
export const saidDigitsMark = 'ꞔ'

/** What the signs mean that a text has on its way through a profile, for readers. */
export const signMeanings: readonly (readonly [sign: string, meaning: string])[] = [
  [border, 'a number ends here, or a mark was here that decides how it is said: 10:30, 1,984'],
  [possibleBorder, 'a number may end here: the other text decides'],
  [regnalMark, 'this number may be said as an ordinal'],
  [
    formMark,
    'between a number and the form in which it was said; the last word lists, each after this sign, the numbers that were written in figures',
  ],
  [
    saidWholeMark,
    'this number was said as a whole, not digit by digit; in a text without spaces, the last word lists such numbers, each after this sign',
  ],
  [saidDigitsMark, 'this number was said digit by digit; two of them enclose what was said'],
  [
    '|',
    'between ways to say the same: a pair takes the one with the fewest errors, a single text the first; _ is between words, = before a number said as a whole, ~ before a part of a figure that goes on, ? before what may be such a part',
  ],
]

/** What stands for a token without another text. */
export function plainOf(token: string): string {
  const end = token.indexOf('|')
  return end < 0 ? token : token.slice(0, end)
}

/** Every reading of a token. */
export function readingsOf(token: string): readonly string[] {
  const [plain = '', ...readings] = token.split('|')
  return readings.length === 0 ? [plain] : readings
}

/** A text with one form for everything that can be said in several ways. */
export function withoutReadings(text: string): string {
  const chosen = chooseDigits(text, noNumbers)
  return chosen.includes('|') ? spaced(chosen.split(' ').map(plainOf)) : chosen
}

const digitMarks = new RegExp(`[${saidWholeMark}${saidDigitsMark}]`)
const saidWhole = new RegExp(`(\\d+)${saidWholeMark}`, 'g')
const saidDigits = new RegExp(`(\\d+)${saidDigitsMark}([^${saidDigitsMark}]*)${saidDigitsMark}`, 'g')
const figureAndReadings = /(?<!\S)(\d+)\|\1\|(\S+)/g
const noNumbers: ReadonlySet<string> = new Set()

function wholesOf(text: string): ReadonlySet<string> {
  if (!text.includes(saidWholeMark)) return noNumbers
  return new Set(Array.from(text.matchAll(saidWhole), ([, figure = '']) => figure))
}

/**
 * Digits that were said one by one are the figure that may be written for them, but no number that the other text says as a
 * whole: three four five is 345, and not three hundred forty-five.
 */
function chooseDigits(text: string, wholesOfOther: ReadonlySet<string>): string {
  const parted =
    wholesOfOther.size === 0
      ? text
      : text.replace(figureAndReadings, (all, figure: string, readings: string) => {
          // The first reading of a figure that was said digit by digit has a word for each digit: un_un_2 for 112.
          const isParted = plainOf(readings).split('_').length === figure.length
          return isParted && wholesOfOther.has(figure) ? `${plainOf(readings)}|${readings}` : all
        })
  if (!digitMarks.test(parted)) return parted
  return parted
    .replace(saidDigits, (_, figure: string, digits: string) => (wholesOfOther.has(figure) ? digits : figure))
    .replaceAll(saidWholeMark, '')
}

function spaced(words: readonly string[]): string {
  return words
    .filter((word) => word !== '')
    .join(' ')
    .replaceAll('_', ' ')
}

/** Stretches of more words than this on both sides together, multiplied, are compared in their plain form. */
const maxCells = 4_000_000

/**
 * Two texts in the readings with the fewest errors, as alternatives in a transcript are read, among those the shortest. What
 * both sides say alike gets its plain form.
 */
export function chooseReadings(
  reference: string,
  hypothesis: string,
): { readonly said: string; readonly heard: string } {
  const said = chooseDigits(reference, wholesOf(hypothesis))
  const heard = chooseDigits(hypothesis, wholesOf(reference))
  if (!said.includes('|') && !heard.includes('|')) return { said: asShown(said), heard: asShown(heard) }
  if (said === heard) {
    const plain = asShown(withoutReadings(said))
    return { said: plain, heard: plain }
  }
  const { before, after, ours, theirs } = withoutSameEnds(wordsOf(said), wordsOf(heard))
  const middle = readMiddle(ours, theirs)
  const whole = (words: readonly string[]): string => asShown(spaced([...before, ...words, ...after]))
  return { said: whole(middle.said), heard: whole(middle.heard) }
}

/** Separates the words that two texts share at their ends, in plain form, from the tokens between. */
function withoutSameEnds(ours: readonly string[], theirs: readonly string[]) {
  const shorter = Math.min(ours.length, theirs.length)
  let start = 0
  while (start < shorter && ours[start] === theirs[start]) start += 1
  let rest = 0
  while (rest < shorter - start && ours[ours.length - 1 - rest] === theirs[theirs.length - 1 - rest])
    rest += 1
  return {
    before: ours.slice(0, start).map(plainOf),
    after: ours.slice(ours.length - rest).map(plainOf),
    ours: ours.slice(start, ours.length - rest),
    theirs: theirs.slice(start, theirs.length - rest),
  }
}

function readMiddle(ours: readonly string[], theirs: readonly string[]): Stretch {
  if (!ours.some(isOpen) && !theirs.some(isOpen)) return { said: ours, heard: theirs }
  const read = { said: [] as string[], heard: [] as string[] }
  let open = { said: [] as string[], heard: [] as string[] }
  const endStretch = (): void => {
    const chosen = readStretch(open.said, open.heard)
    read.said.push(...chosen.said)
    read.heard.push(...chosen.heard)
    open = { said: [], heard: [] }
  }
  let [at, other] = [0, 0]
  for (const { kind } of align(ours.map(plainOf), theirs.map(plainOf)).steps) {
    const ourToken = kind === 'insertion' ? null : (ours[at++] as string)
    const theirToken = kind === 'deletion' ? null : (theirs[other++] as string)
    if (kind === 'hit' && areAlike(ourToken as string, theirToken as string)) {
      endStretch()
      const plain = plainOf(ourToken as string)
      read.said.push(plain)
      read.heard.push(plain)
      continue
    }
    if (ourToken !== null) open.said.push(ourToken)
    if (theirToken !== null) open.heard.push(theirToken)
  }
  endStretch()
  return read
}

/** A number whose form is heard, as people write it: 5-pięciu. */
function asShown(text: string): string {
  return text.includes(formMark) ? text.replaceAll(/º?ꞌ/gu, '-') : text
}

function wordsOf(text: string): string[] {
  return text.split(' ').filter((word) => word !== '')
}

/** Not where more of one token may have been said than the word in which both agree: entre of dividido entre. */
function areAlike(one: string, other: string): boolean {
  if (one === other) return true
  if (hasLonger(one, plainOf(other)) || hasLonger(other, plainOf(one))) return false
  const readings = readingsOf(other).map(asPart)
  return readingsOf(one).some((reading) => readings.includes(asPart(reading)))
}

function hasLonger(token: string, word: string): boolean {
  if (!token.includes('_')) return false
  return readingsOf(token).some((reading) => reading !== word && reading.split('_').includes(word))
}

function asPart(reading: string): string {
  return reading.replaceAll(eitherMark, partMark)
}

interface Stretch {
  readonly said: readonly string[]
  readonly heard: readonly string[]
}

function readStretch(said: readonly string[], heard: readonly string[]): Stretch {
  const hasReadings = said.some(isOpen) || heard.some(isOpen)
  if (!hasReadings || said.length * heard.length > maxCells)
    return { said: said.map(plainOf), heard: heard.map(plainOf) }
  const moves = alignNetworks(networkOf(partsOf(said)), networkOf(partsOf(heard)), costs)
  return {
    said: moves.flatMap(({ reference, hypothesis }) => wordOf(reference, hypothesis)),
    heard: moves.flatMap(({ reference, hypothesis }) => wordOf(hypothesis, reference)),
  }
}

const edit = 2 ** 34

/** Fewest edits, then fewest words: 1984 for 1980 is one wrong number, not one wrong digit of four. */
const costs: NetworkCosts = {
  ...canonicalCosts,
  deletion: ({ kind }) => (kind === 'word' ? edit + 1 : 0),
  insertion: ({ kind }) => (kind === 'word' ? edit + 1 : 0),
  hit: 1,
  substitution: edit + 1,
}

function wordOf(arc: Arc | null, other: Arc | null): string[] {
  if (arc === null || arc.kind === 'null') return []
  // A number that a mark ends is no part of a figure: the mark stays and shows the difference.
  return [other?.token === partMark + arc.token ? `${arc.token},` : withoutMark(arc.token)]
}

function isOpen(token: string): boolean {
  return token.includes('|')
}

function withoutMark(word: string): string {
  return word.startsWith(wholeMark) || word.startsWith(partMark) ? word.slice(1) : word
}

function partsOf(tokens: readonly string[]): TranscriptPart[] {
  return tokens.map((token): TranscriptPart => {
    const [first = '', ...others] = readingsOf(token)
    if (others.length === 0 && !first.includes(eitherMark)) return wordsPart(first)
    return { kind: 'alternatives', branches: [first, ...others].map(branchOf) }
  })
}

function wordsPart(reading: string): TranscriptPart {
  return { kind: 'words', words: reading.split('_').filter((word) => word !== '') }
}

function branchOf(reading: string): TranscriptPart[] {
  if (!reading.includes(eitherMark)) return [wordsPart(reading)]
  return reading.split('_').map((word) => {
    if (!word.startsWith(eitherMark)) return wordsPart(word)
    const figure = word.slice(eitherMark.length)
    return { kind: 'alternatives', branches: [[wordsPart(figure)], [wordsPart(partMark + figure)]] }
  })
}

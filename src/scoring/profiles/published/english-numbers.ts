import { lazily } from '#prelude'
import type { Stage } from '../profile.ts'
import { joinNumbers, mentionsNumber, publishedDialect } from './number-joining.ts'
import { numberWords } from './number-words.ts'
import { joinWords, pythonPattern, splitWords, substitute } from './python-text.ts'

const comma = pythonPattern(String.raw`(\d),(\d)`)
export const dropCommasInNumbers: Stage = {
  name: 'commas in numbers',
  does: 'Removes a comma between two digits.',
  example: ['1,000 people', '1000 people'],
  apply: (text) => (text.includes(',') ? substitute(text, comma, '$1$2') : text),
}

const fullStop = /\.([^0-9]|$)/g
export const dropFullStops: Stage = {
  name: 'full stops',
  does: 'A full stop that no digit follows becomes a space.',
  example: ['at 3.5 a.m.', 'at 3.5 a m '],
  apply: (text) => (text.includes('.') ? text.replace(fullStop, ' $1') : text),
}

const andAHalf = pythonPattern(String.raw`\band\s+a\s+half\b`)
const numberSuffix = pythonPattern(String.raw`([0-9])\s+(st|nd|rd|th|s)\b`)
const words = lazily(numberWords)

export const prepareNumbers: Stage = {
  name: 'numbers, prepared',
  does: '“X and a half” becomes “X point five”; letters and digits are parted, but for 1st, 2nd, 3rd, 4th, 50s.',
  example: ['one and a half rc232 10 th', 'one  point five  rc 232 10th'],
  apply(text) {
    const halves = text.includes('half') ? pointFive(text) : text
    if (!/[0-9]/.test(halves)) return halves
    const parted = halves.replace(/([a-z])([0-9])/g, '$1 $2').replace(/([0-9])([a-z])/g, '$1 $2')
    return substitute(parted, numberSuffix, '$1$2')
  },
}

function pointFive(text: string): string {
  const segments = text.split(andAHalf.unicode)
  const results: string[] = []
  for (const [index, segment] of segments.entries()) {
    const words = splitWords(segment)
    if (words.length === 0) continue
    results.push(segment)
    if (index === segments.length - 1) continue
    results.push(canTakeAHalf(words.at(-1) ?? '') ? 'point five' : 'and a half')
  }
  return results.join(' ')
}

function canTakeAHalf(word: string): boolean {
  const kind = words().get(word)?.kind
  return kind === 'zero' || kind === 'one' || kind === 'ten' || kind === 'multiplier'
}

export const joinNumberWords: Stage = {
  name: 'numbers',
  does: 'Number words become figures, with signs, currencies, per cent and ordinal endings.',
  example: ['in nineteen eighty four twenty five dollars', 'in $198425'],
  apply(text) {
    const tokens = splitWords(text)
    return mentionsNumber(tokens, publishedDialect)
      ? joinNumbers(tokens, publishedDialect).join(' ')
      : joinWords(tokens, text)
  },
}

const wholeAndCents = pythonPattern(String.raw`([€£$])([0-9]+) (?:and )?¢([0-9]{1,2})\b`)
const centsOnly = pythonPattern(String.raw`[€£$]0.([0-9]{1,2})\b`)
const literalOne = pythonPattern(String.raw`\b1(s?)\b`)

export const finishNumbers: Stage = {
  name: 'numbers, finished',
  does: '“$2 and ¢7” becomes “$2.07”, “$0.36” becomes “¢36”, and 1 is written “one”.',
  example: ['$2 and ¢7 or 1', '$2.07 or one'],
  apply(text) {
    const money = /[€£$]/.test(text) ? joinCents(text) : text
    return money.includes('1') ? substitute(money, literalOne, 'one$1') : money
  },
}

function joinCents(text: string): string {
  return text
    .replace(wholeAndCents.unicode, (_, currency: string, whole: string, cents: string) => {
      return `${currency}${whole}.${cents.padStart(2, '0')}`
    })
    .replace(centsOnly.unicode, (_, cents: string) => `¢${Number(cents)}`)
}

const strayPrefix = /[.$¢€£]([^0-9])/g
const strayPercent = /([^0-9])%/g
export const dropStraySymbols: Stage = {
  name: 'stray symbols',
  does: 'A full stop or currency sign that no digit follows becomes a space, as a % that none precedes.',
  example: ['$ five % ok', '  five   ok'],
  apply: (text) => text.replace(strayPrefix, ' $1').replace(strayPercent, '$1 '),
}

import { lazily } from '#prelude'
import type { Stage } from '../profile.ts'
import { joinNumbers, mentionsNumber, type NumberDialect } from '../published/number-joining.ts'
import { type NumberWord, numberWords } from '../published/number-words.ts'

const words = lazily(() => {
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
  return (first >= 48 && first <= 57) || '+-£€$¢'.includes(token.charAt(0))
}

/** Whisper's rules without what goes wrong in running speech: each word is a number only among numbers. */
export const mendedDialect: NumberDialect = {
  words,
  meaning,
  prefixOf: (token) => (canBeginNumber(token) ? (writtenNumber.exec(token)?.[1] ?? null) : null),
  keepsWrittenDigits: true,
  keepsSign: true,
}

function meaning(tokens: readonly string[], index: number): NumberWord | undefined {
  const token = tokens[index] ?? ''
  const word = words().get(token)
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
  const kind = words().get(token ?? '')?.kind
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
  const kind = isOh(token) ? undefined : words().get(token)?.kind
  return digits.test(token) || kind === 'zero' || kind === 'one' || kind === 'ten' || kind === 'multiplier'
}

/** Spoken numbers as figures. */
export const joinSpokenNumbers: Stage = {
  name: 'numbers',
  does: 'Number words become figures, with signs, currencies, per cent and ordinal endings; “oh” only among digits.',
  example: ['one oh one, oh my: nineteen eighty four', '1 oh one, oh my: 1984'],
  settings: null,
  apply(text) {
    const tokens = text.split(' ')
    if (!mentionsNumber(tokens, mendedDialect)) return text
    return joinNumbers(text.includes(' and a half') ? withPointFive(tokens) : tokens, mendedDialect).join(' ')
  },
}

/** “two and a half” becomes “two point five”. */
function withPointFive(tokens: readonly string[]): string[] {
  const result: string[] = []
  for (let index = 0; index < tokens.length; index += 1) {
    const isHalf = tokens[index] === 'and' && tokens[index + 1] === 'a' && tokens[index + 2] === 'half'
    const before = result.at(-1) ?? ''
    const kind = meaning(tokens, index - 1)?.kind
    const isWhole =
      /^\d+$/.test(before) || kind === 'zero' || kind === 'one' || kind === 'ten' || kind === 'multiplier'
    if (isHalf && isWhole) {
      result.push('point', 'five')
      index += 2
    } else result.push(tokens[index] as string)
  }
  return result
}

const cents = /[€£$]0\.([0-9]{2})(?![0-9.])/g
const nothingAndCents = /[€£$]0 (?:and )?¢([0-9]{1,2})(?![0-9.])/g
const wholeAndCents = /([€£$])([0-9]+) (?:and )?¢([0-9]{1,2})(?![0-9.])/g
export const joinCents: Stage = {
  name: 'cents',
  does: '“$0.36” becomes “¢36”, and “$2 and ¢7” becomes “$2.07”.',
  example: ['$2 and ¢7 $0.36', '$2.07 ¢36'],
  settings: null,
  apply(text) {
    if (!/[€£$]/.test(text)) return text
    return text
      .replace(cents, (_, small: string) => `¢${Number(small)}`)
      .replace(nothingAndCents, '¢$1')
      .replace(wholeAndCents, (_, currency: string, whole: string, small: string) => {
        return `${currency}${whole}.${small.padStart(2, '0')}`
      })
  },
}

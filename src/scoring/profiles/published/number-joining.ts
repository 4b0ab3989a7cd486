import { lazily } from '#prelude'
import { type NumberWord, numberWords } from './number-words.ts'
import { asciiNumber, isDecimalNumber } from './python-text.ts'

/** What may differ between the published rules and ours. */
export interface NumberDialect {
  /** Every word that can be part of a number. */
  words(): ReadonlyMap<string, NumberWord>
  /** What a word means in its context; undefined for a word that is not part of a number there. */
  meaning(tokens: readonly string[], index: number): NumberWord | undefined
  /** Sign and currency before the digits of a written number; null for a token that is none. */
  prefixOf(token: string): string | null
  /** Whether written digits stay as they are: 007 and 1.0. Otherwise whole numbers become 7 and 1. */
  readonly keepsWrittenDigits: boolean
  /** Whether a sign stays when a currency is put before it, and money takes no second currency or per cent. */
  readonly keepsSign: boolean
}

const words = lazily(numberWords)
const prefixes = '-+£€$¢'

/** Whisper's rules, oddities included. */
export const publishedDialect: NumberDialect = {
  words,
  meaning: (tokens, index) => words().get(tokens[index] ?? ''),
  prefixOf(token) {
    const first = token.charCodeAt(0)
    const prefix = prefixes.includes(token.charAt(0)) ? token.charAt(0) : ''
    const canBegin = (first >= 48 && first <= 57) || first >= 128 || prefix !== ''
    return canBegin && isDecimalNumber(token.slice(prefix.length)) ? prefix : null
  },
  keepsWrittenDigits: false,
  keepsSign: false,
}

/** Whether any of the words can be part of a number, so that the others need no second look. */
export function mentionsNumber(tokens: readonly string[], dialect: NumberDialect): boolean {
  const numberWords = dialect.words()
  for (const token of tokens) {
    // “and” joins numbers; it makes none.
    if (token !== 'and' && (numberWords.has(token) || dialect.prefixOf(token) !== null)) return true
  }
  return false
}

/** The number that is being read: what came before it, and its value so far. */
interface Reading {
  readonly dialect: NumberDialect
  /** Sign or currency, to be put before the value. */
  prefix: string | null
  /** A whole number while it can still be added to, text once digits were strung together. */
  value: bigint | string | null
  readonly written: string[]
}

/** A word with its neighbours. */
interface Place {
  readonly token: string
  readonly previous: NumberWord | undefined
  readonly next: NumberWord | undefined
  readonly nextIsNumber: boolean
}

/**
 * Joins number words into figures: “twenty five dollars and ten cents” becomes “$25 and ¢10”. Digits that are
 * read one by one are strung together (“one oh one” is 101, “nineteen eighty four” 1984).
 *
 * In the published dialect the rules are those of Whisper's `EnglishNumberNormalizer.process_words`, word by
 * word.
 *
 * @param tokens without empty strings
 * @returns the new words, in order
 */
export function joinNumbers(tokens: readonly string[], dialect: NumberDialect): string[] {
  const numberWords = dialect.words()
  const reading: Reading = { dialect, prefix: null, value: null, written: [] }
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index] as string
    if (!numberWords.has(token)) {
      const prefix = dialect.prefixOf(token)
      if (prefix === null) readOther(reading, token)
      else readDigits(reading, token, prefix)
      continue
    }
    const word = dialect.meaning(tokens, index)
    const next = tokens[index + 1]
    const place: Place = {
      token,
      previous: dialect.meaning(tokens, index - 1),
      next: dialect.meaning(tokens, index + 1),
      nextIsNumber: next !== undefined && isDecimalNumber(next),
    }
    const usesNext = word === undefined ? readOther(reading, token) : readWord(reading, word, place, next)
    if (usesNext) index += 1
  }
  flush(reading)
  return reading.written
}

/** Ends the number with what it is written as, its prefix in front. */
function write(reading: Reading, text: string): void {
  reading.written.push((reading.prefix ?? '') + text)
  reading.prefix = null
  reading.value = null
}

function flush(reading: Reading): void {
  if (reading.value !== null) write(reading, String(reading.value))
}

/** What further digits are written after. In the published rules (`str(value or "")`) a whole nought is lost. */
function digitsSoFar({ value, dialect }: Reading): string {
  if (value === null || (value === 0n && !dialect.keepsWrittenDigits)) return ''
  return String(value)
}

function readOther(reading: Reading, token: string): boolean {
  flush(reading)
  write(reading, token)
  return false
}

function readDigits(reading: Reading, token: string, prefix: string): void {
  if (typeof reading.value === 'string' && reading.value.endsWith('.')) {
    // Decimals, or the next part of an address such as 192.168.1.1.
    reading.value += token
    return
  }
  flush(reading)
  if (prefix !== '') reading.prefix = prefix
  const number = token.slice(prefix.length)
  const hasPoint = number.includes('.')
  if (reading.dialect.keepsWrittenDigits && (hasPoint || (number.length > 1 && number.startsWith('0')))) {
    reading.value = number
    return
  }
  const [whole = '', decimals = ''] = hasPoint ? asciiNumber(number).split('.') : [asciiNumber(number)]
  reading.value = /^0*$/.test(decimals) ? BigInt(whole) : number
}

/** @returns whether the next word was used up too */
function readWord(reading: Reading, word: NumberWord, place: Place, next: string | undefined): boolean {
  switch (word.kind) {
    case 'zero':
      reading.value = `${digitsSoFar(reading)}0`
      return false
    case 'one':
      reading.value = withOnes(reading.value, word.value, place)
      return false
    case 'suffixedOne':
      write(reading, String(withOnes(reading.value, word.value, place)) + word.suffix)
      return false
    case 'ten':
      reading.value = withTens(reading.value, word.value)
      return false
    case 'suffixedTen':
      write(reading, String(withTens(reading.value, word.value)) + word.suffix)
      return false
    case 'multiplier':
      multiply(reading, word.value)
      return false
    case 'suffixedMultiplier':
      multiplyAndEnd(reading, word.value, word.suffix)
      return false
    default:
      return readSymbol(reading, word, place, next)
  }
}

/** Adds to a round number, otherwise strings digits together: “twenty one” is 21, “two one” is 21 as well. */
function withOnes(value: bigint | string | null, ones: bigint, place: Place): bigint | string {
  if (value === null) return ones
  if (typeof value === 'string' || place.previous?.kind === 'one') {
    const replacesZero = place.previous?.kind === 'ten' && ones < 10n
    return (replacesZero ? String(value).slice(0, -1) : String(value)) + String(ones)
  }
  return value % (ones < 10n ? 10n : 100n) === 0n ? value + ones : `${value}${ones}`
}

function withTens(value: bigint | string | null, tens: bigint): bigint | string {
  if (value === null) return tens
  return typeof value === 'bigint' && value % 100n === 0n ? value + tens : `${value}${tens}`
}

function multiply(reading: Reading, multiplier: bigint): void {
  const { value } = reading
  if (value === null) reading.value = multiplier
  else if (typeof value === 'string' || value === 0n) {
    const product = wholeProduct(String(value), multiplier)
    if (product === null) flush(reading)
    reading.value = product ?? multiplier
  } else reading.value = multipliedEnd(value, multiplier)
}

function multiplyAndEnd(reading: Reading, multiplier: bigint, suffix: string): void {
  const { value } = reading
  if (value === null) write(reading, `${multiplier}${suffix}`)
  else if (typeof value === 'string') {
    const product = wholeProduct(value, multiplier)
    if (product === null) flush(reading)
    write(reading, `${product ?? multiplier}${suffix}`)
  } else write(reading, `${multipliedEnd(value, multiplier)}${suffix}`)
}

/** “two thousand five hundred”: only what is below a thousand is multiplied. */
function multipliedEnd(value: bigint, multiplier: bigint): bigint {
  const residual = value % 1000n
  return value - residual + residual * multiplier
}

/** number × multiplier where that is whole (“2.5 million”); null for a fraction or for no number (“1.2.3”). */
function wholeProduct(number: string, multiplier: bigint): bigint | null {
  const digits = asciiNumber(number)
  const match = /^(\d*)(?:\.(\d*))?$/.exec(digits)
  if (match === null || !/\d/.test(digits)) return null
  const [, whole = '', decimals = ''] = match
  const scale = 10n ** BigInt(decimals.length)
  const product = BigInt(`${whole}${decimals}`) * multiplier
  return product % scale === 0n ? product / scale : null
}

function readSymbol(reading: Reading, word: NumberWord, place: Place, next: string | undefined): boolean {
  const canContinue = place.next !== undefined || place.nextIsNumber
  if (word.kind === 'sign') {
    flush(reading)
    if (canContinue) reading.prefix = word.symbol
    else write(reading, place.token)
    return false
  }
  if (word.kind === 'currency') {
    return readCurrency(reading, word.symbol, place)
  }
  if (word.kind === 'percent' || word.kind === 'per') return readPercent(reading, word.kind, place, next)
  return canContinue ? readConnective(reading, word, place) : readOther(reading, place.token)
}

function readCurrency(reading: Reading, symbol: string, place: Place): boolean {
  if (reading.value === null || isMoney(reading)) return readOther(reading, place.token)
  reading.prefix = reading.dialect.keepsSign ? (reading.prefix ?? '') + symbol : symbol
  flush(reading)
  return false
}

function isMoney({ dialect, prefix }: Reading): boolean {
  return dialect.keepsSign && /[£€$¢]/.test(prefix ?? '')
}

function readPercent(
  reading: Reading,
  kind: 'percent' | 'per',
  place: Place,
  next: string | undefined,
): boolean {
  const isPerCent = kind === 'per' && next === 'cent'
  const isNone = reading.value === null || isMoney(reading)
  if (isNone || (kind === 'per' && !isPerCent)) return readOther(reading, place.token)
  write(reading, `${reading.value}%`)
  return isPerCent
}

function readConnective(reading: Reading, word: NumberWord, place: Place): boolean {
  if (word.kind === 'and') {
    // “two hundred and five” is one number.
    if (place.previous?.kind !== 'multiplier') readOther(reading, place.token)
    return false
  }
  if (word.kind === 'repeat') {
    const repeated = place.next
    if (repeated?.kind !== 'one' && repeated?.kind !== 'zero') return readOther(reading, place.token)
    const digits = repeated.kind === 'one' ? String(repeated.value) : '0'
    reading.value = digitsSoFar(reading) + digits.repeat(word.times)
    return true
  }
  const followedByDecimals =
    place.nextIsNumber ||
    place.next?.kind === 'zero' ||
    place.next?.kind === 'one' ||
    place.next?.kind === 'ten'
  // “point” before any other number word is lost, as it is in the published rules.
  if (followedByDecimals) reading.value = `${digitsSoFar(reading)}.`
  return false
}

import { formMark } from '../readings.ts'
import type { NumberWords } from './language-schema.ts'
import { linker, type NumberPart } from './number-words.ts'

/** A number while it is read. */
export interface NumberReading {
  /**
   * A longer number, by the parts of the next word; null where the word is no part of this number.
   *
   * @param isLinked whether the word between parts comes before it
   */
  withWord(parts: readonly NumberPart[], isLinked: boolean): NumberReading | null
  /** The value so far; null before the first part. */
  value(): number | null
  ordinal(): NumberPart['ordinal']
  /** The word whose form is heard; empty where that is the first one of a cardinal. */
  form(): string
  /** Whether that form is one of gender. */
  isGendered(): boolean
  /** Whether all that was read is one word that is also an article. */
  isWeak(): boolean
}

interface State {
  /** What later scales no longer multiply: the 億 before 万. */
  myriads: number
  total: number
  /** Below the last thousand. */
  group: number
  /** What the last two digits of the group can still take. */
  low: 'nothing' | 'ones' | 'tens' | 'full'
  hasHundreds: boolean
  lastScale: number
  lastMyriad: number
  count: number
  isFigure: boolean
  isLinked: boolean
  isWeak: boolean
  ordinal: NumberPart['ordinal']
  form: string
  isGendered: boolean
  isEnded: boolean
}

const start: State = {
  myriads: 0,
  total: 0,
  group: 0,
  low: 'nothing',
  hasHundreds: false,
  lastScale: Number.POSITIVE_INFINITY,
  lastMyriad: Number.POSITIVE_INFINITY,
  count: 0,
  isFigure: false,
  isLinked: false,
  isWeak: false,
  ordinal: null,
  form: '',
  isGendered: false,
  isEnded: false,
}

/**
 * Starts to read a number by the grammar of a language.
 *
 * @param figure the number begins with figures: only thousands and more can follow
 */
export function startNumber(grammar: NumberWords, figure: number | null = null): NumberReading {
  return readingOf(
    grammar,
    figure === null
      ? start
      : { ...start, group: figure, low: 'full', hasHundreds: true, count: 1, isFigure: true },
  )
}

function readingOf(grammar: NumberWords, state: State): NumberReading {
  return {
    withWord(parts, isLinked) {
      const longer = { ...state }
      const [first] = parts
      const isJoined = grammar.joinsTens === 'true' && state.low === 'tens' && (first?.value ?? 10) < 10
      if (isJoined || (isLinked && !linkWords(longer, first, grammar))) return null
      return parts.every((part) => add(longer, part, grammar)) ? readingOf(grammar, longer) : null
    },
    value: () => (state.count === 0 ? null : state.myriads + state.total + state.group),
    ordinal: () => state.ordinal,
    form: () => state.form,
    isGendered: () => state.isGendered,
    isWeak: () => state.isWeak,
  }
}

/** Whether parts make one number, to the last of them. */
export function isOneNumber(grammar: NumberWords): (parts: readonly NumberPart[]) => boolean {
  return (parts) => startNumber(grammar).withWord(parts, false) !== null && parts.at(-1) !== linker
}

function add(state: State, part: NumberPart, grammar: NumberWords): boolean {
  if (part === linker) return link(state)
  const isAfterOrdinal = state.ordinal !== null && part.ordinal === null
  if (state.isEnded || isAfterOrdinal || !attach(state, part, grammar)) return false
  state.count += 1
  state.isWeak = part.isWeak && state.count === 1
  state.isLinked = false
  state.ordinal = part.ordinal
  // Две is heard at the end of a number alone: две тысячи is how it is said.
  if (state.isGendered) state.form = ''
  state.isGendered = part.isGendered === true
  // Dwóch tysięcy; dwudziestu pięć is in two forms, which no figure stands for.
  if (part.form !== undefined) state.form = part.form
  else if (state.form !== '' && !part.needsNumber) state.form += formMark
  return true
}

/** Reads the word between parts; false where the next part cannot follow it. */
function linkWords(state: State, next: NumberPart | undefined, { and }: NumberWords): boolean {
  const isAfterTens = state.low === 'tens' && (next?.value ?? 100) < 20 && and?.after !== 'hundreds'
  const isAfterHundreds = state.low === 'nothing' && !state.isFigure && and?.after !== 'tens'
  return (isAfterTens || isAfterHundreds) && link(state)
}

function link(state: State): boolean {
  if (state.count === 0 || state.isLinked) return false
  state.isLinked = true
  return true
}

function attach(state: State, part: NumberPart, grammar: NumberWords): boolean {
  const { value } = part
  if (value >= 10_000 && grammar.countsMyriads === 'true') return multiplyMyriads(state, value)
  if (value >= 1000) return multiply(state, part)
  if (state.isFigure) return false
  if (value === 0) return addZero(state)
  if (value < 10) return addOnes(state, part, grammar)
  if (value < 100) return addTens(state, part, grammar)
  return value === 100 && grammar.hundredsAreWords !== 'true'
    ? addHundred(state, part)
    : addHundreds(state, value)
}

function addZero(state: State): boolean {
  if (state.count > 0) return false
  state.isEnded = true
  return true
}

function addOnes(state: State, { value, ordinal }: NumberPart, { and, isInverted }: NumberWords): boolean {
  const needsAnd = and?.tensNeedIt === 'true' && ordinal === null
  const isFree = state.low === 'nothing'
  const isAfterTens = state.low === 'tens' && isInverted !== 'always' && (!needsAnd || state.isLinked)
  if (!isFree && !isAfterTens) return false
  state.group += value
  state.low = isFree ? 'ones' : 'full'
  return true
}

function addTens(
  state: State,
  { value, ordinal }: NumberPart,
  { isInverted, isVigesimal, tenTakesOnes }: NumberWords,
): boolean {
  // The tenth can go on: décimo primero.
  const isRound = value % 10 === 0 && (value >= 20 || ordinal !== null || tenTakesOnes === 'true')
  const low = state.group % 100
  if (state.low === 'nothing') {
    state.low = isRound ? 'tens' : 'full'
    state.group += value
    return true
  }
  if (isInverted !== undefined && state.low === 'ones' && state.isLinked && isRound) {
    state.low = 'full'
    state.group += value
    return true
  }
  if (isVigesimal !== 'true') return false
  if (value === 20 && state.low === 'ones' && low === 4 && !state.isLinked) {
    state.low = 'tens'
    state.group += 76
    return true
  }
  if (value < 20 && state.low === 'tens' && (low === 60 || low === 80)) {
    state.low = 'full'
    state.group += value
    return true
  }
  return false
}

/** A hundred after one to nine, or after a century: neunzehnhundert. */
function addHundred(state: State, { needsNumber }: NumberPart): boolean {
  if (state.hasHundreds || state.group >= 100 || (state.group === 0 && needsNumber)) return false
  if (state.group >= 10 && state.total > 0) return false
  state.group = state.group === 0 ? 100 : state.group * 100
  state.hasHundreds = true
  state.low = 'nothing'
  return true
}

function addHundreds(state: State, value: number): boolean {
  if (state.hasHundreds || state.group > 0) return false
  state.group = value
  state.hasHundreds = true
  return true
}

function multiply(state: State, { value, needsNumber }: NumberPart): boolean {
  // 2022 thousand is said otherwise.
  if (state.isFigure && state.group >= (value === 1000 ? 1000 : 1e6)) return false
  if (value >= 1e6 && state.lastScale < value) return multiplyAll(state, value)
  // A thousand without a number follows only a myriad: 二万千.
  const isBare = state.group === 0 && (needsNumber || (state.count > 0 && state.myriads === 0))
  if (value >= state.lastScale || isBare) return false
  // Nineteen hundred thousand is no number that is said.
  if (state.group > 1000 && !state.isFigure) return false
  state.total += (state.group === 0 ? 1 : state.group) * value
  Object.assign(state, { group: 0, low: 'nothing', hasHundreds: false, lastScale: value, isFigure: false })
  return true
}

/** Multiplies all that was read so far: cinco mil millones is five thousand millions. */
function multiplyAll(state: State, value: number): boolean {
  Object.assign(state, {
    total: (state.total + state.group) * value,
    group: 0,
    low: 'nothing',
    hasHundreds: false,
  })
  state.lastScale = value
  return true
}

/** Multiplies what was read since the last larger unit: 二億三千万 is two hundred millions and thirty millions. */
function multiplyMyriads(state: State, value: number): boolean {
  const amount = state.total + state.group
  if (value >= state.lastMyriad || amount === 0) return false
  const myriads = state.myriads + amount * value
  Object.assign(state, { ...start, myriads, lastMyriad: value, count: state.count })
  return true
}

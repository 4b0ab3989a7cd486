import { formMark } from '../readings.ts'
import type { NumberWords } from './language-schema.ts'

/** A word that numbers are made of, or a part of a compound such as einundzwanzig. */
export interface NumberPart {
  readonly value: number
  /** Also an article: it is a number only next to something that is counted. */
  readonly isWeak: boolean
  /** Multiplies a number before it, and is none alone: millions. */
  readonly needsNumber: boolean
  /** How an ordinal is marked: 3º, or 3ª in languages that hear its gender; null for a cardinal. */
  readonly ordinal: 'º' | 'ª' | null
  /** The word itself, where its form is heard next to its value. */
  readonly form?: string
  /** That form is one of gender: before another part it is the usual one. */
  readonly isGendered?: boolean
}

/** The words of a language with what they mean. */
export type NumberLexicon = ReadonlyMap<string, NumberPart>

export function readLexicon(words: NumberWords): NumberLexicon {
  const lexicon = new Map<string, NumberPart>()
  const { ordinalEndings = [], ordinals = [], feminineOrdinals = [], cardinals, hearsForms } = words
  const add = (entries: NumberWords['cardinals'], ordinal: NumberPart['ordinal']): void => {
    for (const { value, ...kinds } of entries)
      for (const [kind, all = []] of Object.entries(kinds)) {
        const isGendered = kind === 'gendered'
        const hasForm = isGendered || kind === 'oblique' || (ordinal !== null && hearsForms === 'true')
        const part = {
          value: Number(value),
          ordinal,
          isWeak: kind === 'ambiguous',
          needsNumber: kind === 'multipliers',
        }
        for (const word of all.flatMap((stem) =>
          kind === 'stems' ? ordinalEndings.map((ending) => stem + ending) : [stem],
        ))
          lexicon.set(word, hasForm ? { ...part, form: word, isGendered } : part)
      }
  }
  add(ordinals, 'º')
  add(feminineOrdinals, 'ª')
  add(cardinals, null)
  return lexicon
}

/** A syllable that links parts and has no value. */
const linker: NumberPart = { value: Number.NaN, ordinal: null, isWeak: false, needsNumber: false }

/** A number while it is read. */
export interface NumberReading {
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
  /** Whether all that was read is one word that is also an article. */
  isWeak: boolean
  ordinal: NumberPart['ordinal']
  /** The word whose form is heard; empty where that is the first one of a cardinal. */
  form: string
  /** Whether that form is one of gender. */
  isGendered: boolean
  isEnded: boolean
}

const start: NumberReading = {
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
 * Starts to read a number.
 *
 * @param figure the number begins with figures: only thousands and more can follow
 */
export function startNumber(figure: number | null = null): NumberReading {
  return figure === null
    ? start
    : { ...start, group: figure, low: 'full', hasHundreds: true, count: 1, isFigure: true }
}

/**
 * A longer number, by the parts of the next word; null where the word is no part of this number.
 *
 * @param isLinked whether the word between parts comes before it
 */
export function readNext(
  reading: NumberReading,
  parts: readonly NumberPart[],
  isLinked: boolean,
  grammar: NumberWords,
): NumberReading | null {
  const longer = { ...reading }
  const [first] = parts
  const isJoined = grammar.joinsTens === 'true' && reading.low === 'tens' && (first?.value ?? 10) < 10
  if (isJoined || (isLinked && !linkWords(longer, first, grammar))) return null
  return parts.every((part) => add(longer, part, grammar)) ? longer : null
}

/** The value of what was read; null before the first part. */
export function readValue({ count, myriads, total, group }: NumberReading): number | null {
  return count === 0 ? null : myriads + total + group
}

/** Takes a text apart into words of numbers; null for a text that is no number. */
export type NumberSplitter = (text: string) => readonly NumberPart[] | null

/**
 * Takes number words that are written together apart. No part is tried that the number before it cannot take, so that a word
 * which is repeated over and over takes no longer than any other.
 */
export function startSplitter(words: NumberWords): NumberSplitter {
  const linkers = (words.compounds?.linkers ?? []).map((syllable) => [syllable, linker] as const)
  const pieces = [...linkers, ...readLexicon(words)].sort(([a], [b]) => b.length - a.length)
  const piecesByLetter = Map.groupBy(pieces, ([piece]) => piece.charAt(0))
  const split = (
    rest: string,
    reading: NumberReading,
    parts: readonly NumberPart[],
  ): readonly NumberPart[] | null => {
    if (rest === '') return parts.at(-1) === linker ? null : parts
    for (const [piece, part] of piecesByLetter.get(rest.charAt(0)) ?? []) {
      const longer = { ...reading }
      if (!rest.startsWith(piece) || !add(longer, part, words)) continue
      const found = split(rest.slice(piece.length), longer, [...parts, part])
      if (found !== null) return found
    }
    return null
  }
  return (text) => split(text, start, [])
}

/** How many compounds are remembered: numbers recur, and other words fail at once. */
const maxRemembered = 10_000

/** Finds the parts of a word, which is a single part where the language writes no compounds. */
export function partsFinder(words: NumberWords): NumberSplitter {
  const partsByWord = new Map([...readLexicon(words)].map(([word, part]) => [word, [part]]))
  if (words.compounds === undefined) return (word) => partsByWord.get(word) ?? null
  const split = startSplitter(words)
  const remembered = new Map<string, readonly NumberPart[] | null>()
  return (word) => {
    const before = remembered.get(word)
    if (before !== undefined) return before
    const parts = partsByWord.get(word) ?? split(word)
    if (remembered.size >= maxRemembered) remembered.clear()
    remembered.set(word, parts)
    return parts
  }
}

function add(state: NumberReading, part: NumberPart, grammar: NumberWords): boolean {
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
function linkWords(state: NumberReading, next: NumberPart | undefined, { and }: NumberWords): boolean {
  const isAfterTens = state.low === 'tens' && (next?.value ?? 100) < 20 && and?.after !== 'hundreds'
  const isAfterHundreds = state.low === 'nothing' && !state.isFigure && and?.after !== 'tens'
  return (isAfterTens || isAfterHundreds) && link(state)
}

function link(state: NumberReading): boolean {
  if (state.count === 0 || state.isLinked) return false
  state.isLinked = true
  return true
}

function attach(state: NumberReading, part: NumberPart, grammar: NumberWords): boolean {
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

function addZero(state: NumberReading): boolean {
  if (state.count > 0) return false
  state.isEnded = true
  return true
}

function addOnes(
  state: NumberReading,
  { value, ordinal }: NumberPart,
  { and, isInverted }: NumberWords,
): boolean {
  const needsAnd = and?.tensNeedIt === 'true' && ordinal === null
  const isFree = state.low === 'nothing'
  const isAfterTens = state.low === 'tens' && isInverted !== 'always' && (!needsAnd || state.isLinked)
  if (!isFree && !isAfterTens) return false
  state.group += value
  state.low = isFree ? 'ones' : 'full'
  return true
}

function addTens(
  state: NumberReading,
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
function addHundred(state: NumberReading, { needsNumber }: NumberPart): boolean {
  if (state.hasHundreds || state.group >= 100 || (state.group === 0 && needsNumber)) return false
  if (state.group >= 10 && state.total > 0) return false
  state.group = state.group === 0 ? 100 : state.group * 100
  state.hasHundreds = true
  state.low = 'nothing'
  return true
}

function addHundreds(state: NumberReading, value: number): boolean {
  if (state.hasHundreds || state.group > 0) return false
  state.group = value
  state.hasHundreds = true
  return true
}

function multiply(state: NumberReading, { value, needsNumber }: NumberPart): boolean {
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
function multiplyAll(state: NumberReading, value: number): boolean {
  const total = (state.total + state.group) * value
  // A figure beyond what a number holds is not exact, and a word for it can be followed by the same words again.
  if (!Number.isSafeInteger(total)) return false
  Object.assign(state, { total, group: 0, low: 'nothing', hasHundreds: false, lastScale: value })
  return true
}

/** Multiplies what was read since the last larger unit: 二億三千万 is two hundred millions and thirty millions. */
function multiplyMyriads(state: NumberReading, value: number): boolean {
  const amount = state.total + state.group
  if (value >= state.lastMyriad || amount === 0) return false
  const myriads = state.myriads + amount * value
  Object.assign(state, { ...start, myriads, lastMyriad: value, count: state.count })
  return true
}

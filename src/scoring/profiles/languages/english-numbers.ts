import { isWhole } from '../language-rules/figure-joining.ts'
import { isLetter } from '../language-rules/plain-marks.ts'
import type { NumberDialect } from '../published/number-joining.ts'
import { joinNumbers } from '../published/number-joining.ts'
import type { NumberWord } from '../published/number-words.ts'
import {
  border,
  eitherMark,
  plainOf,
  possibleBorder,
  readingsOf,
  regnalMark,
  wholeMark,
} from '../readings.ts'
import {
  halfReadings,
  hundredsReading,
  parts,
  readOther,
  saidScales,
  scaledReading,
  scales,
  withLetter,
  withReadings,
  withSpaces,
  writtenReadings,
} from './english-readings.ts'

/** Words of one number, and what they can go on with. */
interface Group {
  readonly from: number
  readonly end: number
  readonly isWritten: boolean
  /** `nineteen hundred`: where the word hundred is. */
  readonly hundredAt: number | null
  /** Whether it is a decimal of a scale: `one point five million`. */
  readonly isScaledDecimal: boolean
  /** Where the number may be two: after these tokens. */
  readonly possibleEnds: readonly number[]
}

/**
 * Number words to figures, each number for itself: five five is not fifty-five. What figures can be said in several ways, or was
 * said in one of them, gets its readings.
 *
 * @param all words with borders, which go
 */
export function readNumbers(all: readonly string[], dialect: NumberDialect): string[] {
  const roles = rolesOf(dialect)
  const written: string[] = []
  let span: string[] = []
  let isNumber = false
  const endSpan = (): void => {
    written.push(...(isNumber ? readRemembered(span, dialect) : span))
    span = []
    isNumber = false
  }
  // Words that are no part of any number are most of a text, and are left as they are.
  for (const token of all) {
    const role = isLetter(token.charCodeAt(0)) ? roles.get(token) : 'number'
    if (role === undefined) {
      if (span.length > 0) endSpan()
      written.push(token)
      continue
    }
    span.push(token)
    isNumber ||= role === 'number'
  }
  endSpan()
  return written
}

type Role = 'number' | 'joins'
const joining = ['and', 'a', 'half', 'quarter', 'quarters']
const knownRoles = new WeakMap<NumberDialect, ReadonlyMap<string, Role>>()

/** What makes a number, and what is only part of one. */
function rolesOf(dialect: NumberDialect): ReadonlyMap<string, Role> {
  const known = knownRoles.get(dialect)
  if (known !== undefined) return known
  const roles = new Map<string, Role>([...dialect.words().keys()].map((word) => [word, 'number']))
  for (const word of joining) roles.set(word, 'joins')
  knownRoles.set(dialect, roles)
  return roles
}

/** Numbers recur, and most are short. */
const maxRemembered = 10_000
const maxWords = 6
const remembered = new WeakMap<NumberDialect, Map<string, readonly string[]>>()

function readRemembered(span: readonly string[], dialect: NumberDialect): readonly string[] {
  const [only = ''] = span
  if (span.length === 1 && isWhole(only)) return [withReadings(only, writtenReadings(only))]
  if (span.length > maxWords) return readSpan(span, dialect)
  const readingsBySpan = remembered.get(dialect) ?? new Map<string, readonly string[]>()
  if (readingsBySpan.size === 0) remembered.set(dialect, readingsBySpan)
  const words = span.join(' ')
  const before = readingsBySpan.get(words)
  if (before !== undefined) return before
  const read = readSpan(span, dialect)
  if (readingsBySpan.size >= maxRemembered) readingsBySpan.clear()
  readingsBySpan.set(words, read)
  return read
}

function readSpan(all: readonly string[], dialect: NumberDialect): string[] {
  const { tokens, borders, possibleBorders } = withoutBorders(all)
  const grammar = grammarOf(tokens, dialect, borders, possibleBorders)
  const written: string[] = []
  let at = 0
  while (at < tokens.length) {
    const groups = runAt(at, grammar)
    const [first] = groups
    if (first === undefined) {
      const canBeNought =
        tokens[at] === 'oh' && (isNextToNumber(at, -1, grammar) || isNextToNumber(at, 1, grammar))
      at += 1
      written.push(canBeNought ? beforeNext('oh|oh|0', at, grammar) : readOther(tokens[at - 1] as string))
      continue
    }
    const { words, end } = groups.length > 1 ? readRun(groups, grammar) : readAlone(first, grammar)
    written.push(...words.slice(0, -1), beforeNext(words.at(-1) ?? '', end, grammar))
    at = end
  }
  return written
}

/** A number that no mark ends before the next one: it may be a part of a figure. */
function beforeNext(token: string, end: number, grammar: Grammar): string {
  const isInRow =
    !grammar.borders.has(end) && (grammar.tokens[end] === 'oh' || groupAt(end, grammar) !== null)
  return isInRow ? perhapsPart(token) : token
}

function perhapsPart(token: string): string {
  const readings = readingsOf(token)
  const inRow = readings.map((reading) => reading.replace(/(?<=^|_)\d{1,2}$/, `${eitherMark}$&`))
  return inRow.every((reading, at) => reading === readings[at]) ? token : [plainOf(token), ...inRow].join('|')
}

interface Grammar {
  readonly tokens: readonly string[]
  /** The same without borders in them. */
  readonly figures: readonly string[]
  readonly dialect: NumberDialect
  readonly borders: ReadonlySet<number>
  readonly possibleBorders: ReadonlySet<number>
  readonly kinds: readonly (NumberWord | 'figure' | undefined)[]
}

const repeats = { double: 2, triple: 3 } as const
const digitWords: ReadonlySet<string> = new Set(
  'o oh zero one two three four five six seven eight nine'.split(' '),
)

function isDigitWord(word: string | undefined): boolean {
  return word !== undefined && digitWords.has(word)
}

const marks = new RegExp(`[${border}${regnalMark}]`, 'g')
const none: ReadonlySet<number> = new Set()

const noTokens: ReadonlySet<string> = new Set([border, possibleBorder, ...Object.keys(repeats)])

/** Borders are before the token with their index. “Double five” is five five. */
function withoutBorders(all: readonly string[]) {
  if (!all.some((token) => noTokens.has(token))) return { tokens: all, borders: none, possibleBorders: none }
  const tokens: string[] = []
  const borders = new Set<number>()
  const possibleBorders = new Set<number>()
  let times = 1
  for (const [at, token] of all.entries()) {
    if (token === border) borders.add(tokens.length)
    else if (token === possibleBorder) possibleBorders.add(tokens.length)
    else if (isDigitWord(all[at + 1]) && Object.hasOwn(repeats, token))
      times = repeats[token as keyof typeof repeats]
    else {
      const digit = times > 1 && token.startsWith('o') && token !== 'one' ? 'zero' : token
      tokens.push(...Array.from({ length: times }, () => digit))
      times = 1
    }
  }
  return { tokens, borders, possibleBorders }
}

function grammarOf(
  tokens: readonly string[],
  dialect: NumberDialect,
  borders: ReadonlySet<number>,
  possibleBorders: ReadonlySet<number>,
): Grammar {
  const isMarked = tokens.some((token) => token.includes(border) || token.includes(regnalMark))
  const withoutMarks = (all: readonly string[]): readonly string[] =>
    isMarked ? all.map((token) => token.replaceAll(marks, '')) : all
  const figures = withoutMarks(tokens)
  const kinds = tokens.map((token, at) =>
    dialect.prefixOf(token) !== null ? 'figure' : dialect.meaning(figures, at),
  )
  const spoken = tokens.map((token, at) => {
    const kind = kinds[at]
    return typeof kind === 'object' && kind.kind === 'zero' ? 'zero' : token
  })
  return { tokens: spoken, figures: withoutMarks(spoken), dialect, borders, possibleBorders, kinds }
}

function kindAt({ kinds }: Grammar, at: number): NumberWord['kind'] | 'figure' | undefined {
  const kind = kinds[at]
  return typeof kind === 'object' ? kind.kind : kind
}

function valueAt({ kinds }: Grammar, at: number): number {
  const kind = kinds[at]
  return typeof kind === 'object' && 'value' in kind ? Number(kind.value) : 0
}

/** Oh before the first digit, or after the last one. */
function isNextToNumber(from: number, step: -1 | 1, grammar: Grammar): boolean {
  let at = from + step
  while (grammar.tokens[at] === 'oh') at += step
  return ['zero', 'one', 'ten', 'figure'].includes(kindAt(grammar, at) ?? '')
}

/** Spoken numbers that follow one another without a border. */
function runAt(at: number, grammar: Grammar): Group[] {
  const groups: Group[] = []
  for (let from = at; ; ) {
    const group = groupAt(from, grammar)
    if (group === null || (groups.length > 0 && (group.isWritten || grammar.borders.has(from)))) return groups
    groups.push(group)
    from = group.end
    if (group.isWritten) return groups
  }
}

/** The last part of a number, which says what can follow. */
type Last = 'figure' | 'zero' | 'ones' | 'teens' | 'tens' | 'hundred' | 'scale' | 'decimals' | 'end'

/** The number that begins at a token, as far as its words make one number. */
function groupAt(from: number, grammar: Grammar): Group | null {
  const { tokens } = grammar
  let at = from
  if (kindAt(grammar, at) === 'sign') at += 1
  const start = at
  const isWritten = kindAt(grammar, at) === 'figure'
  let last: Last | null = null
  let scale = Number.POSITIVE_INFINITY
  let hasHundred = false
  let hundredAt: number | null = null
  let isScaledDecimal = false
  const possibleEnds: number[] = []
  for (;;) {
    if (at > start && grammar.borders.has(at)) break
    const hasAnd = kindAt(grammar, at) === 'and' && (last === 'hundred' || last === 'scale')
    const next = hasAnd ? at + 1 : at
    if (hasAnd && grammar.borders.has(next)) break
    const kind = kindAt(grammar, next)
    const value = valueAt(grammar, next)
    const isFirst: boolean = last === null
    const takesOnes: boolean = last === 'tens' || last === 'hundred' || last === 'scale' || isFirst
    const takesTens: boolean = last === 'hundred' || last === 'scale' || isFirst
    let after: Last | null = null
    if (kind === 'figure') after = isFirst ? 'figure' : null
    else if (kind === 'zero') after = isFirst ? 'zero' : null
    else if (kind === 'one' && value < 10) after = takesOnes ? 'ones' : null
    else if (kind === 'one') after = takesTens ? 'teens' : null
    else if (kind === 'ten') after = takesTens ? 'tens' : null
    else if (kind === 'suffixedOne') after = (value < 10 ? takesOnes : takesTens) ? 'end' : null
    else if (kind === 'suffixedTen') after = takesTens ? 'end' : null
    else if ((kind === 'multiplier' || kind === 'suffixedMultiplier') && !hasAnd) {
      const isHundred = value === 100
      const isAfterNumber = last === 'ones' || last === 'teens' || last === 'tens' || last === 'figure'
      const takesHundred = isFirst || (isAfterNumber && !hasHundred)
      const takesScale =
        isFirst || isAfterNumber || last === 'hundred' || last === 'decimals' || last === 'zero'
      if (isHundred ? takesHundred : takesScale && value < scale) {
        if (isHundred && (last === 'teens' || last === 'tens' || isOnesAfterTens(grammar, next, start)))
          hundredAt = next
        if (last === 'decimals' || (last === 'figure' && hasDecimals(tokens[start]))) isScaledDecimal = true
        hasHundred = isHundred
        if (!isHundred) scale = value
        after = kind === 'suffixedMultiplier' ? 'end' : isHundred ? 'hundred' : 'scale'
      }
    } else if (
      kind === 'point' &&
      !isFirst &&
      last !== 'decimals' &&
      !hasAnd &&
      !hasDecimals(tokens[start])
    ) {
      const end = decimalsEnd(grammar, next + 1)
      if (end > next + 1) {
        at = end
        last = 'decimals'
        continue
      }
    }
    if (after === null) break
    if (!isFirst && grammar.possibleBorders.has(next)) possibleEnds.push(at)
    last = after
    at = next + 1
    if (last === 'end') break
  }
  if (last === null) return null
  return {
    from,
    end: withUnit(at, last === 'end', grammar),
    isWritten,
    hundredAt,
    isScaledDecimal,
    possibleEnds,
  }
}

function hasDecimals(token = ''): boolean {
  return token.includes('.')
}

/** Whether ones come after tens before this place, as in twenty five hundred. */
function isOnesAfterTens(grammar: Grammar, at: number, start: number): boolean {
  return at - 2 >= start && kindAt(grammar, at - 1) === 'one' && kindAt(grammar, at - 2) === 'ten'
}

/** Digits after a point, one by one, or one number below a hundred: three point one four, three point fourteen. */
function decimalsEnd(grammar: Grammar, from: number): number {
  const isDigit = (at: number): boolean => {
    const kind = kindAt(grammar, at)
    return !grammar.borders.has(at) && (kind === 'zero' || (kind === 'one' && valueAt(grammar, at) < 10))
  }
  let at = from
  while (isDigit(at)) at += 1
  if (at > from) return at
  const kind = kindAt(grammar, from)
  // What a hundred or a million was said for is no decimal.
  if (kind === 'figure') return /^\d*00$|\D/.test(grammar.tokens[from] as string) ? from : from + 1
  if (kind === 'one') return from + 1
  if (kind !== 'ten') return from
  return isDigit(from + 1) && kindAt(grammar, from + 1) === 'one' ? from + 2 : from + 1
}

/** Per cent and currencies belong to the number before them. */
function withUnit(end: number, isEnded: boolean, grammar: Grammar): number {
  if (isEnded || grammar.borders.has(end)) return end
  const kind = kindAt(grammar, end)
  if (kind === 'percent' || kind === 'currency') return end + 1
  return kind === 'per' && grammar.tokens[end + 1] === 'cent' ? end + 2 : end
}

interface Read {
  readonly words: readonly string[]
  readonly end: number
}

function readAlone(group: Group, grammar: Grammar): Read {
  const { from, isWritten, possibleEnds } = group
  const token = isWritten ? (grammar.tokens[from] as string) : ''
  const [written = '', letter = ''] = token.split(border)
  const isWhole = group.end === from + 1
  if (isWhole && token.endsWith(regnalMark)) return { words: [readOther(token)], end: group.end }
  if (isWhole && letter === '000') return { words: [withSpaces(token)], end: group.end }
  const scale = saidScales[letter]
  if (scale !== undefined) {
    const scaled = readSpan([written, scale, ...grammar.tokens.slice(from + 1, group.end)], grammar.dialect)
    return { words: isWhole ? [withLetter(written, letter, scaled[0] ?? '')] : scaled, end: group.end }
  }
  const fraction = readFraction(group, grammar)
  if (fraction !== null) return fraction
  const { end } = group
  const [figure = '', ...others] = figuresOf(from, end, grammar)
  if (others.length > 0) return { words: [figure, ...others], end }
  if (isWritten && end === from + 1)
    return { words: [withReadings(figure, writtenReadings(grammar.tokens[from] as string))], end }
  const whole = spokenReading(group, figure, grammar)
  const parted = possibleEnds.map((at) => {
    const [one = '', other = ''] = [figuresOf(from, at, grammar), figuresOf(at, end, grammar)].map((all) =>
      all.join('_'),
    )
    return `${wholeIf(one)}_${wholeIf(other)}`
  })
  return { words: [withReadings(figure, [...whole, ...parted])], end }
}

function figuresOf(from: number, end: number, { figures, dialect }: Grammar): string[] {
  return joinNumbers(figures.slice(from, end), dialect)
}

function wholeIf(figure: string): string {
  return /^\d{3,}$/.test(figure) ? wholeMark + figure : figure
}

/** How the words of one number were said, where figures could be said otherwise. */
function spokenReading(group: Group, figure: string, grammar: Grammar): readonly string[] {
  const decimals = /^([+-]?[£€$¢]?)(\d+)\.(\d\d+)(%?)$/.exec(figure)
  if (decimals !== null && !isDigitByDigit(group, grammar)) {
    const [, prefix, whole, part, unit] = decimals
    return [`${prefix}${whole}_point_${part}${unit}`]
  }
  const [, currency = '', digits = ''] = /^([£€$]?)(\d{3,})$/.exec(figure) ?? []
  if (digits === '') return [figure]
  if (group.isScaledDecimal) {
    const scaled = scaledReading(digits)
    const readings = scaled === null ? [] : [scaled, ...(group.isWritten ? halfReadings(scaled) : [])]
    if (readings.length > 0) return readings.map((reading) => currency + reading)
  }
  if (currency !== '') return [figure]
  if (group.hundredAt === null) return [wholeMark + figure]
  return [hundredsReading(figure)]
}

function isDigitByDigit({ from, end }: Group, grammar: Grammar): boolean {
  for (let at = from; at < end; at += 1) {
    if (kindAt(grammar, at) !== 'point') continue
    const kind = kindAt(grammar, at + 1)
    return kind === 'zero' || kind === 'figure' || (kind === 'one' && valueAt(grammar, at + 1) < 10)
  }
  return true
}

/** Two and a half; two and a half million; a million and a half. */
function readFraction(group: Group, grammar: Grammar): Read | null {
  const { from, end } = group
  const { tokens, dialect } = grammar
  if (tokens[end] !== 'and') return null
  const words = tokens
    .slice(end, end + 3)
    .join('_')
    .replace('_3_', '_three_')
  const half = parts.find(({ said }) => said === words)
  if (half === undefined) return null
  const [figure = '', ...others] = figuresOf(from, end, grammar)
  if (!/^[+-]?\d+$/.test(figure) || others.length > 0) return null
  const scale = tokens[end + 3] ?? ''
  const ownScale = tokens[end - 1] ?? ''
  const isScaled = Object.hasOwn(scales, scale)
  const isOfItsScale = !isScaled && Object.hasOwn(scales, ownScale)
  // Two million and a half may be two million, and half of something, in figures too.
  if (
    isOfItsScale ? figure !== `1${'0'.repeat(scales[ownScale as keyof typeof scales])}` : /000$/.test(figure)
  )
    return null
  const number = isOfItsScale ? ['1', 'point', half.decimals, ownScale] : [`${figure}.${half.decimals}`]
  const [plain = ''] = joinNumbers(isScaled ? [...number, scale] : number, dialect)
  const said = isOfItsScale ? `1_${ownScale}` : figure
  const reading = `${said}_${half.said}${isScaled ? `_${scale}` : ''}`
  const unitAt = isScaled ? end + 4 : end + 3
  const unitEnd = withUnit(unitAt, false, grammar)
  if (unitEnd === unitAt) return { words: [`${plain}|${reading}`], end: unitAt }
  const [sum = ''] = joinNumbers([plain, ...tokens.slice(unitAt, unitEnd)], dialect)
  return { words: [`${sum}|${sum}|${sum.replace(/\d.*\d/, reading)}`], end: unitEnd }
}

/** Numbers said one after another: digits, years, times, and dollars with cents. */
function readRun(groups: readonly Group[], grammar: Grammar): Read {
  const words: string[] = []
  let pieces: string[] = []
  const endPieces = (): void => {
    const all = pieces.map(plainOf).join('')
    if (pieces.length > 1 && /^\d{3,}s?$/.test(all))
      words.push(withReadings(all, pieces.reduce<readonly string[]>(followedBy, [])))
    else words.push(...pieces)
    pieces = []
  }
  let end = groups[0]?.from ?? 0
  for (const group of groups) {
    const read = readAlone(group, grammar)
    end = read.end
    const [first = '', ...others] = read.words
    const word = group === groups.at(-1) ? first : perhapsPart(first)
    const figure = plainOf(word)
    const isPiece = others.length === 0 && /^\d{1,2}$/.test(figure)
    const isDecade = pieces.length === 1 && /^\d0s$/.test(figure)
    // Nineteen ninety-nine dollars are 1999 or 19.99 dollars.
    const isMoneyInParts = pieces.length === 1 && /^[£€$][1-9]\d$/.test(figure)
    const sum = pieces.length === 0 ? (words.at(-1) ?? '') : ''
    if (/^[£€$]\d+$/.test(sum) && /^[1-9]\d$/.test(figure)) words[words.length - 1] = `${sum}.${figure}`
    else if (isMoneyInParts) {
      const [before = ''] = pieces
      const plain = `${figure.charAt(0)}${plainOf(before)}${figure.slice(1)}`
      const readings = followedBy(readingsOf(before), word)
      // A sum with cents has a separate reading, so that two written sums are never the same.
      const withCents = readings.map((reading) => reading.replace(/[£€$]/, '$&.'))
      words.push([plain, ...readings, ...withCents].join('|'))
      pieces = []
    } else if (isPiece || isDecade) pieces.push(word)
    else {
      endPieces()
      words.push(word, ...others)
    }
    if (read.end !== group.end) break
  }
  endPieces()
  return { words, end }
}

/** Maximum number of readings of a long run of figures. */
const maxReadings = 16

function followedBy(before: readonly string[], piece: string): readonly string[] {
  const after = readingsOf(piece)
  if (before.length === 0) return after
  return before.flatMap((start) => after.map((next) => `${start}_${next}`)).slice(0, maxReadings)
}

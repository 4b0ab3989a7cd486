import { lazily } from '#prelude'
import { type Stage, wordStage } from '../profile.ts'
import { border, formMark } from '../readings.ts'
import {
  isFigure,
  isGroup,
  isWhole,
  joinGroups,
  joinPair,
  joinYears,
  type Pair,
  startsWithDigit,
} from './figure-joining.ts'
import { type CountedForms, formChooser, listForms } from './language-file.ts'
import type { CountedWords, NumberWords } from './language-schema.ts'
import {
  type NumberPart,
  type NumberReading,
  type NumberSplitter,
  partsFinder,
  readNext,
  readValue,
  startNumber,
} from './number-reading.ts'

/** Whether a unit is written with marks: `km/h`, `st.c`. */
export const hasMarks = /[./]/

/** A stage that writes numbers as figures, whether they were said or written. */
export function spokenFigureStage(
  language: string,
  decimal: ',' | '.',
  words: NumberWords,
  counted: CountedWords,
  signForms: readonly CountedForms[],
  example: Stage['example'],
): Stage {
  const rules = lazily(() => prepare(language, decimal, words, counted, signForms))
  return wordStage({
    name: 'numbers',
    does: 'Number words become figures; units are written out; sums and times get one form.',
    example,
    settings: JSON.stringify([words, counted]),
    concerns(token) {
      const { partsOf, markedUnits } = rules()
      return isFigure(token) || partsOf(token) !== null || markedUnits.has(token)
    },
    applyToWords(tokens) {
      const numberRules = rules()
      return finished(spokenNumbers(withWritten(tokens), numberRules), numberRules)
    },
  })
}

/** Adds a last token of all numbers that are figures already: once words are figures too, nothing else says which were written. */
function withWritten(tokens: readonly string[]): readonly string[] {
  if (tokens.at(-1)?.startsWith(formMark) === true) return tokens
  return [...tokens, formMark + joinGroups(tokens).filter(isWhole).join(formMark)]
}

/** The numbers of such a token; null for any other. */
export function writtenNumbers(token: string | undefined): readonly string[] | null {
  return token?.startsWith(formMark) === true ? token.slice(1).split(formMark) : null
}

interface Rules {
  readonly words: NumberWords
  readonly decimal: ',' | '.'
  readonly partsOf: NumberSplitter
  readonly points: ReadonlySet<string>
  readonly decimalParts: ReadonlyMap<string, number>
  readonly units: ReadonlyMap<string, CountedForms>
  readonly markedUnits: ReadonlySet<string>
  readonly choose: (forms: CountedForms, figure: string) => string
  readonly counted: ReadonlySet<string>
  readonly numbered: ReadonlySet<string>
  readonly ordinalBefore: ReadonlySet<string>
  readonly perhapsOrdinalBefore: ReadonlySet<string>
  readonly pairs: readonly Pair[]
}

function prepare(
  language: string,
  decimal: Rules['decimal'],
  words: NumberWords,
  counted: CountedWords,
  signForms: readonly CountedForms[],
): Rules {
  const units = new Map(Object.entries(counted.units))
  const pairs = (counted.pairs ?? []).map(
    ({ whole, part, between, largest }): Pair => ({
      whole: new Set(whole),
      part: new Set(part),
      between: new Set(between),
      largest: Number(largest),
    }),
  )
  const unitForms = [...units.values(), ...signForms]
    .flatMap(listForms)
    .flatMap((form) => form.split('/'))
    .map((form) => form.split(' ')[0] as string)
  const pairForms = pairs.flatMap(({ whole, part }) => [...whole, ...part])
  return {
    words,
    decimal,
    partsOf: partsFinder(words),
    points: new Set(counted.points),
    decimalParts: new Map(
      Object.entries(counted.decimalParts ?? {}).map(([word, count]) => [word, Number(count)]),
    ),
    units,
    markedUnits: new Set([...units.keys()].filter((unit) => hasMarks.test(unit))),
    choose: formChooser(language),
    counted: new Set([
      ...unitForms,
      ...pairForms,
      ...(counted.nouns ?? []),
      ...(counted.ordinalBefore ?? []),
    ]),
    numbered: new Set(counted.numbered),
    ordinalBefore: new Set(counted.ordinalBefore),
    perhapsOrdinalBefore: new Set(counted.perhapsOrdinalBefore),
    pairs,
  }
}

/** The tokens with every number as a figure. */
function spokenNumbers(tokens: readonly string[], rules: Rules): string[] {
  const written: string[] = []
  let at = 0
  while (at < tokens.length) {
    const found = readNumber(tokens, at, rules)
    if (found === null) {
      written.push(tokens[at] as string)
      at += 1
    } else if (found.isWeak && !isCounted(tokens, at, found.end, written, rules)) {
      written.push(...tokens.slice(at, found.end))
      at = found.end
    } else {
      // Twenty three hundred are two numbers, and 20 300 written in figures is one.
      if (!startsWithDigit(tokens[at]) && isGroup(found.figure) && isWhole(written.at(-1)))
        written.push(border)
      written.push(
        isSaidDay(tokens, at, found, rules)
          ? `${found.figure}${formMark}${tokens.slice(at, found.end).join('')}`
          : found.figure,
      )
      at = found.end
    }
  }
  return written
}

/** Three May in words is no third of May, which a figure may be. */
function isSaidDay(
  tokens: readonly string[],
  at: number,
  { figure, end }: FoundNumber,
  { ordinalBefore }: Rules,
): boolean {
  if (!isWhole(figure) || !ordinalBefore.has(tokens[end] ?? '')) return false
  return !tokens.slice(at, end).some(startsWithDigit)
}

interface FoundNumber {
  readonly figure: string
  readonly end: number
  readonly isWeak: boolean
}

function isCounted(
  tokens: readonly string[],
  at: number,
  end: number,
  written: readonly string[],
  { counted, numbered, units, points, partsOf }: Rules,
): boolean {
  const next = tokens[end] ?? ''
  const before = written.at(-1) ?? ''
  return (
    counted.has(next) ||
    units.has(next) ||
    points.has(before) ||
    numbered.has(before) ||
    isAmongDigits(tokens, at, written, partsOf) ||
    (points.has(next) && (isFigure(tokens[end + 1]) || partsOf(tokens[end + 1] ?? '') !== null))
  )
}

/** One one two: articles alone are no numbers, but among two digits they are. */
function isAmongDigits(
  tokens: readonly string[],
  at: number,
  written: readonly string[],
  partsOf: Rules['partsOf'],
): boolean {
  const isDigit = (token = ''): boolean => {
    const [part, ...others] = partsOf(token) ?? []
    return part !== undefined && others.length === 0 && part.value < 10 && part.ordinal === null
  }
  const [last, secondLast] = written
    .filter((token) => token !== border)
    .slice(-2)
    .reverse()
  const before = [last, secondLast].findIndex((token) => !/^\d$/.test(token ?? ''))
  const rest = tokens
    .slice(at + 1, at + 5)
    .filter((token) => token !== border)
    .slice(0, 2)
  const after = rest.findIndex((token) => !isDigit(token))
  return (before < 0 ? 2 : before) + (after < 0 ? rest.length : after) >= 2
}

function readNumber(tokens: readonly string[], at: number, rules: Rules): FoundNumber | null {
  const whole = readWhole(tokens, at, rules)
  if (whole === null || whole.ordinal !== null) {
    return whole === null ? null : { ...whole, figure: whole.figure + whole.ordinal + formOf(whole) }
  }
  if (whole.form !== '') return { ...whole, figure: whole.figure + formOf(whole) }
  if (!isWhole(whole.figure) || !rules.points.has(tokens[whole.end] ?? '')) return whole
  const parts = readParts(tokens, whole.end + 1, rules)
  if (parts !== null)
    return { figure: `${whole.figure}${rules.decimal}${parts.digits}`, end: parts.end, isWeak: false }
  let digits = ''
  let end = whole.end + 1
  for (;;) {
    const next = readWhole(tokens, end, rules, 1000)
    if (next === null || next.ordinal !== null || !isWhole(next.figure)) break
    digits += next.figure
    end = next.end
  }
  if (digits === '') return whole
  const figure = `${whole.figure}${rules.decimal}${digits}`
  const scaled = readWhole([figure, ...tokens.slice(end)], 0, rules)
  return scaled === null || scaled.end === 1
    ? { figure, end, isWeak: false }
    : { ...scaled, end: end + scaled.end - 1, isWeak: false }
}

/** Three whole five tenths: the decimals as one number, before the word for how many they are. */
function readParts(
  tokens: readonly string[],
  at: number,
  rules: Rules,
): { readonly digits: string; readonly end: number } | null {
  if (rules.decimalParts.size === 0) return null
  const ahead = tokens.slice(at, at + 4)
  const end = ahead.findIndex((token) => rules.decimalParts.has(token))
  const count = rules.decimalParts.get(ahead[end] ?? '')
  const number = readWhole(ahead.slice(0, Math.max(0, end)), 0, rules)
  if (count === undefined || number === null || number.end !== end || !isWhole(number.figure)) return null
  return number.figure.length > count
    ? null
    : { digits: number.figure.padStart(count, '0'), end: at + end + 1 }
}

interface FoundWhole extends FoundNumber {
  readonly ordinal: NumberPart['ordinal']
  readonly form: string
}

function formOf({ form }: FoundWhole): string {
  return form === '' ? '' : formMark + form
}

/**
 * The longest number that begins at a token, without what is said after a point.
 *
 * @param below parts that are larger end it: after a point, thousands multiply the whole
 */
function readWhole(tokens: readonly string[], at: number, rules: Rules, below?: number): FoundWhole | null {
  const first = tokens[at]
  if (first === undefined) return null
  const isInDigits = startsWithDigit(first)
  if (!isInDigits && rules.partsOf(first) === null) return null
  if (isInDigits && isOrdinal(first) && isWhole(first.slice(0, -1)))
    return {
      figure: first.slice(0, -1),
      ordinal: first.endsWith('ª') ? 'ª' : 'º',
      form: '',
      end: at + 1,
      isWeak: false,
    }
  const isWritten = isInDigits && isFigure(first)
  let reading = startNumber(isWritten ? Number(first.replace(',', '.')) : null)
  const start = isWritten ? at + 1 : at
  let end = start
  for (;;) {
    const longer = withNext(reading, tokens, end, rules, at, below)
    if (longer === null) break
    reading = longer.reading
    end = longer.end
  }
  const value = readValue(reading)
  if (value === null) return null
  // What is not whole after all stays as it is: 2,55 thousandths.
  if (isWritten && (end === start || !Number.isInteger(value)))
    return { figure: first, ordinal: null, form: '', end: at + 1, isWeak: false }
  const { ordinal, isWeak } = reading
  const form = reading.isGendered && rules.points.has(tokens[end] ?? '') ? '' : reading.form
  return { figure: String(value), ordinal, form, end, isWeak }
}

function withNext(
  reading: NumberReading,
  tokens: readonly string[],
  at: number,
  { words, partsOf }: Rules,
  start: number,
  below: number | undefined,
): { readonly reading: NumberReading; readonly end: number } | null {
  const attempt = (index: number, isLinked: boolean): NumberReading | null => {
    const parts = partsOf(tokens[index] ?? '')
    const isTooLarge = below !== undefined && parts?.some(({ value }) => value >= below)
    return parts === null || isTooLarge === true ? null : readNext(reading, parts, isLinked, words)
  }
  const direct = attempt(at, false)
  if (direct !== null) return { reading: direct, end: at + 1 }
  if (at === start || words.and?.word !== tokens[at]) return null
  const linked = attempt(at + 1, true)
  return linked === null ? null : { reading: linked, end: at + 2 }
}

function finished(tokens: readonly string[], rules: Rules): readonly string[] {
  const { words } = rules
  let result = asOrdinals(tokens, rules)
  result = withUnits(result, rules)
  for (const pair of rules.pairs) result = joinPair(result, pair)
  if (words.saysYearsInPairs === 'true') result = joinYears(result)
  return joinGroups(result)
}

function isOrdinal(figure: string): boolean {
  return figure.endsWith('º') || figure.endsWith('ª')
}

function asOrdinals(
  tokens: readonly string[],
  { ordinalBefore, perhapsOrdinalBefore }: Rules,
): readonly string[] {
  if (ordinalBefore.size === 0) return tokens
  const written = writtenNumbers(tokens.at(-1))
  return tokens.map((token, at) => {
    if (!isWhole(token) || written?.includes(token) === false) return token
    const next = tokens[at + 1] ?? ''
    if (ordinalBefore.has(next)) return `${token}º`
    return perhapsOrdinalBefore.has(next) ? `${token}${border}${token}º` : token
  })
}

/** A unit without a number has the form that it has after five. */
const five = '5'

function withUnits(tokens: readonly string[], { units, markedUnits, choose }: Rules): readonly string[] {
  const written: string[] = []
  for (const [at, token] of tokens.entries()) {
    const before = tokens[at - 1]
    const count = isFigure(before) && !isOrdinal(before) ? before : null
    const forms = count !== null || markedUnits.has(token) ? units.get(token) : undefined
    if (forms === undefined) written.push(token)
    else
      written.push(
        ...choose(forms, count ?? five)
          .replaceAll('/', border)
          .split(' '),
      )
  }
  return written
}

import { lazily } from '#prelude'
import { rewriteOf } from '../needed-texts.ts'
import type { Stage } from '../profile.ts'
import { border, saidDigitsMark, saidWholeMark } from '../readings.ts'
import { patternOf } from './language-file.ts'
import type { NumberWords, UnspacedNumbers } from './language-schema.ts'
import { isLong, keepUnspacedEnds } from './number-ends.ts'
import {
  type NumberLexicon,
  type NumberPart,
  type NumberSplitter,
  readLexicon,
  readNext,
  readValue,
  startNumber,
  startSplitter,
} from './number-reading.ts'
import { withoutLooseSpaces } from './script-forms.ts'
import { addresses, mayHoldAddress, where } from './written-figures.ts'

/** A stage that gives numbers one form in a text without spaces: words up to ten, figures above. */
export function unspacedFigureStage(numbers: UnspacedNumbers, example: Stage['example']): Stage {
  const reader = lazily(() => numberReader(numbers))
  return {
    name: 'numbers',
    does: 'Numbers above ten become figures, others words; times, per cent, currencies and units get one form.',
    example,
    settings: JSON.stringify(numbers),
    apply: (text) => reader()(text),
  }
}

/**
 * A stage that drops the borders between numbers, once no number is read any more; without spaces, figures stay apart. How
 * numbers were said, which the end of the text holds until then, is at the numbers afterwards.
 */
export function numberEndStage({
  hasSpaces,
  small = [],
  digits: characters = {},
  writesFigures,
}: UnspacedNumbers): Stage {
  const [betweenFigures, between] = hasSpaces === 'true' ? [' ', ' '] : ['、', '']
  const words = new Map([
    ...Object.entries(characters).map(([word, digit]) => [digit, word] as const),
    ...small.map((word, value) => [String(value), word] as const),
  ])
  return {
    name: 'number ends',
    does: 'What marks ended a number goes; two figures stay apart.',
    example: [`20${border}100${border}a`, `20${betweenFigures}100${between}a`],
    apply(all) {
      const { text, wholes, digits } = withoutSaid(all)
      const ended = text.includes(border)
        ? text
            .replace(new RegExp(`(?<=\\d) ?${border} ?(?=\\d)`, 'g'), betweenFigures)
            .replace(new RegExp(` ?${border} ?`, 'g'), between)
        : text
      if (writesFigures === 'true' || wholes.size + digits.size === 0) return ended
      return ended.replace(longFigure, (figure) => {
        if (wholes.has(figure)) return figure + saidWholeMark
        if (!digits.has(figure)) return figure
        const said = Array.from(figure, (digit) => words.get(digit) ?? digit)
        return [figure, said.join(hasSpaces === 'true' ? ' ' : ''), ''].join(saidDigitsMark)
      })
    },
  }
}

/** Matches figures of three or more digits, which may have been said one by one. */
const longFigure = /(?<![\d.])\d{3,}(?![\d.])/g

/** A text without its last word, which lists the numbers that were said as a whole and those that were said digit by digit. */
interface WithSaid {
  readonly text: string
  readonly wholes: Set<string>
  readonly digits: Set<string>
}

const saidAtEnd = new RegExp(` ?((?:[${saidWholeMark}${saidDigitsMark}]\\d+)+)$`)

function withoutSaid(all: string): WithSaid {
  const [end, list = ''] = saidAtEnd.exec(all) ?? ['']
  const of = (mark: string): Set<string> =>
    new Set(Array.from(list.matchAll(new RegExp(`${mark}(\\d+)`, 'g')), ([, figure = '']) => figure))
  return {
    text: all.slice(0, all.length - end.length),
    wholes: of(saidWholeMark),
    digits: of(saidDigitsMark),
  }
}

function withSaid({ text, wholes, digits }: WithSaid): string {
  const all = [
    ...Array.from(wholes, (figure) => saidWholeMark + figure),
    ...Array.from(digits, (figure) => saidDigitsMark + figure),
  ]
  return all.length === 0 ? text : `${text} ${all.join('')}`
}

/** Digits that are written with spaces between them: 2 0 2 4. */
const digitsApart = /(?<!\d)\d(?: \d){2,}(?!\d)/g
const timesSign = /(?<=\d) ?[*x] ?(?=\d)/g
const divisionSign = /(?<=\d) \/ (?=\d)/g
/** A mark that ends a figure. It is looked for before spaces go, so that 20. 5 does not become a decimal. */
const endOfFigure = /(?<=\d)[.,:;] +(?=\d)/g

function numberReader(numbers: UnspacedNumbers): (text: string) => string {
  const { words, small = [] } = numbers
  const [forms, finalForms] = [numbers.forms, numbers.finalForms ?? []].map((all) =>
    all.map(({ pattern, to }) => rewriteOf(patternOf(pattern), to)),
  ) as [Rewrite[], Rewrite[]]
  const tabled = tabledForms(numbers)
  const withAddresses = where(mayHoldAddress, addresses({}))
  const { lexicon, piece, amount } = vocabulary(numbers)
  const run = numbers.runs === undefined ? new RegExp(`(?:${piece})+`, 'gu') : patternOf(numbers.runs)
  const gap = numbers.hasSpaces === 'true' ? ' ?' : ''
  const scaled = new RegExp(`(?:${amount})(?:${gap}${amount})*(?:\\d{1,4}(?![\\d.]))?`, 'gu')
  const single = new RegExp(amount, 'gu')
  const sum = (all: string): string => {
    const rest = /\d*$/.exec(all)?.[0] ?? ''
    let value = Number(rest)
    for (const [, figure, scale = ''] of all.matchAll(single))
      value += Number(figure) * (lexicon.get(scale)?.value ?? 1)
    return Number.isInteger(value) ? String(value) : all
  }
  const split = startSplitter(words)
  const digitByDigit = readOut(numbers, lexicon)
  const decimals = readDecimals(numbers, split)
  const keepEnds = keepUnspacedEnds(piece, numbers.hasSpaces === 'true' ? ` ${border} ` : border)
  return (all) => {
    const { text, wholes, digits } = withoutSaid(all)
    const asWhole = (figure: string): string => {
      if (isLong(figure)) wholes.add(figure)
      return figure
    }
    const named = withAddresses(text).replace(timesSign, '×').replace(divisionSign, '÷')
    const joined =
      numbers.hasSpaces === 'true'
        ? named
        : withoutLooseSpaces(
            named.replace(digitsApart, (all) => all.replaceAll(' ', '')).replace(endOfFigure, border),
          )
    const has = numbers.runs !== undefined || run.test(joined) || /\d/.test(joined)
    run.lastIndex = 0
    if (!has) return withSaid({ text: joined, wholes, digits })
    const formed = forms.reduce(
      (result, rewrite) => rewrite(result),
      joined.replace(/(?<=\d),(?=\d{3}(?!\d))/g, ''),
    )
    const counted = tabled.reduce((result, [pattern, said]) => result.replace(pattern, said), formed)
    const read = decimals(digitByDigit(keepEnds(counted), digits))
      .replace(run, (number) => {
        const figure = figureOf(split(number.replaceAll(' ', '')), words)
        return figure === null ? number : asWhole(figure)
      })
      .replace(scaled, (number) => asWhole(sum(number)))
    const written = finalForms
      .reduce((result, rewrite) => rewrite(result), read)
      .replace(/(?<!\d|\d\.)(?:10|\d)(?!\d|\.\d)/g, (figure) => small[Number(figure)] ?? figure)
    return withSaid({ text: written, wholes, digits })
  }
}

type Said = ReadonlyMap<string, string>
type Form = readonly [pattern: RegExp, said: (...parts: string[]) => string]

/** Signs after and before a number, and units, with what is said for them. */
function tabledForms({ signs, units }: UnspacedNumbers): readonly Form[] {
  const number = '(\\d+(?:\\.\\d+)?)'
  const signForms: Said = new Map(Object.entries(signs))
  const unitForms: Said = new Map(Object.entries(units))
  const longestFirst = (forms: Said, written: (key: string) => string): string =>
    `(${[...forms.keys()]
      .sort((a, b) => b.length - a.length)
      .map(written)
      .join('|')})`
  const around = (count: string, said = ''): string =>
    said.includes('#') ? said.replace('#', count) : `${count}${said}`
  const sign = longestFirst(signForms, escaped)
  const unit = longestFirst(unitForms, (key) => `${startOf(key)}${escaped(key)}${endOf(key)}`)
  return [
    [new RegExp(`${number} ?${sign}`, 'gu'), (_, count = '', key = '') => around(count, signForms.get(key))],
    [new RegExp(`${sign} ?${number}`, 'gu'), (_, key = '', count = '') => around(count, signForms.get(key))],
    [new RegExp(`${number} ?${unit}`, 'gu'), (_, count = '', key = '') => around(count, unitForms.get(key))],
  ]
}

/** What may not come before a unit: 2G to 6G are networks, and no grams. */
function startOf(unit: string): string {
  return unit === 'g' ? '(?<!(?<![\\d.])[2-6])' : ''
}

/** What ends an abbreviation: its stop, or no further letter of its script. */
function endOf(unit: string): string {
  if (unit.endsWith('.')) return '(?!\\p{L}\\.)'
  return /[a-z]\d?$/.test(unit) ? '(?![a-z\\d])' : '(?![\\p{L}\\p{M}])'
}

function escaped(text: string): string {
  return text.replaceAll(/[$.]/g, '\\$&')
}

interface Vocabulary {
  readonly lexicon: NumberLexicon
  /** A word that numbers are made of, as the source of a pattern. */
  readonly piece: string
  /** A figure before a thousand and more: 3万. */
  readonly amount: string
}

function vocabulary({ words, exceptBefore }: UnspacedNumbers): Vocabulary {
  const lexicon = readLexicon(words)
  const pieces = [...lexicon.keys()].sort((a, b) => b.length - a.length)
  const guarded = (piece: string): string => {
    const next = exceptBefore?.[piece]
    return next === undefined ? piece : `${piece}(?!${next})`
  }
  const scales = pieces.filter((piece) => (lexicon.get(piece)?.value ?? 0) >= 1000)
  const amount = `(\\d+(?:\\.\\d+)?) ?(${scales.join('|')})`
  return { lexicon, piece: pieces.map(guarded).join('|'), amount }
}

/** What the reader of numbers looks for: a text that was read has none of it, unless it became a number only then. */
export function signsAmongFigures(numbers: UnspacedNumbers): readonly RegExp[] {
  const { runs, forms, finalForms = [] } = numbers
  const { lexicon, piece, amount } = vocabulary(numbers)
  const above10 = [...lexicon].filter(([, { value, needsNumber }]) => value > 10 && !needsNumber)
  const words =
    runs === undefined
      ? new RegExp(`(?:${piece}){2}|${above10.map(([word]) => word).join('|')}`, 'u')
      : patternOf(runs)
  const decimals = decimalPattern(numbers)
  const written = [
    ...[...forms, ...finalForms].map(({ pattern }) => patternOf(pattern)),
    ...tabledForms(numbers).map(([pattern]) => pattern),
  ]
  return [words, new RegExp(amount, 'u'), ...(decimals === null ? [] : [decimals]), ...written]
}

/** A figure above ten that is said with more than one word. */
function figureOf(parts: readonly NumberPart[] | null, words: NumberWords): string | null {
  // Up to ten a number stays a word.
  if (parts === null || (parts.length === 1 && parts.every(({ value }) => value <= 10))) return null
  const reading = readNext(startNumber(), parts, false, words)
  const value = reading === null ? null : readValue(reading)
  return value === null ? null : String(value)
}

type Rewrite = (text: string) => string

/** Writes digits that are said one by one, as characters or words, as figures, and adds the figures to a set. */
function readOut(
  { digits, afterDigits = '', hasSpaces }: UnspacedNumbers,
  lexicon: NumberLexicon,
): (text: string, read: Set<string>) => string {
  if (digits === undefined && hasSpaces === 'true') return (text) => text
  const ones = [...lexicon].filter(([, { value }]) => value < 10)
  const figures = digits ?? Object.fromEntries(ones.map(([word, { value }]) => [word, String(value)]))
  const all = Object.keys(figures).sort((a, b) => b.length - a.length)
  const one = `(?:${all.join('|')})`
  const larger = [...lexicon].filter(([, { value }]) => value >= 10).map(([word]) => word)
  const others = digits === undefined ? larger.join('|') : '[十百千万亿億]'
  const two = afterDigits === '' ? '' : `|${one}{2}(?=${afterDigits})`
  const [start, end] = hasSpaces === 'true' ? ['(?<!\\p{L})', '(?!\\p{L})'] : ['', '']
  const apart = hasSpaces === 'true' ? `|${one}(?: ${one}){2,}` : ''
  const run = `${one}{3,}${apart}${two}`
  const pattern = new RegExp(`${start}(?<!${others}|${one})(?:${run})(?!${others})${end}`, 'gu')
  const each = new RegExp(one, 'gu')
  return (text, read) =>
    text.replace(pattern, (said) => {
      const figure = said.replaceAll(' ', '').replace(each, (digit) => figures[digit] ?? digit)
      if (isLong(figure)) read.add(figure)
      return figure
    })
}

/** Null for a language whose decimals are not read. */
function decimalPattern({ digits, point, notAfterPoint = '', hasSpaces }: UnspacedNumbers): RegExp | null {
  if (point === undefined || digits === undefined) return null
  const one = `[${Object.keys(digits).join('')}\\d]`
  const [scale, gap] = ['十百千십백천', hasSpaces === 'true' ? ' ?' : '']
  const [whole, decimals] = [`(?:(?:${one}|[${scale}])${gap})+`, `${one}(?:${gap}${one})*`]
  return new RegExp(
    `(${whole})${point}${gap}(${decimals})(?!${gap}(?:${one}|[${scale}${notAfterPoint}]))`,
    'gu',
  )
}

function readDecimals(numbers: UnspacedNumbers, split: NumberSplitter): Rewrite {
  const { digits = {}, words } = numbers
  const pattern = decimalPattern(numbers)
  if (pattern === null) return (text) => text
  return (text) =>
    text.replace(pattern, (all, front: string, rest: string) => {
      const [whole, decimals] = [front.replaceAll(' ', ''), rest.replaceAll(' ', '')]
      const said = whole.length === 1 ? digits[whole] : figureOf(split(whole), words)
      const before = /^\d+$/.test(whole) ? whole : said
      return before === null || before === undefined
        ? all
        : `${before}.${Array.from(decimals, (digit) => digits[digit] ?? digit).join('')}`
    })
}

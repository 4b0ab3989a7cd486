import { lazily } from '#prelude'
import { type Stage, wordStage } from '../profile.ts'
import { border, formMark, halfMark, possibleBorder, saidWholeMark } from '../readings.ts'
import { isWhole, startsWithDigit } from './figure-joining.ts'
import type { FigureSigns, NumberWords } from './language-schema.ts'
import { partsFinder, readLexicon } from './number-reading.ts'
import { writtenNumbers } from './spoken-figures.ts'

/** Marks that end a number: vingt. Cinq, five, five. */
const endMarks = '.,;:!?…()/–—‐،؛؟۔।、。'
const anyEndMark = new RegExp(`[${endMarks}-]`)

/**
 * Keeps until the numbers are read that a mark ended one: vingt. Cinq is no 25, and 1, 2, 3 no 123.
 *
 * @param phrases of which some make one word of a number
 * @returns a text with a border between two numbers that a mark parts
 */
export function keepNumberEnds(
  words: NumberWords,
  phrases: Readonly<Record<string, string>>,
): (text: string) => string {
  const partsOf = lazily(() => partsFinder(words))
  // The last words of numbers that are several words until phrases are read: the mươi of hai mươi.
  const lastWords = lazily(() => {
    const lexicon = readLexicon(words)
    const numbers = Object.entries(phrases).filter(([from, to]) => from.includes(' ') && lexicon.has(to))
    return new Set(numbers.map(([from]) => from.slice(from.lastIndexOf(' ') + 1)))
  })
  const mayBegin = lazily(() => {
    const { and, compounds } = words
    return beginningOf([...readLexicon(words).keys(), ...(compounds?.linkers ?? []), and?.word ?? ''])
  })
  return (text) => {
    const find = partsOf()
    const isNumber = (word: string): boolean =>
      startsWithDigit(word) || find(word) !== null || lastWords().has(word)
    // Millions are no number without one before them.
    const beginsNumber = (word: string): boolean =>
      startsWithDigit(word) || word === words.and?.word || find(word)?.[0]?.needsNumber === false
    let written = ''
    let done = 0
    for (let mark = nextEndMark(text, 0); mark < text.length; ) {
      const { from, until } = gapAround(text, mark)
      mark = nextEndMark(text, until)
      if (until === text.length || !mayBegin()(text, until) || !canEnd(text, from, until, words)) continue
      if (!beginsNumber(text.slice(until, wordEnd(text, until)))) continue
      if (!isNumber(text.slice(wordStart(text, from), from))) continue
      written += `${text.slice(done, from)} ${border} `
      done = until
    }
    return done === 0 ? text : written + text.slice(done)
  }
}

/** Whether a figure, or a word with the first two letters of any of some words, is at a place of a text. */
function beginningOf(words: readonly string[]): (text: string, at: number) => boolean {
  const beginnings = new Set(words.map((word) => pairAt(word, 0)))
  const letters = new Set(words.filter(({ length }) => length === 1).map((word) => word.charCodeAt(0)))
  return (text, at) =>
    beginnings.has(pairAt(text, at)) || isDigit(text, at) || letters.has(text.charCodeAt(at))
}

function pairAt(text: string, at: number): number {
  return text.charCodeAt(at) * 0x10000 + text.charCodeAt(at + 1)
}

function nextEndMark(text: string, from: number): number {
  let at = from
  while (at < text.length && kinds[text.charCodeAt(at)] !== endsNumber) at += 1
  return at
}

/** What is between the words around a mark. */
function gapAround(text: string, at: number): { readonly from: number; readonly until: number } {
  let from = at
  while (from > 0 && !isInWord(text.charCodeAt(from - 1))) from -= 1
  let until = at + 1
  while (until < text.length && !isInWord(text.charCodeAt(until))) until += 1
  return { from, until }
}

function wordEnd(text: string, from: number): number {
  let end = from
  while (end < text.length && (isInWord(text.charCodeAt(end)) || text.charAt(end) === "'")) end += 1
  return end
}

function wordStart(text: string, end: number): number {
  let start = end
  while (start > 0 && (isInWord(text.charCodeAt(start - 1)) || text.charAt(start - 1) === "'")) start -= 1
  return start
}

/** Whether what is between two words ends a number: no decimal mark, and no hyphen where those join number words. */
function canEnd(text: string, from: number, until: number, { joinedByHyphen }: NumberWords): boolean {
  if (from === 0) return false
  if (until - from > 1) return true
  const mark = text.charAt(from)
  if (mark === '-' || mark === '‐') return joinedByHyphen !== 'true'
  return !((mark === '.' || mark === ',') && isDigit(text, from - 1) && isDigit(text, until))
}

function isDigit(text: string, at: number): boolean {
  return startsWithDigit(text.charAt(at))
}

/** Letters, figures, and their marks; of a UTF-16 code unit of a text in small letters. */
function isInWord(code: number): boolean {
  if (kinds[code] === unknown)
    kinds[code] = inWord.test(String.fromCharCode(code)) ? partOfWord : betweenWords
  return kinds[code] === partOfWord
}

const inWord = /[a-z\dªº]|[^\0-¿\p{P}\p{S}\p{Z}\p{C}]/u
/** The kind of each code unit, because a pattern takes many times as long as to look it up. */
const kinds = new Uint8Array(0x10000)
const [unknown, partOfWord, betweenWords, endsNumber] = [0, 1, 2, 3]
for (const mark of `${endMarks}-`) kinds[mark.charCodeAt(0)] = endsNumber

/** A border in scripts without spaces, where any of some pieces of numbers are on both sides of a mark. */
export function keepUnspacedEnds(piece: string, written: string): (text: string) => string {
  const between = new RegExp(
    `(?<=\\d|${piece})(?!(?<=\\d)[.-](?=\\d))\\s*[${endMarks}-][\\s${endMarks}-]*(?=\\d|${piece})`,
    'gu',
  )
  return (text) => (anyEndMark.test(text) ? text.replace(between, written) : text)
}

/**
 * A stage that joins digits that are said one by one, and drops the borders. Where they are no telephone number, they may have
 * been counted: `1 2 3` is 123 and 1, 2, 3. Of a word with a border in it, either side may be said: `kilogramoꞏkilo`, `ꞏto`.
 */
export function spokenDigitStage(
  numbers: NumberWords,
  { halves = [], plus = 'plus' }: Partial<FigureSigns>,
): Stage {
  const { hearsForms } = numbers
  const forms = lazily(() => formsOfNumbers(numbers))
  const saysForms = lazily(() => formSayer(numbers, forms()))
  const scales = lazily(() =>
    [...readLexicon(numbers)].filter(([, { value, ordinal }]) => ordinal === null && value >= 1000),
  )
  const pluses = [plus, ...plus.split(border)]
  return wordStage({
    name: 'digits',
    does: 'Digits that are said one by one are one number too, as a telephone number in groups is, unless marks part them.',
    example: ['1 2 3 or 0171 123', '123|123|1_2_3 or 0171123|0171123|0_1_7_1_1_2_3|0_171_123'],
    ...(halves.length === 0 ? {} : { settings: halves }),
    concerns: (word) =>
      word.includes(border) ||
      word.includes(formMark) ||
      isDigits(word) ||
      isLong(word) ||
      pluses.includes(word),
    applyToWords(all) {
      const figures = writtenNumbers(all.at(-1))
      const words = figures === null ? all : all.slice(0, -1)
      const withForms = hearsForms === undefined ? null : saysForms()(words, figures ?? [])
      const isSaid = lazily(() => saidAmong(words, figures ?? []))
      const written: string[] = []
      for (let at = 0; at < words.length; ) {
        const word = words[at] as string
        const run = digitRun(
          words,
          at,
          pluses.includes(words[at - 1] ?? '') && !startsWithDigit(words[at - 2]),
        )
        if (run.length > 0) {
          const digits = run.join('')
          const inGroups = run.map((group) => group.replace(/^0(?=\d)/, '0_')).join('_')
          written.push(sayable([...new Set([digits, [...digits].join('_'), inGroups])]))
        } else if (words[at - 1] === halfMark && /^\d+(?:[.,]5)?$/.test(word)) {
          const readings = /[.,]5$/.test(word)
            ? [word.slice(0, -2), ...(hearsForms === undefined ? [] : forms()(word.slice(0, -2)))].flatMap(
                (whole) => sayHalf(whole, halves),
              )
            : sayScaledHalf(Number(word), halves, scales())
          written.push(sayable([word, ...readings]))
        } else if (word !== border && word !== halfMark) {
          const readings = (startsWithDigit(word) ? (withForms?.(at) ?? word) : word)
            .replaceAll(possibleBorder, '_')
            .split(border)
          const only = readings[0] as string
          written.push(
            readings.length > 1
              ? sayable(readings)
              : isLong(only) && isSaid()(only)
                ? only + saidWholeMark
                : only,
          )
        }
        at += Math.max(1, run.length)
      }
      return written
    },
  })
}

/** A figure that may be said as an ordinal. */
const perhapsOrdinal = new RegExp(`^(\\d+)${border}\\d+º$`)

type FormsOf = (figure: string) => readonly string[]

/** The forms in which a number or an ordinal may be said. */
function formsOfNumbers(words: NumberWords): FormsOf {
  const forms = Map.groupBy(
    [...readLexicon(words)].filter(([, { form }]) => form !== undefined),
    ([, { value, ordinal }]) => `${value}${ordinal ?? ''}`,
  )
  const endsByFigure = new Map<string, readonly string[]>()
  return (figure) => {
    const before = endsByFigure.get(figure)
    if (before !== undefined) return before
    const ordinal = /[ºª]$/.exec(figure)?.[0] ?? ''
    const last = lastParts(Number.parseInt(figure, 10), words.isInverted).find((values) =>
      values.some((value) => forms.has(`${value}${ordinal}`)),
    )
    const all = (last ?? [])
      .flatMap((value) => forms.get(`${value}${ordinal}`) ?? [])
      .map(([word]) => `${figure}${formMark}${word}`)
    if (endsByFigure.size < 10_000) endsByFigure.set(figure, all)
    return all
  }
}

/**
 * Adds to figures that were written the forms in which they may be said. Where the same number is a word too, nothing says which of
 * both a figure was, and it has none.
 */
function formSayer(
  words: NumberWords,
  formsOf: FormsOf,
): (tokens: readonly string[], written: readonly string[]) => (at: number) => string {
  const ordinalAfter = new Set(words.ordinalAfter)
  return (tokens, written) => {
    const isSaid = lazily(() => saidAmong(tokens, written))
    return (at) => {
      const token = tokens[at] as string
      const [, number, ending] = /^(\d+º?)ꞌ(\p{L}+)$/u.exec(token) ?? []
      if (number !== undefined && ending !== undefined) return withEnding(token, formsOf(number), ending)
      const [, whole] = perhapsOrdinal.exec(token) ?? []
      if (whole !== undefined)
        return [whole, ...formsOf(whole), `${whole}º`, ...formsOf(`${whole}º`)].join(border)
      // The hour of a time has forms: vinte e duas e dez, wpół do jedenastej.
      if (token.includes(possibleBorder)) {
        const readings = token.split(border)
        const further = readings.flatMap((reading) => {
          const hours = reading.match(/\d+[ºª]/g) ?? reading.match(/\d+/g) ?? []
          return hours.flatMap((hour) => formsOf(hour).map((form) => reading.replace(hour, form)))
        })
        return [...readings, ...further].join(border)
      }
      const [ordinal = ''] = /(?<!\d)\d+[ºª](?!ꞌ)/.exec(token) ?? []
      if (ordinal !== '') return token.replace(ordinal, [ordinal, ...formsOf(ordinal)].join(border))
      if (words.hearsForms !== 'true' || !isWhole(token) || isSaid()(token)) return token
      const said = ordinalAfter.has(tokens[at - 1] ?? '') ? [`${token}º`, ...formsOf(`${token}º`)] : []
      return [token, ...formsOf(token), ...said].join(border)
    }
  }
}

/** 5:lle is viidelle: the shortest of the forms with an ending that was written. */
function withEnding(token: string, forms: readonly string[], ending: string): string {
  const [first] = forms.filter((form) => form.endsWith(ending)).sort((a, b) => a.length - b.length)
  return first ?? token
}

/** The numbers that the last word of a number can be, the longest first: 25, and 5, or 20 where that is said last. */
function lastParts(value: number, isInverted: NumberWords['isInverted']): readonly (readonly number[])[] {
  if (value > 999 && value % 1000 === 0) return [[value], ...lastParts(value / 1000, isInverted)]
  const ones = value % 10
  const tens = (value % 100) - ones
  const last =
    isInverted === undefined || ones === 0 || tens === 0
      ? [ones]
      : isInverted === 'too'
        ? [ones, tens]
        : [tens]
  return [[value], [value % 1000], [value % 100], last]
}

/** Two and a half; one and a half may have a separate word. */
function sayHalf(whole: string, halves: readonly string[]): readonly string[] {
  return halves.flatMap((half) => {
    const [only, word] = half.split('=') as [string, string?]
    if (word === undefined) return [`${whole}_${half.replaceAll(' ', '_')}`]
    return only === whole ? [word.replaceAll(' ', '_')] : []
  })
}

/** The readings of 2,5 millions: two and a half millions, or two millions and a half. */
function sayScaledHalf(
  value: number,
  halves: readonly string[],
  scales: readonly (readonly [word: string, part: { readonly value: number }])[],
): readonly string[] {
  return scales.flatMap(([word, { value: scale }]) => {
    const whole = value / scale - 0.5
    if (!Number.isInteger(whole) || whole < 1) return []
    const before = sayHalf(String(whole), halves).map((said) => `${said}_${word}`)
    return [...before, ...sayHalf(String(whole * scale), halves)]
  })
}

/** A token that may be said in any of some ways; the first stands for it alone. */
function sayable(readings: readonly string[]): string {
  return [readings[0], ...readings].join('|')
}

/** Single digits, three and more, or the groups of a telephone number, which begins with a nought or is after a plus. */
function digitRun(words: readonly string[], from: number, isAfterPlus: boolean): readonly string[] {
  const first = words[from] ?? ''
  if (!startsWithDigit(first)) return []
  const areGroups = (count: number): boolean => {
    for (let at = from + 1; at <= from + count; at += 1) if (!isWhole(words[at])) return false
    return true
  }
  const isNought = first === '0' && (words[from + 1] ?? '').length > 1
  const isTelephone =
    isWhole(first) &&
    (first.startsWith('0')
      ? first.length > 2 || ((first.length === 2 || isNought) && areGroups(isNought ? 3 : 2))
      : isAfterPlus && areGroups(1))
  if (!isTelephone && first.length > 1) return []
  const isInRun = (word = ''): boolean =>
    isTelephone ? isWhole(word) : word.length === 1 && startsWithDigit(word)
  let end = from
  while (isInRun(words[end])) end += 1
  return isTelephone || end - from > 2 ? words.slice(from, end) : []
}

/** Whether a word is a figure of three or more digits, which may have been said one by one. */
export function isLong(word: string): boolean {
  return word.length > 2 && isWhole(word)
}

/** Finds which figures were words: they occur more often among the tokens than among the written figures. */
function saidAmong(tokens: readonly string[], written: readonly string[]): (figure: string) => boolean {
  const counts = new Map<string, number>()
  for (const token of tokens) if (startsWithDigit(token)) counts.set(token, (counts.get(token) ?? 0) + 1)
  for (const figure of written) counts.set(figure, (counts.get(figure) ?? 0) - 1)
  return (figure) => (counts.get(figure) ?? 0) > 0
}

function isDigits(word: string): boolean {
  return startsWithDigit(word) && (word.length === 1 || word.startsWith('0'))
}

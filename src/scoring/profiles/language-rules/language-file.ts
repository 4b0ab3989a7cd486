import { lazily } from '#prelude'
import { simplifiedCharacters } from '../languages/chinese-characters.generated.ts'
import { border } from '../readings.ts'
import type { LanguageFile } from './language-schema.ts'
import type { NumberWords } from './number-words.ts'
import type { LetterForms } from './script-forms.ts'
import type { CountedWords } from './spoken-figures.ts'
import type { SpokenLanguage } from './spoken-language.ts'
import type { UnspacedNumbers } from './unspaced-figures.ts'
import type { FigureSigns } from './written-figures.ts'

type NumbersFile = NonNullable<LanguageFile['numbers']>
type UnspacedFile = NonNullable<LanguageFile['unspacedNumbers']>
type Rewrites = readonly (readonly [pattern: RegExp, to: string])[]
type Table = Readonly<Record<string, string | readonly string[]>>

/** The rules of a language from its file: named fields become the tables and patterns that stages read. */
export function languageRules(id: string, language: string, file: LanguageFile): SpokenLanguage {
  const { letters, numbers, unspacedNumbers, months, phrases, spellings, spaces } = file
  const read = patternReader(file.lists ?? {})
  return {
    id,
    version: Number(id.replace(/.*@/, '')),
    language,
    purpose: file.purpose,
    ...(letters === undefined ? {} : { letters: letterForms(letters, read) }),
    numbers:
      numbers === undefined
        ? null
        : {
            signs: figureSigns(numbers.signs, read),
            words: numberWords(numbers.words),
            counted: countedWords(numbers.counted, read),
          },
    ...(unspacedNumbers === undefined ? {} : { unspacedNumbers: unspaced(unspacedNumbers, read) }),
    ...(months === undefined ? {} : { months: monthTable(months) }),
    apostrophe: file.apostrophe,
    fillers: read.list(file.fillers),
    ...(phrases === undefined ? {} : { phrases: lines(phrases) }),
    ...(spellings === undefined ? {} : { spellings: lines(spellings) }),
    ...(spaces === 'none' ? { isUnspaced: true } : {}),
    ...(spaces === 'free' ? { hasFreeSpaces: true } : {}),
    examples: file.examples as unknown as SpokenLanguage['examples'],
    quirks: file.quirks ?? [],
  }
}

/** Reads patterns and lists, in which `@{months}` is a list of the file. */
function patternReader(lists: NonNullable<LanguageFile['lists']>): {
  pattern(source: string): RegExp
  rewrites(rules: readonly { readonly pattern: string; readonly to: string }[]): Rewrites
  /** One space apart. */
  list(words?: readonly string[]): string
} {
  const wordsOf = (name: string): string[] =>
    (lists[name] ?? []).flatMap((word) => {
      const other = /^@\{(\w+)\}$/.exec(word)?.[1]
      return other === undefined ? [word] : wordsOf(other)
    })
  const pattern = (source: string): RegExp => {
    const whole = source.replace(/@\{(\w+)\}/g, (_, name: string) => wordsOf(name).join('|'))
    // Patterns without classes of Unicode are faster without its mode.
    return new RegExp(whole, whole.includes('\\p{') ? 'gu' : 'g')
  }
  return {
    pattern,
    rewrites: (rules) => rules.map(({ pattern: source, to }) => [pattern(source), to]),
    list: (words = []) =>
      words
        .map((word) => word.replace(/^@\{(\w+)\}$/, (_, name: string) => wordsOf(name).join(' ')))
        .join(' '),
  }
}

type Read = ReturnType<typeof patternReader>

function letterForms(letters: NonNullable<LanguageFile['letters']>, read: Read): LetterForms {
  const { locale, drops, joined, rewrites, folds, characters } = letters
  return {
    ...(locale === undefined ? {} : { locale }),
    ...(drops === undefined ? {} : { drops: read.pattern(drops) }),
    ...(joined === undefined ? {} : { joined: Object.entries(joined) }),
    ...(rewrites === undefined ? {} : { rewrites: read.rewrites(rewrites) }),
    ...(folds === undefined ? {} : { folds: Object.entries(folds) }),
    ...(characters === undefined ? {} : { characters: characterRules[characters] }),
  }
}

function figureSigns(signs: NumbersFile['signs'], read: Read): FigureSigns {
  const {
    currencies,
    percent,
    degrees,
    celsius,
    hour,
    ordinals,
    feminineOrdinals,
    hourIsOptional,
    quarterHours,
    metre,
    datesAreOrdinal,
    romans,
    forms,
    monthNames,
    ...rest
  } = signs
  return {
    ...rest,
    currencies: formTable(currencies),
    percent: formText(percent),
    degrees: formText(degrees),
    celsius: formText(celsius),
    hour: hour === undefined ? null : formText(hour),
    ...(hourIsOptional === undefined ? {} : { hourIsOptional: true }),
    ...(quarterHours === undefined
      ? {}
      : {
          quarterHours: Object.fromEntries(
            Object.entries(quarterHours).map(([minutes, words]) => [minutes, words.join(border)]),
          ),
        }),
    ...(metre === undefined ? {} : { metre: formText(metre) }),
    ...(ordinals === undefined ? {} : { ordinals: ordinals.map(read.pattern) }),
    ...(feminineOrdinals === undefined ? {} : { feminineOrdinals: feminineOrdinals.map(read.pattern) }),
    ...(datesAreOrdinal === undefined ? {} : { datesAreOrdinal: true }),
    ...(monthNames === undefined ? {} : { monthNames: read.list(monthNames).split(' ') }),
    ...(romans === undefined
      ? {}
      : {
          romans: romans.map(
            ({ pattern, ordinalsTo = '0' }) =>
              [new RegExp(read.pattern(pattern), 'giu'), Number(ordinalsTo)] as const,
          ),
        }),
    ...(forms === undefined ? {} : { forms: read.rewrites(forms) }),
  } as FigureSigns
}

const marks = {
  words: '',
  ambiguous: '?',
  multipliers: '~',
  oblique: '!',
  gendered: '%',
  stems: '-',
} as const

function numberWords(words: NumbersFile['words']): NumberWords {
  const table = (entries: NumbersFile['words']['cardinals']): string =>
    entries
      .map(({ value, ...kinds }) => {
        const marked = Object.entries(kinds).flatMap(([kind, all]) =>
          (all ?? []).map((word) => word.replaceAll(' ', '_') + marks[kind as keyof typeof marks]),
        )
        return `${marked.join('|')}=${value}`
      })
      .join(' ')
  const fields = Object.entries(words).map(([name, value]) => {
    if (name === 'ordinalEndings') return [name, words.ordinalEndings?.join(' ')]
    if (name === 'ordinalAfter') return [name, words.ordinalAfter?.join(' ')]
    if (name === 'and')
      return [name, { ...words.and, ...(words.and?.tensNeedIt === undefined ? {} : { tensNeedIt: true }) }]
    if (Array.isArray(value)) return [name, table(value as NumbersFile['words']['cardinals'])]
    return [name, value === 'true' ? true : value]
  })
  return Object.fromEntries(fields) as NumberWords
}

function countedWords(
  {
    points,
    decimalParts,
    units,
    nouns,
    numbered,
    ordinalBefore,
    perhapsOrdinalBefore,
    pairs,
  }: NumbersFile['counted'],
  read: Read,
): CountedWords {
  return {
    points: read.list(points),
    ...(decimalParts === undefined
      ? {}
      : {
          decimalParts: Object.fromEntries(
            Object.entries(decimalParts).map(([word, count]) => [word, Number(count)]),
          ),
        }),
    units: formTable(units),
    ...(nouns === undefined ? {} : { counted: read.list(nouns) }),
    ...(numbered === undefined ? {} : { numbered: read.list(numbered) }),
    ...(ordinalBefore === undefined ? {} : { ordinalBefore: read.list(ordinalBefore) }),
    ...(perhapsOrdinalBefore === undefined ? {} : { perhapsOrdinalBefore: read.list(perhapsOrdinalBefore) }),
    ...(pairs === undefined
      ? {}
      : {
          pairs: pairs.map(({ whole, part, between, largest }) =>
            [...[whole, part, between].map((words) => words.join('|')), largest].join(','),
          ),
        }),
  }
}

function unspaced(
  { words, hasSpaces, runs, signs, units, forms, finalForms, small, ...rest }: UnspacedFile,
  read: Read,
): UnspacedNumbers {
  return {
    words: numberWords(words),
    ...rest,
    ...(hasSpaces === undefined ? {} : { hasSpaces: true }),
    ...(runs === undefined ? {} : { runs: read.pattern(runs) }),
    signs: formTable(signs),
    units: formTable(units),
    forms: read.rewrites(forms),
    ...(finalForms === undefined ? {} : { finalForms: read.rewrites(finalForms) }),
    small: small ?? [],
  } as UnspacedNumbers
}

function formText(forms: string | readonly string[]): string {
  return typeof forms === 'string' ? forms : forms.join('|')
}

function formTable(table: Table): string {
  return Object.entries(table)
    .map(([sign, forms]) => `${sign} ${formText(forms)}`)
    .join('; ')
}

function monthTable(months: NonNullable<LanguageFile['months']>): string {
  return months
    .map(({ name, ...kinds }) => {
      const short = Object.entries(kinds).flatMap(([kind, all]) =>
        (all ?? []).map((word) => (kind === 'ambiguous' ? `${word}?` : word)),
      )
      return `${short.join('|')} ${name}`
    })
    .join('; ')
}

function lines(table: Readonly<Record<string, string>>): string {
  return Object.entries(table)
    .map(([from, to]) => `\n${from}>${to}`)
    .join('')
    .concat('\n')
}

/** What is too large for a file of rules, or shorter as a rule. */
const characterRules: Readonly<Record<'simplified' | 'hiragana', () => ReadonlyMap<string, string>>> = {
  simplified: lazily(() => {
    const characters = Array.from(simplifiedCharacters)
    const pairs = characters
      .filter((_, at) => at % 2 === 0)
      .map((from, at) => [from, characters[2 * at + 1] ?? from] as const)
    return new Map(pairs)
  }),
  hiragana: lazily(
    () =>
      new Map(
        Array.from({ length: 0x30f6 - 0x30a1 + 1 }, (_, at) => [
          String.fromCharCode(0x30a1 + at),
          String.fromCharCode(0x3041 + at),
        ]),
      ),
  ),
}

import { pairTexts } from '#scoring/profiles/pairing'
import { normaliseForPair, type Profile } from '#scoring/profiles/profile'
import type { LanguagePairs } from '../../scripts/language-pairs.ts'
import { listForms } from '../../src/scoring/profiles/language-rules/language-file.ts'
import type { NumberWords } from '../../src/scoring/profiles/language-rules/language-schema.ts'
import {
  type SpokenLanguage,
  spokenLanguageProfile,
} from '../../src/scoring/profiles/language-rules/spoken-language.ts'

/** A language without one of its rules. */
export interface Mutation {
  /** Where the rule is, with its text: `phrases “zb>zum beispiel”`. */
  readonly rule: string
  readonly profile: Profile
  /** Pairs of texts that the rule makes equal, written from its own data. */
  readonly own: readonly TextPair[]
}

type TextPair = readonly [one: string, other: string]

type Data = { readonly [key: string]: unknown }

type Valued = NumberWords['cardinals'][number]

const notRules = 'id language purpose lists examples quirks decimal apostrophe loose'.split(' ')
/** Each of their entries is a rule. */
const tables = 'currencies units phrases spellings folds joined fractions digits decimalParts'.split(' ')
/** Their words are forms of one word. */
const forms = ['percent', 'degrees', 'celsius', 'hour', 'metre']
/** Left out, they leave nothing; a word becomes another word. */
const marks = ['group', 'timeMarks']
const patterns = ['drops', 'runs']
/** One of a few values, without which the usual one holds. */
const choices = ['spaces', 'characters', 'isInverted', 'hearsForms']

/** Every rule of a language removed, one at a time. */
export function* mutationsOf(rules: SpokenLanguage): Generator<Mutation> {
  const writers = pairWriters(rules)
  for (const { path, data, key, entry } of removals(rules, [])) {
    yield {
      rule: path.join(' '),
      profile: spokenLanguageProfile(rules.id.replace('@', '-less@'), () => data as SpokenLanguage),
      own: writers[key]?.(entry as never) ?? [],
    }
  }
}

/** Whether a table of pairs, or the rule's own pair, notices that the rule is gone. */
export function isNoticed(mutation: Mutation, whole: Profile, { equal, different }: LanguagePairs): boolean {
  const { profile, own } = mutation
  if (equal.some(({ one, other }) => !isEqual(one, other, profile))) return true
  if (different.some(({ one, other }) => isEqual(one, other, profile))) return true
  return own.some((pair) => isEqual(...pair, whole) && !isEqual(...pair, profile))
}

function isEqual(one: string, other: string, profile: Profile): boolean {
  const [said, heard] = [normaliseForPair(one, profile), normaliseForPair(other, profile)]
  const pair = profile.pairing === undefined ? { said, heard } : pairTexts(said, heard, profile.pairing)
  const shown = (text: string): string =>
    profile.characters === 'no-spaces' ? text.replaceAll(' ', '') : text
  return shown(pair.said) === shown(pair.heard)
}

interface Removal {
  readonly path: readonly string[]
  readonly data: unknown
  /** What was removed, and the key that it was under. */
  readonly key: string
  readonly entry: unknown
}

function* removals(value: unknown, path: readonly string[]): Generator<Removal> {
  const key = path.at(-1) ?? ''
  const named = (text: string): readonly string[] => [...path, `“${text}”`]
  if (typeof value === 'string' || forms.includes(key)) {
    const rest = patterns.includes(key) ? '(?!)' : marks.includes(key) ? '' : 'qqq'
    const isChosen = value === 'true' || choices.includes(key)
    yield { path: named(shown(value)), data: isChosen ? undefined : rest, key, entry: value }
  } else if (Array.isArray(value)) {
    for (const [at, entry] of value.entries())
      yield { path: named(shown(entry)), data: value.toSpliced(at, 1), key, entry }
  } else {
    const isTable = tables.includes(key) || path.join(' ').startsWith('unspacedNumbers signs')
    for (const [name, each] of Object.entries(value as Data)) {
      if (notRules.includes(name)) continue
      const { [name]: _, ...others } = value as Data
      if (isTable) yield { path: named(`${name}>${shown(each)}`), data: others, key, entry: [name, each] }
      else
        for (const removal of removals(each, [...path, name]))
          yield { ...removal, data: { ...(value as Data), [name]: removal.data } }
    }
  }
}

/** One line for an entry: `zwei|zwo=2`, or what it holds. */
function shown(entry: unknown): string {
  if (typeof entry === 'string') return entry
  if (Array.isArray(entry)) return entry.join('|')
  const { value, ...kinds } = entry as Data
  const all = Object.values(kinds).map(shown)
  return value === undefined ? all.join('>') : `${all.join('|')}=${value}`
}

const clockMinutes = ['05', '10', '15', '20', '25', '30', '35', '40', '45', '50', '55']

/** A way to say a time: `10 over #` of 10:10, `halv +` of 10:30. */
function clockAt(minutes: string): (way: string) => readonly TextPair[] {
  return (way) => [[`10:${minutes}`, way.replace('#', '10').replace('+', '11')]]
}

type Writers = Readonly<Record<string, (entry: never) => readonly TextPair[]>>

/** Writes what an entry says as pairs of texts, by the key that it is under. */
function pairWriters({ numbers, unspacedNumbers }: SpokenLanguage): Writers {
  const words = numbers?.words ?? unspacedNumbers?.words
  const unspaced = new Map(
    (unspacedNumbers?.words.cardinals ?? [])
      .toReversed()
      .flatMap(({ value, words: [first] = [] }) => (first === undefined ? [] : [[Number(value), first]])),
  )
  const three = unspaced.get(3) ?? ''
  const articles = (words?.cardinals ?? []).flatMap(({ value, ambiguous = [] }) =>
    value === '1' ? ambiguous : [],
  )
  const stem = (words?.ordinals ?? []).find(({ stems }) => stems !== undefined)
  const ending = words?.ordinalEndings?.[0] ?? ''
  const decimal = numbers?.signs.decimal ?? '.'
  const same = (entry: TextPair): readonly TextPair[] => [entry]
  const around = (sign: string, said: string): readonly TextPair[] => [
    [`5${sign}`, counted(5, said)],
    [`${sign}5`, counted(5, said)],
  ]
  const ordinalsAs =
    (mark: string) =>
    ({ value, words: whole = [], stems = [] }: Valued): readonly TextPair[] =>
      [...whole, ...stems.map((each) => each + ending)].map((word) => [word, value + mark])
  const formsOf = (written: string) => (said: string | readonly string[]) =>
    listForms(said).map((form): TextPair => [written, `5 ${form}`])
  return {
    phrases: same,
    spellings: same,
    folds: same,
    fractions: same,
    // Patterns that are plain letters; marks need a letter before them.
    rewrites: ({ pattern, to }: { readonly pattern: string; readonly to: string }) => [
      [`${three}${pattern}`, `${three}${to}`],
    ],
    fillers: (word: string) => [[`aa ${word} bb`, 'aa bb']],
    cardinals: ({ value, multipliers = [], ...kinds }: Valued) => [
      ...multipliers.map((word): TextPair => [`2 ${word}`, String(2 * Number(value))]),
      ...Object.values(kinds)
        .flatMap((all = []) => all)
        .flatMap((word): TextPair[] => [
          [word, value],
          [`${word} ${word} ${word}`, `${value} ${value} ${value}`],
          ...joinedWith(word, Number(value), unspaced),
        ]),
    ],
    ordinals: ordinalsAs('º'),
    feminineOrdinals: ordinalsAs('ª'),
    ordinalEndings: (own: string) =>
      stem === undefined ? [] : [[`${stem.stems?.[0]}${own}`, `${stem.value}º`]],
    months: ({ name, ...kinds }: NonNullable<SpokenLanguage['months']>[number]) => {
      const long = name.includes(' ') ? `${name} ${name.split(' ')[0]}` : name
      return Object.values(kinds)
        .flatMap((all = []) => all)
        .map((short): TextPair => [`3 ${short} 2024`, `3 ${long} 2024`])
    },
    signs: ([sign, said]: TextPair) => around(sign, said),
    units: ([sign, said]: readonly [string, string | readonly string[]]) =>
      listForms(said).flatMap((form) => [1, 2, 5].map((k): TextPair => [`${k} ${sign}`, counted(k, form)])),
    currencies: ([sign, said]: readonly [string, string | readonly string[]]) =>
      listForms(said).flatMap((form): TextPair[] => [[`5 ${sign}`, `5 ${form}`], ...around(sign, form)]),
    nouns: (word: string) => articles.map((one): TextPair => [`${one} ${word}`, `1 ${word}`]),
    numbered: (word: string) => articles.map((one): TextPair => [`${word} ${one}`, `${word} 1`]),
    ordinalBefore: (word: string) => [[`3 ${word}`, `3º ${word}`]],
    points: (word: string) => [[`3 ${word} 5`, `3${decimal}5`]],
    group: (mark: string) => [[`5${mark}000${decimal}5`, `5000${decimal}5`]],
    timeMarks: (mark: string) =>
      ['30', '05', '00'].map((minutes): TextPair => [`10${mark}${minutes}`, `10:${minutes}`]),
    ...Object.fromEntries(clockMinutes.map((minutes) => [minutes, clockAt(minutes)])),
    halves: (half: string) => {
      const [whole, only] = half.split('=') as [string, string?]
      return [only === undefined ? [`2${decimal}5`, `2 ${half}`] : [`${whole}${decimal}5`, only]]
    },
    monthNames: (name: string) => [[`3 ${name}`, `3º ${name}`]],
    ordinalAfter: (word: string) => [[`${word} 5`, `${word} 5º`]],
    degrees: formsOf('5°'),
    celsius: formsOf('5°C'),
    percent: formsOf('5%'),
    minus: (word: string) => [['-5', `${word} 5`]],
    to: (word: string) => [['3-5', `3 ${word} 5`]],
    and: (word: string) => [['aa & bb', `aa ${word} bb`]],
    hour: (said: string | readonly string[]) =>
      listForms(said).map((word): TextPair => ['5:30', `5 ${word} 30`]),
    pairs: ({ whole, part, between: [between] }: Readonly<Record<'whole' | 'part' | 'between', string[]>>) =>
      whole.flatMap((one) =>
        part.map((other): TextPair => [`5 ${one} ${between} 20 ${other}`, `5 ${one} 20`]),
      ),
  }
}

function counted(count: number, said: string): string {
  return said.includes('#') ? said.replace('#', String(count)) : `${count} ${said}`
}

/** Where no spaces are written, a small number alone stays a word: it counts next to a ten or after a hundred. */
function joinedWith(word: string, value: number, known: ReadonlyMap<number, string>): readonly TextPair[] {
  const [ten, hundred, one] = [known.get(10), known.get(100), known.get(1)]
  return [
    ...(ten === undefined || value >= 10 ? [] : [[`${ten}${word}`, String(10 + value)] as const]),
    ...(ten === undefined || value >= 10 ? [] : [[`${word}${ten}`, String(10 * value)] as const]),
    ...(hundred === undefined || value >= 10 ? [] : [[`${word}${hundred}`, String(100 * value)] as const]),
    ...(one === undefined || value < 10 ? [] : [[`${word}${one}`, String(value + 1)] as const]),
  ]
}

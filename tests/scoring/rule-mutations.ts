import { normalise, type Profile } from '#scoring/profiles/profile'
import type { LanguagePairs } from '../../scripts/language-pairs.ts'
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

/** Lists in one text, by the key of the text. */
const separators: Readonly<Record<string, string>> = {
  ...{ cardinals: ' ', ordinals: ' ', ordinalEndings: ' ', fillers: ' ', points: ' ', counted: ' ' },
  ...{ numbered: ' ', ordinalBefore: ' ', units: ';', currencies: ';', phrases: '\n', spellings: '\n' },
  ...{ months: ';', signs: ';' },
}
const notRules = ['id', 'version', 'language', 'purpose', 'examples', 'quirks', 'decimal', 'apostrophe']
const never = /(?!)/gu

/** Every rule of a language removed, one at a time. */
export function* mutationsOf(rules: SpokenLanguage): Generator<Mutation> {
  const ownPairs = pairWriter(rules)
  for (const { path, data, key, entry } of removals(rules as unknown as Data, [])) {
    const own = ownPairs(key, entry)
    yield {
      rule: path.join(' '),
      profile: spokenLanguageProfile(
        rules.id.replace('@', '-less@'),
        () => data as unknown as SpokenLanguage,
      ),
      own,
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
  const made = (text: string): string => {
    const result = normalise(text, profile)
    return profile.characters === 'no-spaces' ? result.replaceAll(' ', '') : result
  }
  return made(one) === made(other)
}

interface Removal {
  readonly path: readonly string[]
  readonly data: unknown
  /** What was removed, and the key that it was under. */
  readonly key: string
  readonly entry: string
}

function* removals(data: Data, path: readonly string[]): Generator<Removal> {
  for (const [key, value] of Object.entries(data)) {
    if (notRules.includes(key)) continue
    for (const removal of changesOf(key, value, [...path, key])) {
      yield { ...removal, data: { ...data, [key]: removal.data } }
    }
  }
}

function* changesOf(key: string, value: unknown, path: readonly string[]): Generator<Removal> {
  const parent = path.at(-2) ?? ''
  if (typeof value === 'string') yield* textChanges(key, value, path)
  else if (value === true) yield { path, data: false, key, entry: '' }
  else if (value instanceof RegExp) yield { path, data: never, key, entry: '' }
  else if (Array.isArray(value)) {
    for (const [at, each] of value.entries()) {
      const entry = Array.isArray(each) ? each.map(shown).join('>') : shown(each)
      yield { path: [...path, `“${entry}”`], data: value.toSpliced(at, 1), key, entry }
    }
  } else if (typeof value === 'object' && value !== null) {
    if (key === 'fractions' || parent === 'digits') {
      for (const [name, said] of Object.entries(value)) {
        const { [name]: _, ...others } = value as Data
        yield { path: [...path, `“${name}”`], data: others, key, entry: `${name}>${said}` }
      }
    } else yield* removals(value as Data, path)
  }
}

function* textChanges(key: string, text: string, path: readonly string[]): Generator<Removal> {
  const separator = separators[key]
  if (separator === undefined) {
    yield { path: [...path, `“${text}”`], data: withoutText(key), key, entry: text }
    return
  }
  const entries = text.split(separator).filter((entry) => entry.trim() !== '')
  for (const [at, entry] of entries.entries()) {
    const data = entries.toSpliced(at, 1).join(separator)
    yield { path: [...path, `“${entry.trim()}”`], data, key, entry: entry.trim() }
  }
}

/** Marks are left out, words become another word. */
function withoutText(key: string): string {
  return key === 'group' || key === 'timeMarks' ? '' : 'qqq'
}

function shown(entry: unknown): string {
  return entry instanceof RegExp ? entry.source : typeof entry === 'string' ? entry : JSON.stringify(entry)
}

/** Writes what an entry says as pairs of texts. */
function pairWriter({
  numbers,
  unspacedNumbers,
}: SpokenLanguage): (key: string, entry: string) => readonly TextPair[] {
  const unspaced = valuedWords(unspacedNumbers?.words.cardinals ?? '')
  const three = unspaced.get(3) ?? ''
  const cardinals = numbers?.words.cardinals ?? ''
  const weak = cardinals
    .split(' ')
    .filter((entry) => entry.endsWith('=1'))
    .flatMap((entry) => entry.match(/[^\s|=]+(?=\?)/gu) ?? [])
  const ordinal = /([^\s|]+)-[^\s=]*=(\d+)/u.exec(numbers?.words.ordinals ?? '')
  const ending = (numbers?.words.ordinalEndings ?? '').split(' ')[0] ?? ''
  const formsOf = (entry: string): readonly [string, readonly string[]] => {
    const [sign = '', ...words] = entry.split(' ')
    return [sign, words.join(' ').split('|')]
  }
  const writers: Readonly<Record<string, (entry: string) => readonly TextPair[]>> = {
    phrases: (entry) => [entry.split('>') as unknown as TextPair],
    spellings: (entry) => [entry.split('>') as unknown as TextPair],
    folds: (entry) => [entry.split('>') as unknown as TextPair],
    // Patterns that are plain letters; marks need a letter before them.
    rewrites: (entry) => {
      const [from = '', to = ''] = entry.split('>')
      return [[`${three}${from}`, `${three}${to}`]]
    },
    fractions: (entry) => [entry.split('>') as unknown as TextPair],
    fillers: (word) => [[`aa ${word} bb`, 'aa bb']],
    cardinals: (entry) =>
      valued(entry).flatMap(([word, value]): TextPair[] => {
        const plain = word.replace(/[?~]$/, '')
        if (word.endsWith('~')) return [[`2 ${plain}`, String(2 * value)]]
        return [
          [plain, String(value)],
          [`${plain} ${plain} ${plain}`, `${value} ${value} ${value}`],
          ...joinedWith(plain, value, unspaced),
        ]
      }),
    ordinals: (entry) =>
      valued(entry).map(([word, value]): TextPair => [word.replace(/-$/, ending), `${value}º`]),
    feminineOrdinals: (entry) =>
      valued(entry).map(([word, value]): TextPair => [word.replace(/-$/, ending), `${value}ª`]),
    ordinalEndings: (own) => (ordinal === null ? [] : [[`${ordinal[1]}${own}`, `${ordinal[2]}º`]]),
    months: (entry) => {
      const [shorts, [name = '']] = formsOf(entry)
      const long = name.includes(' ') ? `${name} ${name.split(' ')[0]}` : name
      return shorts
        .split('|')
        .map((short): TextPair => [`3 ${short.replace('?', '')} 2024`, `3 ${long} 2024`])
    },
    signs: (entry) => {
      const [sign, [said = '']] = formsOf(entry)
      return [
        [`5${sign}`, counted(5, said)],
        [`${sign}5`, counted(5, said)],
      ]
    },
    units: (entry) => {
      const [sign, forms] = formsOf(entry)
      return forms.flatMap((form) => [1, 2, 5].map((k): TextPair => [`${k} ${sign}`, counted(k, form)]))
    },
    currencies: (entry) => {
      const [sign, forms] = formsOf(entry)
      return forms.flatMap((form): TextPair[] => [
        [`5 ${sign}`, `5 ${form}`],
        [`${sign}5`, `5 ${form}`],
      ])
    },
    counted: (word) => weak.map((one): TextPair => [`${one} ${word}`, `1 ${word}`]),
    numbered: (word) => weak.map((one): TextPair => [`${word} ${one}`, `${word} 1`]),
    ordinalBefore: (word) => [[`3 ${word}`, `3º ${word}`]],
    points: (word) => [[`3 ${word} 5`, `3${numbers?.signs.decimal}5`]],
    group: (mark) => [[`5${mark}000${numbers?.signs.decimal}5`, `5000${numbers?.signs.decimal}5`]],
    timeMarks: (mark) =>
      ['30', '05', '00'].map((minutes): TextPair => [`10${mark}${minutes}`, `10:${minutes}`]),
    degrees: (words) => words.split('|').map((word): TextPair => ['5°', `5 ${word}`]),
    celsius: (words) => words.split('|').map((word): TextPair => ['5°C', `5 ${word}`]),
    percent: (words) => words.split('|').map((word): TextPair => ['5%', `5 ${word}`]),
    minus: (word) => [['-5', `${word} 5`]],
    to: (word) => [['3-5', `3 ${word} 5`]],
    and: (word) => [['aa & bb', `aa ${word} bb`]],
    hour: (words) => words.split('|').map((word): TextPair => ['5:30', `5 ${word} 30`]),
    pairs: (entry) => {
      const [wholes = '', parts = '', between = ''] = entry.split(',')
      return wholes
        .split(/[ |]/)
        .flatMap((whole) =>
          parts.split(/[ |]/).map((part): TextPair => [`5 ${whole} ${between} 20 ${part}`, `5 ${whole} 20`]),
        )
    },
  }
  return (key, entry) => writers[key]?.(entry) ?? []
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

function valuedWords(cardinals: string): ReadonlyMap<number, string> {
  const words = new Map<number, string>()
  for (const entry of cardinals.split(' ').filter((each) => each !== '')) {
    for (const [word, value] of valued(entry))
      if (!words.has(value)) words.set(value, word.replace(/[?~]$/, ''))
  }
  return words
}

function valued(entry: string): readonly (readonly [word: string, value: number])[] {
  const [words = '', value = ''] = entry.split('=')
  return words.split('|').map((word) => [word.replaceAll('_', ' '), Number(value)])
}

import { Profanity } from '@2toad/profanity'
import type { EnglishSpelling } from '#contract/enums'
import type { TimedSegment, TimedWord } from '#contract/transcription'
import type { StoredMode } from '../modes/modes.ts'
import spellingPairs from './spelling-pairs.json' with { type: 'json' }

/** The settings of a Mode that affect a transcript. */
export type Formatting = Pick<
  StoredMode,
  | 'punctuation'
  | 'capitalization'
  | 'removeTrailingPeriod'
  | 'profanityFilter'
  | 'englishSpelling'
  | 'customVocabulary'
>

/**
 * Punctuation marks, except those within a word or number (`don't`, `well-known`, `3.5`, `10:30`), and signs
 * that are spoken (`%`, `&`, `@`, `#`, `*`, `/`).
 */
const punctuationMarks =
  /(?<![\p{L}\p{N}])['’-]|['’-](?![\p{L}\p{N}])|(?<!\p{N})[.,:]|[.,:](?!\p{N})|(?!['’\-.,:%&@#*/\\_])\p{P}/gu

/** A final full stop of any script that is not part of an ellipsis. */
const trailingPeriod = /(?<![.。．｡।۔])[.。．｡।۔]\s*$/

/** Applies a Mode's formatting to an engine's output. */
export function formatText(text: string, formatting: Formatting): string {
  let formatted = text
  if (formatting.englishSpelling !== null) formatted = spellAs(formatted, formatting.englishSpelling)
  formatted = writeVocabulary(formatted, formatting.customVocabulary ?? [])
  if (formatting.profanityFilter) formatted = hideProfanity(formatted)
  if (!formatting.punctuation) {
    formatted = formatted.replaceAll(punctuationMarks, ' ').replaceAll(/\s+/g, ' ').trim()
  }
  if (!formatting.capitalization) formatted = formatted.toLowerCase()
  if (formatting.removeTrailingPeriod) formatted = formatted.replace(trailingPeriod, '')
  return formatted
}

/**
 * Formats the segments of a transcript like its text. Only the last one loses a trailing period, and segments
 * that become empty are omitted.
 */
export function formatSegments(
  segments: readonly TimedSegment[],
  formatting: Formatting,
): readonly TimedSegment[] {
  return formatParts(segments, ({ text }) => text, formatting).map(([segment, text], id) => ({
    ...segment,
    id,
    text,
  }))
}

/** Formats words like the text. A vocabulary word in two parts stays split, because each part has times. */
export function formatWords(words: readonly TimedWord[], formatting: Formatting): readonly TimedWord[] {
  return formatParts(words, ({ word }) => word, formatting).map(([timed, word]) => ({ ...timed, word }))
}

function formatParts<Part>(
  parts: readonly Part[],
  textOf: (part: Part) => string,
  formatting: Formatting,
): (readonly [Part, string])[] {
  return parts.flatMap((part, index) => {
    const isLast = index === parts.length - 1
    const removeTrailingPeriod = formatting.removeTrailingPeriod && isLast
    const text = textOf(part)
    const formatted = formatText(text, { ...formatting, removeTrailingPeriod })
    return formatted === '' && text !== '' ? [] : [[part, formatted] as const]
  })
}

/** The entries of a vocabulary by their lower-case letters and digits. */
interface Lookup {
  readonly entries: ReadonlyMap<string, string>
  /** Number of letters and digits in the longest entry; no match is longer. */
  readonly maxLetters: number
}

/** A run of letters and digits in a text. */
interface Word {
  readonly start: number
  readonly end: number
  readonly letters: string
}

/** Lookups by vocabulary. A Mode's list is the same object until it changes, so one lookup serves all requests. */
const lookups = new WeakMap<readonly string[], Lookup>()

/**
 * Spells the words of a vocabulary as listed: `kubernetes` and `type script` become `Kubernetes` and
 * `TypeScript`. Letters and digits have to match exactly. Of several matching entries the one with the most
 * letters wins.
 *
 * The time does not depend on the number of entries, because each run of words is looked up in a hash map.
 *
 * @param vocabulary words and phrases of two letters or more; must not change after the first call
 */
function writeVocabulary(text: string, vocabulary: readonly string[]): string {
  const lookup = lookupFor(vocabulary)
  if (lookup.entries.size === 0) return text
  const words = findWords(text)
  let written = ''
  let position = 0
  for (let index = 0; index < words.length; ) {
    const match = longestMatch(text, words, index, lookup)
    if (match !== null) {
      written += text.slice(position, words[index]?.start) + match.entry
      position = match.end
    }
    index += match?.wordCount ?? 1
  }
  return written + text.slice(position)
}

interface Match {
  readonly entry: string
  readonly end: number
  readonly wordCount: number
}

/** Finds the longest matching entry; words of the text may be separated by one space or hyphen. */
function longestMatch(
  text: string,
  words: readonly Word[],
  first: number,
  { entries, maxLetters }: Lookup,
): Match | null {
  let letters = ''
  let match: Match | null = null
  for (let index = first; index < words.length; index += 1) {
    const word = words[index] as Word
    const previous = words[index - 1]
    if (index > first && !/^[ -]$/.test(text.slice(previous?.end, word.start))) break
    letters += word.letters
    if (letters.length > maxLetters) break
    const entry = entries.get(letters)
    if (entry !== undefined) match = { entry, end: word.end, wordCount: index - first + 1 }
  }
  return match
}

function findWords(text: string): readonly Word[] {
  return Array.from(text.matchAll(/[\p{L}\p{N}]+/gu), ({ 0: word, index: start }) => ({
    start,
    end: start + word.length,
    letters: keepLetters(word),
  }))
}

function lookupFor(vocabulary: readonly string[]): Lookup {
  const known = lookups.get(vocabulary)
  if (known !== undefined) return known
  const entries = new Map<string, string>()
  let maxLetters = 0
  for (const rawEntry of vocabulary) {
    const entry = rawEntry.trim()
    const letters = keepLetters(entry)
    // A single letter is ignored, because it would turn every `c` into a `C++`.
    if (letters.length < 2 || entry.length <= (entries.get(letters)?.length ?? 0)) continue
    entries.set(letters, entry)
    maxLetters = Math.max(maxLetters, letters.length)
  }
  const lookup = { entries, maxLetters }
  lookups.set(vocabulary, lookup)
  return lookup
}

function keepLetters(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '')
}

/**
 * Variants in the order of the keys of `spelling-pairs.json`, which have a letter for each: `a` is the first
 * of a pair, `b` the second. `-` means that the dictionaries list both or neither, so nothing is rewritten.
 */
const englishes: readonly EnglishSpelling[] = ['american', 'british', 'canadian', 'australian']

type Table = ReadonlyMap<string, string>

/** Maps each other spelling to the wanted one, where the variant has a clear choice. */
function tableFor(spelling: EnglishSpelling): Table {
  const at = englishes.indexOf(spelling)
  const pairs = Object.entries(spellingPairs).flatMap(([choices, lines]) =>
    lines.flatMap((line) => line.split(' ').map((pair) => [choices[at], ...pair.split('/')] as const)),
  )
  return new Map(
    pairs.flatMap(([choice, first = '', second = '']): [string, string][] => {
      if (choice === 'a') return [[second, first]]
      return choice === 'b' ? [[first, second]] : []
    }),
  )
}

const tables: Readonly<Record<EnglishSpelling, Table>> = {
  american: tableFor('american'),
  british: tableFor('british'),
  australian: tableFor('australian'),
  canadian: tableFor('canadian'),
}

/** Rewrites English words that are in the variant's table; capitals are kept. */
function spellAs(text: string, spelling: EnglishSpelling): string {
  const table = tables[spelling]
  return text.replaceAll(/\p{L}+/gu, (word) => {
    const spelled = table.get(word.toLowerCase())
    return spelled === undefined ? word : capitalisedAs(word, spelled)
  })
}

function capitalisedAs(model: string, word: string): string {
  if (model === model.toUpperCase()) return word.toUpperCase()
  const [first = ''] = model
  return first === first.toUpperCase() ? `${word.slice(0, 1).toUpperCase()}${word.slice(1)}` : word
}

/** The English list of `@2toad/profanity`, matched by whole words to avoid false hits within other words. */
const profanity = new Profanity({ languages: ['en'], wholeWord: true })

/** Masks all but the first letter of profane words: `d***`. */
function hideProfanity(text: string): string {
  return text.replaceAll(/\p{L}+/gu, (word) => {
    if (!profanity.exists(word)) return word
    const [first = '', ...others] = word
    return first + '*'.repeat(others.length)
  })
}

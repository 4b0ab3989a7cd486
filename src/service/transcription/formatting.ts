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
 * Marks of punctuation, but not the ones that hold a word or a number together (`don't`, `well-known`, `3.5`,
 * `10:30`), nor signs that are spoken (`%`, `&`, `@`, `#`, `*`, `/`).
 */
const punctuationMarks =
  /(?<![\p{L}\p{N}])['’-]|['’-](?![\p{L}\p{N}])|(?<!\p{N})[.,:]|[.,:](?!\p{N})|(?!['’\-.,:%&@#*/\\_])\p{P}/gu

/** A full stop at the very end that is not one of an ellipsis. */
const trailingPeriod = /(?<!\.)\.\s*$/

/** Applies a Mode's switches to an engine's output. */
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
 * The same for the parts of a transcript, so that no segment shows what the Mode hides in the text. Only the
 * last one loses a trailing period, and one of which nothing is left is left out.
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

/** A word of the vocabulary that an engine splits in two stays split: each part has its own times. */
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
    const given = textOf(part)
    const formatted = formatText(given, { ...formatting, removeTrailingPeriod })
    return formatted === '' && given !== '' ? [] : [[part, formatted] as const]
  })
}

/** The entries of a vocabulary by their letters and digits in lower case. */
interface Lookup {
  readonly entries: ReadonlyMap<string, string>
  /** Letters of the longest entry; no match is longer. */
  readonly maxLetters: number
}

/** A run of letters and digits in a text. */
interface Word {
  readonly start: number
  readonly end: number
  readonly letters: string
}

/** A Mode keeps its list of words until it is changed, so that one lookup serves all requests of that Mode. */
const lookups = new WeakMap<readonly string[], Lookup>()

/**
 * Writes the words of a vocabulary as it has them: `kubernetes` and `type script` become `Kubernetes` and
 * `TypeScript`. Nothing is guessed: the letters and digits have to be the same ones. Where several entries match, the
 * one with the most letters is written.
 *
 * The time depends on the text and on the longest entry, not on the number of entries: each run of words is looked up in
 * a hash map.
 *
 * @param vocabulary words and phrases of two letters or more; not changed after the first call
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

/** Between two letters of an entry a transcript may have one blank or hyphen. */
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
  for (const given of vocabulary) {
    const entry = given.trim()
    const letters = keepLetters(entry)
    // A single letter would make of every `c` a `C++`.
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
 * Pairs of spellings are stored by who writes which: a letter each for these Englishes, in this order. `a` is the first of a
 * pair, `b` the second, `-` that the dictionaries know both or neither there, and that nothing is to be rewritten.
 */
const englishes: readonly EnglishSpelling[] = ['american', 'british', 'canadian', 'australian']

type Table = ReadonlyMap<string, string>

/** From every other spelling to the wanted one, where there is one that is wanted and the other is not. */
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

/** Writes English as it is written there. Words keep their capitals; what is no word of the table stays as it is. */
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

/** The English list of `@2toad/profanity`, word by word, so that no innocent word is hit for what it contains. */
const profanity = new Profanity({ languages: ['en'], wholeWord: true })

/** Leaves the first letter of a profane word and hides the others: `d***`. */
function hideProfanity(text: string): string {
  return text.replaceAll(/\p{L}+/gu, (word) => {
    if (!profanity.exists(word)) return word
    const [first = '', ...others] = word
    return first + '*'.repeat(others.length)
  })
}

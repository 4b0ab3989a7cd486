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
export function writeVocabulary(text: string, vocabulary: readonly string[]): string {
  const lookup = lookupOf(vocabulary)
  if (lookup.entries.size === 0) return text
  const words = wordsOf(text)
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

function wordsOf(text: string): readonly Word[] {
  return Array.from(text.matchAll(/[\p{L}\p{N}]+/gu), ({ 0: word, index: start }) => ({
    start,
    end: start + word.length,
    letters: lettersOf(word),
  }))
}

function lookupOf(vocabulary: readonly string[]): Lookup {
  const known = lookups.get(vocabulary)
  if (known !== undefined) return known
  const entries = new Map<string, string>()
  let maxLetters = 0
  for (const given of vocabulary) {
    const entry = given.trim()
    const letters = lettersOf(entry)
    // A single letter would make of every `c` a `C++`.
    if (letters.length < 2 || entry.length <= (entries.get(letters)?.length ?? 0)) continue
    entries.set(letters, entry)
    maxLetters = Math.max(maxLetters, letters.length)
  }
  const lookup = { entries, maxLetters }
  lookups.set(vocabulary, lookup)
  return lookup
}

function lettersOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '')
}

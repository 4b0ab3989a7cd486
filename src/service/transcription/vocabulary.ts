/**
 * Writes the words of a vocabulary as it has them: `kubernetes` and `type script` become `Kubernetes` and
 * `TypeScript`. Nothing is guessed: the letters and digits have to be the same ones.
 *
 * @param vocabulary words and phrases of two letters or more
 */
export function writeVocabulary(text: string, vocabulary: readonly string[]): string {
  const entries = vocabulary
    .map((entry) => entry.trim())
    // A single letter would make of every `c` a `C++`.
    .filter((entry) => lettersOf(entry).length > 1)
    .toSorted((left, right) => right.length - left.length)
  if (entries.length === 0) return text
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{N}])(?:${entries.map(patternOf).join('|')})(?![\\p{L}\\p{N}])`,
    'giu',
  )
  const byLetters = new Map(entries.toReversed().map((entry) => [lettersOf(entry), entry]))
  return text.replaceAll(pattern, (found) => byLetters.get(lettersOf(found)) ?? found)
}

/** Between two letters of an entry a transcript may have a blank or a hyphen. */
function patternOf(entry: string): string {
  return Array.from(lettersOf(entry)).join('[ -]?')
}

function lettersOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '')
}

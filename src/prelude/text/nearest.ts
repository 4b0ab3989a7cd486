import { closest, distance } from 'fastest-levenshtein'

/**
 * The name that was probably meant by a misspelt one: of the same letters in another order, or the closest one. Case does not
 * count.
 *
 * @returns null where none is close enough to say so
 */
export function nearest(name: string, names: Iterable<string>): string | null {
  const wanted = name.toLowerCase()
  const byLowerCase = new Map(Array.from(names, (candidate) => [candidate.toLowerCase(), candidate]))
  if (byLowerCase.size === 0) return null
  const known = [...byLowerCase.keys()]
  const swapped = known.find((candidate) => lettersOf(candidate) === lettersOf(wanted))
  const found = swapped ?? closest(wanted, known)
  // A third of the letters may be wrong: more of them would be another word.
  const limit = Math.max(1, Math.floor(Math.max(wanted.length, found.length) / 3))
  return swapped !== undefined || distance(wanted, found) <= limit ? (byLowerCase.get(found) ?? null) : null
}

function lettersOf(word: string): string {
  return [...word].sort().join('')
}

import { closest, distance } from 'fastest-levenshtein'

/**
 * The name that was probably meant by a misspelt one. Case does not count.
 *
 * @returns null where none is close enough to say so
 */
export function nearest(name: string, names: Iterable<string>): string | null {
  const wanted = name.toLowerCase()
  const byLowerCase = new Map(Array.from(names, (candidate) => [candidate.toLowerCase(), candidate]))
  if (byLowerCase.size === 0) return null
  const found = closest(wanted, [...byLowerCase.keys()])
  // A third of the letters may be wrong: more of them would be another word.
  const isNear = distance(wanted, found) <= Math.max(1, Math.floor(Math.max(wanted.length, found.length) / 3))
  return isNear ? (byLowerCase.get(found) ?? null) : null
}

import { closest, distance } from 'fastest-levenshtein'

/** @returns the name that was probably meant, or null where none is close enough to say so */
export function nearest(name: string, names: readonly string[]): string | null {
  if (names.length === 0) return null
  const wanted = name.toLowerCase()
  const byLowerCase = new Map(names.map((candidate) => [candidate.toLowerCase(), candidate]))
  const found = closest(wanted, [...byLowerCase.keys()])
  // A third of the letters may be wrong: more of them would be another word.
  const isNear = distance(wanted, found) <= Math.max(1, Math.floor(Math.max(wanted.length, found.length) / 3))
  return isNear ? (byLowerCase.get(found) ?? null) : null
}

import { distance } from 'fastest-levenshtein'

/** @returns the candidate that a word was probably meant to be: at most two letters in five away, or null */
export function nearest(word: string, candidates: Iterable<string>): string | null {
  let best: string | null = null
  let least = Math.max(1, Math.floor(word.length * 0.4)) + 1
  for (const candidate of candidates) {
    const edits = distance(word.toLowerCase(), candidate.toLowerCase())
    if (edits < least) [best, least] = [candidate, edits]
  }
  return best
}

import type { AlignmentStep } from '../alignment/steps.ts'
import { normalise, type Profile } from '../profiles/profile.ts'
import { tokeniseWords } from '../tokens/words.ts'

/** How often the words that matter were said, found and made up. */
export interface KeywordCounts {
  readonly keyword: string
  /** Said and recognised, every word of it right. */
  readonly found: number
  /** Said and not recognised. */
  readonly missed: number
  /** Recognised where it was not said. */
  readonly invented: number
}

/**
 * Looks for keywords (names, terms, phrases) in an aligned utterance. A keyword is found where all its words
 * stand in a row in the reference and are hits with nothing put in between.
 *
 * @param keywords as people write them; normalised by the profile that the alignment was made with
 */
export function countKeywords(
  steps: readonly AlignmentStep[],
  keywords: readonly string[],
  profile: Profile,
): KeywordCounts[] {
  const said = steps.flatMap((step, position) =>
    step.reference === null ? [] : [{ word: step.reference, position }],
  )
  const heard = steps.flatMap((step, position) =>
    step.hypothesis === null ? [] : [{ word: step.hypothesis, position }],
  )
  return keywords.map((keyword) => {
    const words = tokeniseWords(normalise(keyword, profile), profile.words)
    const saidAt = occurrences(said, words)
    const heardAt = new Set(occurrences(heard, words).map((places) => places.join(' ')))
    const found = saidAt.filter((places) => heardAt.has(places.join(' '))).length
    return { keyword, found, missed: saidAt.length - found, invented: heardAt.size - found }
  })
}

interface Placed {
  readonly word: string
  readonly position: number
}

/** The places, in steps of the alignment, of every occurrence; occurrences do not overlap. */
function occurrences(words: readonly Placed[], phrase: readonly string[]): number[][] {
  const found: number[][] = []
  if (phrase.length === 0) return found
  for (let at = 0; at + phrase.length <= words.length; at += 1) {
    const slice = words.slice(at, at + phrase.length)
    if (!slice.every(({ word }, index) => word === phrase[index])) continue
    found.push(slice.map(({ position }) => position))
    at += phrase.length - 1
  }
  return found
}

/** found / (found + missed); null where it was never said. */
export function keywordRecall({ found, missed }: KeywordCounts): number | null {
  return found + missed === 0 ? null : found / (found + missed)
}

/** found / (found + invented); null where it was never recognised. */
export function keywordPrecision({ found, invented }: KeywordCounts): number | null {
  return found + invented === 0 ? null : found / (found + invented)
}

/** Harmonic mean of recall and precision: 2 · found / (2 · found + missed + invented). */
export function keywordF1({ found, missed, invented }: KeywordCounts): number | null {
  const all = 2 * found + missed + invented
  return all === 0 ? null : (2 * found) / all
}

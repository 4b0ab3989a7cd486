import { normalise, type Profile } from '../profiles/profile.ts'
import type { AlignmentStep, KeywordCounts } from '../shapes.ts'
import { tokeniseWords } from '../tokens.ts'

/** What a keyword is found by: equal for spellings that the profile makes the same. Empty where nothing is left. */
export function keywordKey(keyword: string, profile: Profile): string {
  return keywordWords(keyword, profile).join(' ')
}

function keywordWords(keyword: string, profile: Profile): string[] {
  return tokeniseWords(normalise(keyword, profile), profile.words)
}

/**
 * Makes ready to look for many keywords (names, terms, phrases) in many aligned utterances: an utterance costs a look-up
 * for each of its words, however many keywords there are. A keyword is found where all its words are adjacent in the
 * reference and are hits without an insertion between them. One with figures is found however these are divided into
 * words: an alignment reads 555 0199 as one number or as seven digits, whichever agrees with the other side.
 *
 * @param keywords as people write them; normalised by the profile that the alignments were made with
 * @returns a function that gives the keywords that were said or recognised. Of spellings that the profile makes
 *   the same it knows the first
 */
export function keywordSearch(
  keywords: readonly string[],
  profile: Profile,
): (steps: readonly AlignmentStep[]) => KeywordCounts[] {
  const phrases: Phrases = { byFirstWord: new Map(), withFigures: [] }
  const seenKeys = new Set<string>()
  for (const keyword of keywords) {
    const words = keywordWords(keyword, profile)
    const [first] = words
    const key = words.join(' ')
    if (first === undefined || seenKeys.has(key)) continue
    seenKeys.add(key)
    const phrase = { keyword, words, joined: words.join('') }
    if (/\d/.test(phrase.joined)) phrases.withFigures.push(phrase)
    else phrases.byFirstWord.set(first, [...(phrases.byFirstWord.get(first) ?? []), phrase])
  }
  return (steps) => {
    const said = occurrences(placed(steps, 'reference'), phrases)
    const heard = occurrences(placed(steps, 'hypothesis'), phrases)
    return [...new Set([...said.keys(), ...heard.keys()])].map((phrase) => {
      const saidAt = said.get(phrase) ?? []
      const heardAt = new Set(heard.get(phrase))
      const found = saidAt.filter((places) => heardAt.has(places)).length
      return {
        keyword: phrase.keyword,
        found,
        missed: saidAt.length - found,
        invented: heardAt.size - found,
      }
    })
  }
}

interface Phrase {
  readonly keyword: string
  readonly words: readonly string[]
  /** The words without anything between them. */
  readonly joined: string
}

interface Phrases {
  readonly byFirstWord: Map<string, Phrase[]>
  readonly withFigures: Phrase[]
}

interface Placed {
  readonly word: string
  readonly position: number
}

function placed(steps: readonly AlignmentStep[], side: 'reference' | 'hypothesis'): Placed[] {
  return steps.flatMap((step, position) => {
    const word = step[side]
    return word === null ? [] : [{ word, position }]
  })
}

/** The places, in steps of the alignment, of every occurrence; those of one phrase do not overlap. */
function occurrences(
  words: readonly Placed[],
  { byFirstWord, withFigures }: Phrases,
): ReadonlyMap<Phrase, string[]> {
  const found = new Map<Phrase, string[]>()
  const endOf = new Map<Phrase, number>()
  const note = (phrase: Phrase, at: number, end: number | null): void => {
    if (end === null || at < (endOf.get(phrase) ?? 0)) return
    endOf.set(phrase, end)
    const places = words
      .slice(at, end)
      .map(({ position }) => position)
      .join(' ')
    found.set(phrase, [...(found.get(phrase) ?? []), places])
  }
  for (const [at, { word }] of words.entries()) {
    for (const phrase of byFirstWord.get(word) ?? []) note(phrase, at, endOfWords(words, at, phrase))
    for (const phrase of withFigures) {
      if (phrase.joined.startsWith(word)) note(phrase, at, endOfFigures(words, at, phrase))
    }
  }
  return found
}

/** Where a phrase that begins at a place ends; null where other words follow. */
function endOfWords(words: readonly Placed[], at: number, phrase: Phrase): number | null {
  const end = at + phrase.words.length
  return phrase.words.every((word, index) => words[at + index]?.word === word) ? end : null
}

/** The same, however the words are divided. */
function endOfFigures(words: readonly Placed[], at: number, { joined }: Phrase): number | null {
  let length = 0
  for (let end = at; end < words.length && length < joined.length; end += 1) {
    const { word } = words[end] as Placed
    if (!joined.startsWith(word, length)) return null
    length += word.length
    if (length === joined.length) return end + 1
  }
  return null
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

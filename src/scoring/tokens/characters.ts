import { lazily } from '#prelude'

/**
 * What a character is: a grapheme cluster (a letter with its marks) with spaces counted, the same without
 * spaces, or a code point with spaces counted, as most Python scorers have it.
 */
export const characterRules = ['graphemes', 'no-spaces', 'code-points'] as const
export type CharacterRule = (typeof characterRules)[number]

const graphemeSegmenter = /* @__PURE__ */ lazily(() => new Intl.Segmenter('en', { granularity: 'grapheme' }))
// In these ranges every code point is one grapheme cluster, given that no mark follows.
const simple =
  /^[\u0020-\u02ff\u0370-\u0482\u048a-\u058f\u05d0-\u05ea\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff]*$/

/**
 * The characters of a normalised text.
 *
 * @param text as `normalise` returns it
 * @see Unicode Standard Annex 29, extended grapheme clusters
 */
export function tokeniseCharacters(text: string, rule: CharacterRule = 'graphemes'): string[] {
  if (rule === 'code-points') return Array.from(text)
  const characters = simple.test(text) ? text.split('') : graphemes(text)
  return rule === 'no-spaces' ? characters.filter((character) => character.trim() !== '') : characters
}

/** The grapheme clusters of any text. */
export function graphemes(text: string): string[] {
  return Array.from(graphemeSegmenter().segment(text), ({ segment }) => segment)
}

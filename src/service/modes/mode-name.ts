import type { Profile } from '../profiles.ts'

/**
 * What macOS trims from both ends: white space, control and format characters, fillers. Variation selectors
 * and tags stay: they belong to the emoji before them, which would look different without.
 */
const invisible =
  /^(?![\p{Variation_Selector}\u{E0020}-\u{E007F}])[\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]$/u

/** What .NET's `string.Trim()` trims: exactly Unicode's white space. JavaScript's `trim` takes U+FEFF as well, and leaves U+0085. */
const blank = /^\p{White_Space}$/u

/** A letter, digit, sign or symbol that shows by itself: no combining mark, no filler, no blank pattern. */
const visible = /(?!\p{Default_Ignorable_Code_Point}|\u2800)[\p{L}\p{N}\p{P}\p{S}]/u

/**
 * The name as it is stored, by the profile's rules.
 *
 * @returns null for a name of which nothing remains that can be seen
 */
export function normaliseName(name: string, rules: Profile['nameRules']): string | null {
  if (rules === 'whitespace') return trim(name, blank) || null
  const trimmed = trim(name.normalize('NFC'), invisible)
  return visible.test(trimmed) ? trimmed : null
}

/**
 * Equal for names that differ in case only. Upper case comes first because it unfolds what lower case keeps
 * apart: `ß` and `SS`, final and medial sigma.
 */
export function nameKey(name: string): string {
  return name.toUpperCase().toLowerCase()
}

/** Walks in from both ends; a pattern that ends in `$` would take quadratic time on a long hostile name. */
function trim(name: string, unwanted: RegExp): string {
  const characters = Array.from(name)
  const first = characters.findIndex((character) => !unwanted.test(character))
  const last = characters.findLastIndex((character) => !unwanted.test(character))
  return first === -1 ? '' : characters.slice(first, last + 1).join('')
}

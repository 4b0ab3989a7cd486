import type { Profile } from '../profiles.ts'

/** What macOS trims from both ends: white space, control and format characters, fillers, and the blank Braille pattern. */
const invisible = /^[\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]$/u

/**
 * Invisible characters that change how the character before them looks: a variation selector behind a symbol or an
 * ideograph, the tags of a flag. Behind anything else they mean nothing.
 *
 * @see Unicode Technical Standard 51, sections 1.4.3 (variation) and C.1 (tags)
 */
const belongsToLast =
  /^(?:(?:[\p{Extended_Pictographic}\p{Sm}\p{scx=Han}\p{scx=Mongolian}]\p{Variation_Selector})|\u{1F3F4}[\u{E0020}-\u{E007E}]+\u{E007F})/u

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
  const trimmed = trim(name.normalize('NFC'), invisible, belongsToLast)
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
function trim(name: string, unwanted: RegExp, kept: RegExp | null = null): string {
  const characters = Array.from(name)
  const first = characters.findIndex((character) => !unwanted.test(character))
  if (first === -1) return ''
  const last = characters.findLastIndex((character) => !unwanted.test(character))
  const end = kept?.exec(characters.slice(last).join(''))?.[0] ?? characters[last]
  return `${characters.slice(first, last).join('')}${end}`
}

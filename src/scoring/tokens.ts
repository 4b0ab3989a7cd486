import { lazily, unspacedCharacter } from '#prelude'

/** Scripts that are written without spaces between words, by their ISO 15924 codes, those of writing systems that mix them included. */
const unspacedScripts: ReadonlySet<string> = /* @__PURE__ */ new Set(
  'Hani Hans Hant Hira Kana Hrkt Jpan Thai Laoo Khmr Mymr'.split(' '),
)

const letter = /\p{L}/gu
const unspacedLetter = /* @__PURE__ */ new RegExp(`(?=\\p{L})${unspacedCharacter}`, 'gu')

/**
 * Whether a language is mostly written without spaces: Chinese, Cantonese, Japanese, Thai, Lao, Khmer, Burmese.
 *
 * @param language BCP 47 tag; `zh-Latn`, which names another script, is not
 * @throws RangeError for what has not the form of a tag: `en_US`
 */
export function isUnspacedLanguage(language: string): boolean {
  return unspacedScripts.has(new Intl.Locale(language).maximize().script ?? '')
}

/** Whether more than half of the letters of some texts are of a script that is written without spaces. */
export function areUnspaced(texts: Iterable<string>): boolean {
  let [letters, unspaced] = [0, 0]
  for (const text of texts) {
    letters += text.match(letter)?.length ?? 0
    unspaced += text.match(unspacedLetter)?.length ?? 0
  }
  return unspaced > letters / 2
}

/**
 * How a normalised text becomes words: at white space; at white space and, within runs of a script that writes
 * none, by dictionary; by dictionary there whether or not spaces are written; at spaces and runs of white space alone, as
 * jiwer does; or at white space in ASCII, as sclite does.
 */
export type WordRule = 'spaces' | 'spaces-and-dictionary' | 'dictionary' | 'single-spaces' | 'ascii-spaces'

/** What Python's `str.isspace` says: JavaScript's \s without U+FEFF, with U+001C to U+001F and U+0085. */
export const pythonSpace =
  '\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000'

const spaceOrRun = /* @__PURE__ */ new RegExp(`[${pythonSpace}]{2,}| `, 'u')
/** What C's `isspace` says of a byte. */
const asciiSpaces = /[\t-\r ]+/

const unspacedScript = /* @__PURE__ */ new RegExp(unspacedCharacter, 'u')
const unspacedRun = /* @__PURE__ */ new RegExp(`(?:${unspacedCharacter}\\p{M}*)+`, 'gu')
const spaceInRun = /* @__PURE__ */ new RegExp(
  `(?<=${unspacedCharacter}\\p{M}*) (?=${unspacedCharacter})`,
  'gu',
)
// Dictionaries are chosen by script; the locale only has to be the same everywhere.
const wordSegmenter = /* @__PURE__ */ lazily(() => new Intl.Segmenter('en', { granularity: 'word' }))
const beyondLatin = /[\u0300-\uffff]/

/**
 * The words of a normalised text.
 *
 * Han, Kana, Thai, Lao, Khmer and Myanmar are written without spaces; there `Intl.Segmenter` finds the words
 * from a dictionary. What it finds depends on the version of Unicode's data in the runtime, and two texts can
 * be cut differently around one wrong character, so for these scripts the character rate leads.
 *
 * @param text as `normalise` returns it
 * @returns no empty strings; an empty list for a text of white space
 */
export function tokeniseWords(text: string, rule: WordRule = 'spaces'): string[] {
  if (rule === 'single-spaces' || rule === 'ascii-spaces')
    return text.split(rule === 'ascii-spaces' ? asciiSpaces : spaceOrRun).filter((word) => word !== '')
  if (rule === 'spaces' || !beyondLatin.test(text) || !unspacedScript.test(text)) return splitAtSpaces(text)
  const written = rule === 'dictionary' ? text.replace(spaceInRun, '') : text
  return splitAtSpaces(written).flatMap(cutUnspacedRuns)
}

const otherSpace = /[^\S ]|\p{Cc}/u

function splitAtSpaces(text: string): string[] {
  const words = otherSpace.test(text) ? text.split(/[\s\p{Cc}]+/u) : text.split(' ')
  return words.includes('') ? words.filter((word) => word !== '') : words
}

function cutUnspacedRuns(word: string): string[] {
  const pieces: string[] = []
  let end = 0
  for (const run of word.matchAll(unspacedRun)) {
    if (run.index > end) pieces.push(word.slice(end, run.index))
    for (const { segment } of wordSegmenter().segment(run[0])) pieces.push(segment)
    end = run.index + run[0].length
  }
  if (end < word.length) pieces.push(word.slice(end))
  return pieces
}

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

export function graphemes(text: string): string[] {
  return Array.from(graphemeSegmenter().segment(text), ({ segment }) => segment)
}

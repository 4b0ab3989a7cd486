import { lazily, unspacedCharacter } from '#prelude'

/**
 * How a normalised text becomes words: at white space; at white space and, within runs of a script that writes
 * none, by dictionary; by dictionary there whether or not spaces are written; or at spaces and runs of white space alone,
 * as jiwer does.
 */
export type WordRule = 'spaces' | 'spaces-and-dictionary' | 'dictionary' | 'single-spaces'

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
  if (rule === 'single-spaces') return text.split(/\s{2,}| /u).filter((word) => word !== '')
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

import { type AlignmentRule, countErrors, countNumbered } from './alignment/align.ts'
import { type NumberedPair, numberWords } from './alignment/numbered-pair.ts'
import type { ErrorCounts } from './shapes.ts'
import { type CharacterRule, tokeniseCharacters, tokeniseWords, type WordRule } from './tokens.ts'

// Texts in which a space, and nothing else, ends a word: no other white space, no two spaces in a row or at an end, no
// script that is written without spaces.
const space = 0x20
const notPlain = /[^ -~\u00a1-\u00b6\u00b8-\u02ff\u0370-\u0dff]/

/**
 * The word errors of two normalised texts: the same as of their words, faster. What both begin and end with is neither
 * cut into words nor aligned.
 */
export function countTexts(
  said: string,
  heard: string,
  words: WordRule | undefined,
  rule: AlignmentRule = 'canonical',
): ErrorCounts {
  // Of the others' alignments it is not known that they match what both begin and end with.
  const isTrimmed = rule === 'canonical' || rule === 'jiwer'
  if (!isTrimmed || !isPlain(said) || !isPlain(heard)) {
    return countErrors(tokeniseWords(said, words), tokeniseWords(heard, words), rule)
  }
  const { matched, saidMiddle, heardMiddle } = commonEnds(said, heard)
  const counts =
    saidMiddle === '' || heardMiddle === ''
      ? countErrors(wordsOf(saidMiddle), wordsOf(heardMiddle), rule)
      : countNumbered(numberWords(saidMiddle, heardMiddle), rule)
  return { ...counts, hits: counts.hits + matched }
}

function isPlain(text: string): boolean {
  return (
    text.charCodeAt(0) !== space &&
    text.charCodeAt(text.length - 1) !== space &&
    !text.includes('  ') &&
    !notPlain.test(text)
  )
}

function wordsOf(text: string): string[] {
  return text === '' ? [] : text.split(' ')
}

interface CommonEnds {
  /** Whole words that both texts begin and end with. */
  readonly matched: number
  readonly saidMiddle: string
  readonly heardMiddle: string
}

function commonEnds(said: string, heard: string): CommonEnds {
  const shorter = Math.min(said.length, heard.length)
  let matched = 0
  // Both texts are the same before `start`, which is where a word begins.
  let start = 0
  let at = 0
  for (; at < shorter; at += 1) {
    const code = said.charCodeAt(at)
    if (code !== heard.charCodeAt(at)) break
    if (code !== space) continue
    matched += 1
    start = at + 1
  }
  if (at === said.length && at === heard.length) {
    return { matched: at === 0 ? 0 : matched + 1, saidMiddle: '', heardMiddle: '' }
  }
  // And the same in their last `end` characters, which begin with a space or are all that is left.
  let end = 0
  const most = shorter - start
  for (let length = 1; length <= most; length += 1) {
    const code = said.charCodeAt(said.length - length)
    if (code !== heard.charCodeAt(heard.length - length)) break
    if (code !== space) continue
    matched += 1
    end = length
  }
  return {
    matched,
    saidMiddle: said.slice(start, said.length - end),
    heardMiddle: heard.slice(start, heard.length - end),
  }
}

// Every code unit of such a text is a character by all rules, and there are few different ones.
const notSimple = /[^ -\u02ff\u0370-\u0482\u048a-\u058f\u05d0-\u05ea]/

/** The character errors of two normalised texts: the same as of their characters, faster. */
export function countCharacters(
  said: string,
  heard: string,
  characters: CharacterRule,
  rule: AlignmentRule = 'canonical',
): ErrorCounts {
  const isTrimmed = rule === 'canonical' || rule === 'jiwer'
  if (!isTrimmed || notSimple.test(said) || notSimple.test(heard)) {
    return countErrors(tokeniseCharacters(said, characters), tokeniseCharacters(heard, characters), rule)
  }
  if (characters === 'no-spaces') return countSimple(withoutSpaces(said), withoutSpaces(heard), rule)
  return countSimple(said, heard, rule)
}

function withoutSpaces(text: string): string {
  return text.replace(/\s+/g, '')
}

function countSimple(said: string, heard: string, rule: 'canonical' | 'jiwer'): ErrorCounts {
  const shorter = Math.min(said.length, heard.length)
  let start = 0
  while (start < shorter && said.charCodeAt(start) === heard.charCodeAt(start)) start += 1
  let end = 0
  while (
    end < shorter - start &&
    said.charCodeAt(said.length - 1 - end) === heard.charCodeAt(heard.length - 1 - end)
  ) {
    end += 1
  }
  const n = said.length - start - end
  const m = heard.length - start - end
  if (n === 0 || m === 0) return { hits: start + end, substitutions: 0, deletions: n, insertions: m }
  const counts = countNumbered(numberCodes(said.slice(start, start + n), heard.slice(start, start + m)), rule)
  return { ...counts, hits: counts.hits + start + end }
}

function numberCodes(said: string, heard: string): NumberedPair {
  let largest = 0
  const codesOf = (text: string): Int32Array => {
    const codes = new Int32Array(text.length)
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at)
      codes[at] = code
      if (code > largest) largest = code
    }
    return codes
  }
  return { reference: codesOf(said), hypothesis: codesOf(heard), vocabularySize: largest + 1 }
}

import type { TimedTokens } from 'sherpa-onnx-node'
import type { TimedWord } from '#contract/transcription'
import { tagOfCode } from './sherpa-families.ts'

/** The BCP 47 tag of a reported language. Whisper reports `en`, SenseVoice `<|en|>`, other models nothing. */
export function languageTag(lang: string): string | null {
  const code = /^(?:<\|)?([a-z]{2,3})(?:\|>)?$/.exec(lang)?.[1]
  return code === undefined ? null : tagOfCode(code)
}

/** A token that is part of a character: a byte in text form, or undecodable bytes. */
const partOfCharacter = /<0x[0-9A-F]{2}>|\uFFFD/g

/** Scripts without spaces between words, in which each token counts as a word. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

/**
 * Joins tokens to words with times. A word ends with its last token that has a letter or digit. For models
 * without durations, that is the end of the frame in which the token was found.
 *
 *   tokens   ▁the  ▁qu  ick  .        words   the  0.2–0.4
 *   from      0.2  0.6  0.8  1.4              quick.  0.6–1.1
 *   for       0.2  0.2  0.3  0.1
 *
 * @param frameSeconds length of a frame of the model
 * @returns undefined where the tokens have no times, or do not match the text
 */
export function wordTimes(
  { text, tokens = [], timestamps = [], durations = [] }: TimedTokens,
  frameSeconds: number,
  clipSeconds: number,
): readonly TimedWord[] | undefined {
  if (timestamps.length !== tokens.length) return undefined
  const words = findWords(text, tokens)
  if (words === null) return undefined
  const inClip = (seconds: number): number => Math.round(1000 * Math.min(seconds, clipSeconds)) / 1000
  const endOf = (token: number): number => {
    const start = timestamps[token] ?? 0
    const duration = durations[token]
    if (duration !== undefined) return start + duration
    return Math.min(start + frameSeconds, timestamps[token + 1] ?? Number.POSITIVE_INFINITY)
  }
  return words.flatMap(({ offset, first }, index): TimedWord[] => {
    const next = words[index + 1]
    const word = text.slice(offset, next?.offset).trim()
    if (word === '') return []
    let last = (next?.first ?? tokens.length) - 1
    while (last > first && !/[\p{L}\p{N}\uFFFD]/u.test(tokens[last] ?? '')) last -= 1
    const start = inClip(timestamps[first] ?? 0)
    return [{ word, start, end: Math.max(start, inClip(endOf(last))) }]
  })
}

interface FoundWord {
  /** Offset in the text. */
  readonly offset: number
  /** Index of its first token. */
  readonly first: number
}

/** @returns null where the tokens do not form the text */
function findWords(text: string, tokens: readonly string[]): readonly FoundWord[] | null {
  const words: FoundWord[] = []
  let offset = 0
  let isAfterBlank = true
  // Characters that are split over tokens can only be read from the text.
  let isGap = false
  for (const [first, token] of tokens.entries()) {
    const letters = token.replaceAll(partOfCharacter, '').trim()
    const isPart = token.search(partOfCharacter) !== -1
    if (letters === '' && !isPart) {
      isAfterBlank = true
      continue
    }
    const found = letters === '' ? offset : text.indexOf(letters, offset)
    const skipped = text.slice(offset, found)
    if (found === -1 || (!isGap && !isPart && skipped.trim() !== '')) return null
    // Consecutive parts of one character belong to one word.
    const isUnspaced = unspaced.test(letters.slice(0, 1)) || (!isGap && unspaced.test(text[offset - 1] ?? ''))
    if (isAfterBlank || /^\s/.test(token) || isUnspaced) {
      words.push({ offset: letters === '' || isPart ? offset : found, first })
    }
    isAfterBlank = /\s$/.test(token)
    isGap = isPart
    offset = found + letters.length
  }
  return isGap || text.slice(offset).trim() === '' ? words : null
}

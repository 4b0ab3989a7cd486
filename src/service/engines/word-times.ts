import type { TimedTokens } from 'sherpa-onnx-node'
import type { TimedWord } from '#contract'

/** A token may be a part of a character: a byte that is written out, or bytes that were no text. */
const partOfCharacter = /<0x[0-9A-F]{2}>|\uFFFD/g

/** Scripts that are written without blanks: each token is a word. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

/**
 * Puts tokens together to words with their times. A word lasts to the end of its last token with a letter or digit: of
 * models that say nothing of ends, to the end of the frame in which that token was found.
 *
 *   tokens   ▁the  ▁qu  ick  .        words   the  0.2–0.4
 *   from      0.2  0.6  0.8  1.4              quick.  0.6–1.1
 *   for       0.2  0.2  0.3  0.1
 *
 * @param frameSeconds length of a frame of the model
 * @returns undefined where the tokens have no times, or are not those of the text
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
  /** In the text. */
  readonly offset: number
  /** Its first token. */
  readonly first: number
}

/** @returns null where the tokens do not make up the text */
function findWords(text: string, tokens: readonly string[]): readonly FoundWord[] | null {
  const words: FoundWord[] = []
  let offset = 0
  let isAfterBlank = true
  // The characters of which some tokens are parts are in the text alone.
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
    // Parts of one character are one word.
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

const [space, quote, apostrophe, letterA, letterN, letterZ] = [' ', '"', "'", 'a', 'n', 'z'].map(
  (character) => character.charCodeAt(0),
) as [number, number, number, number, number, number]
const sentenceMarks = new Set(
  Array.from('.,!?;:-\n\t')
    .map((mark) => mark.charCodeAt(0))
    .concat(space, quote),
)

/**
 * Drops the marks of a text of small letters without figures, in one pass: most texts are of this kind. An apostrophe
 * between letters stays.
 *
 * @returns words one space apart; null for a text that holds anything else, or the ending of a contraction on its own
 */
export function dropPlainMarks(text: string): string | null {
  let result = ''
  // A span holds words that are one space apart already: mostly that is the whole text but for its last mark.
  let spanStart = -1
  let wordEnd = -1
  const endSpan = (): void => {
    if (spanStart >= 0) result += (result === '' ? '' : ' ') + text.slice(spanStart, wordEnd)
    spanStart = -1
  }
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    const isInWord = isLetter(code) || (code === apostrophe && isInside(text, at))
    if (isInWord) {
      if (spanStart < 0) spanStart = at
      wordEnd = at + 1
    } else if (code !== space || wordEnd !== at) {
      if (code === apostrophe || !sentenceMarks.has(code)) return null
      endSpan()
    }
  }
  endSpan()
  return result
}

/** Whether a UTF-16 code unit is a small letter of the English alphabet. */
export function isLetter(code: number): boolean {
  return code >= letterA && code <= letterZ
}

/** Between letters, but not in `n't` after a space, which belongs to the word before it. */
function isInside(text: string, at: number): boolean {
  return (
    isLetter(text.charCodeAt(at - 1)) &&
    isLetter(text.charCodeAt(at + 1)) &&
    (text.charCodeAt(at - 1) !== letterN || isLetter(text.charCodeAt(at - 2)))
  )
}

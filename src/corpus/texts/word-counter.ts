/** Letters of ASCII, and marks that join or part them as below: for most texts of most languages with them. */
const plainText = /^[A-Za-z\s,.?!;'"-]*$/
const markWithin = /[.'][.']|\.[A-Za-z]/
const plainWord = /[A-Za-z]+(?:'[A-Za-z]+)*/g

/**
 * Counts words by Unicode's word boundaries. The language decides where words end that no blanks divide.
 *
 * @see Unicode Standard Annex 29
 */
export function wordCounter(): (text: string, language: string | null) => number {
  const segmenters = new Map<string | null, Intl.Segmenter>()
  return (text, language) => {
    // A segmenter takes four times as long.
    if (plainText.test(text) && !markWithin.test(text)) return text.match(plainWord)?.length ?? 0
    const segmenter =
      segmenters.get(language) ?? new Intl.Segmenter(language ?? 'en', { granularity: 'word' })
    segmenters.set(language, segmenter)
    let count = 0
    for (const { isWordLike } of segmenter.segment(text)) if (isWordLike === true) count += 1
    return count
  }
}

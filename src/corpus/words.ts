import type { Utterance } from './utterance.ts'

/** The language that all utterances have; null where one has none, and where there are several. */
export function spokenLanguage(utterances: readonly Pick<Utterance, 'language'>[]): string | null {
  const [language = null, ...others] = new Set(utterances.map((utterance) => utterance.language))
  return others.length === 0 ? language : null
}

/** Fewer words resemble several languages. */
const leastWords = 12
/** With as many words, each part of the texts is looked at: in several languages they are in none. */
const wordsInParts = 100
const partCount = 5
/** More of them say the same. */
const mostTexts = 500

/**
 * The language that texts are written in, by their words.
 *
 * @returns its code in ISO 639-1; null where it is not clear, or there are several
 */
export async function findWrittenLanguage(texts: readonly string[]): Promise<string | null> {
  const step = Math.max(1, Math.ceil(texts.length / mostTexts))
  const taken = texts.filter((_, index) => index % step === 0)
  const wordCount = taken.reduce((sum, text) => sum + (text.match(/\p{L}{2,}/gu)?.length ?? 0), 0)
  if (wordCount < leastWords) return null
  // A megabyte of frequencies, which a corpus that names its language does not need.
  const { eld } = await import('eld/extrasmall')
  const parts = wordCount < wordsInParts ? 1 : partCount
  const found = Array.from({ length: parts }, (_, part) => {
    const result = eld.detect(taken.filter((_, index) => index % parts === part).join('\n'))
    return result.isReliable() ? result.language : ''
  })
  const [only = '', ...others] = new Set(found)
  return only === '' || others.length > 0 ? null : only
}

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

import type { Utterance } from './utterance.ts'

/** The common language of all utterances; null where one has none, or they differ. */
export function spokenLanguage(utterances: readonly Pick<Utterance, 'language'>[]): string | null {
  const [language = null, ...others] = new Set(utterances.map((utterance) => utterance.language))
  return others.length === 0 ? language : null
}

/** Minimum number of words, because fewer resemble several languages. */
const minWords = 12
/** Number of words from which parts are checked separately, because mixed languages yield no clear result. */
const wordsInParts = 100
const partCount = 5
/** Maximum number of sampled texts, because more do not change the result. */
const maxTexts = 500

/**
 * Detects the language of texts by their words.
 *
 * @returns its ISO 639-1 code; null where it is unclear, or there are several
 */
export async function findWrittenLanguage(texts: readonly string[]): Promise<string | null> {
  const step = Math.max(1, Math.ceil(texts.length / maxTexts))
  const sampled = texts.filter((_, index) => index % step === 0)
  const wordCount = sampled.reduce((sum, text) => sum + (text.match(/\p{L}{2,}/gu)?.length ?? 0), 0)
  if (wordCount < minWords) return null
  // The module is loaded on demand: it has a megabyte of frequencies, which most corpora do not need.
  const { eld } = await import('eld/extrasmall')
  const parts = wordCount < wordsInParts ? 1 : partCount
  const found = Array.from({ length: parts }, (_, part) => {
    const result = eld.detect(sampled.filter((_, index) => index % parts === part).join('\n'))
    return result.isReliable() ? result.language : ''
  })
  const [only = '', ...others] = new Set(found)
  return only === '' || others.length > 0 ? null : only
}

/** ASCII texts whose word boundaries the patterns below find without `Intl.Segmenter`. */
const plainText = /^[A-Za-z\s,.?!;'"-]*$/
const markWithin = /[.'][.']|\.[A-Za-z]/
const plainWord = /[A-Za-z]+(?:'[A-Za-z]+)*/g

/**
 * Counts words by Unicode's word boundaries. The language matters for scripts without spaces.
 *
 * @see Unicode Standard Annex 29
 */
export function wordCounter(): (text: string, language: string | null) => number {
  const segmenters = new Map<string | null, Intl.Segmenter>()
  return (text, language) => {
    // `Intl.Segmenter` takes four times as long as the pattern.
    if (plainText.test(text) && !markWithin.test(text)) return text.match(plainWord)?.length ?? 0
    const segmenter =
      segmenters.get(language) ?? new Intl.Segmenter(language ?? 'en', { granularity: 'word' })
    segmenters.set(language, segmenter)
    let count = 0
    for (const { isWordLike } of segmenter.segment(text)) if (isWordLike === true) count += 1
    return count
  }
}

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

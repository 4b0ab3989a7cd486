import type { Utterance } from './utterance.ts'

/** The language that all utterances have; null where one has none, and where there are several. */
export function spokenLanguage(utterances: readonly Pick<Utterance, 'language'>[]): string | null {
  const [language = null, ...others] = new Set(utterances.map((utterance) => utterance.language))
  return others.length === 0 ? language : null
}

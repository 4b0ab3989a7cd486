import type { UtteranceRows } from './utterance.ts'

/** The language that all utterances have; null where one has none, and where there are several. */
export function spokenLanguage({ languages }: Pick<UtteranceRows, 'languages'>): string | null {
  const [language = null, ...others] = languages()
  return others.length === 0 ? language : null
}

import type { StoredMode } from '../modes/mode-store.ts'
import { hideProfanity } from './profanity.ts'
import { spellAs } from './spelling.ts'
import { writeVocabulary } from './vocabulary.ts'

/** What of a Mode bears on a transcript. */
export type Formatting = Pick<
  StoredMode,
  | 'punctuation'
  | 'capitalization'
  | 'removeTrailingPeriod'
  | 'profanityFilter'
  | 'englishSpelling'
  | 'customVocabulary'
>

/**
 * Marks of punctuation, but not the ones that hold a word or a number together (`don't`, `well-known`, `3.5`,
 * `10:30`), nor signs that are spoken (`%`, `&`, `@`, `#`, `*`, `/`).
 */
const punctuationMarks =
  /(?<![\p{L}\p{N}])['’-]|['’-](?![\p{L}\p{N}])|(?<!\p{N})[.,:]|[.,:](?!\p{N})|(?!['’\-.,:%&@#*/\\_])\p{P}/gu

/** A full stop at the very end that is not one of an ellipsis. */
const trailingPeriod = /(?<!\.)\.\s*$/

/** Applies a Mode's switches to an engine's output. */
export function formatText(text: string, formatting: Formatting): string {
  let formatted = text
  if (formatting.englishSpelling !== null) formatted = spellAs(formatted, formatting.englishSpelling)
  formatted = writeVocabulary(formatted, formatting.customVocabulary ?? [])
  if (formatting.profanityFilter) formatted = hideProfanity(formatted)
  if (!formatting.punctuation) {
    formatted = formatted.replaceAll(punctuationMarks, ' ').replaceAll(/\s+/g, ' ').trim()
  }
  if (!formatting.capitalization) formatted = formatted.toLowerCase()
  if (formatting.removeTrailingPeriod) formatted = formatted.replace(trailingPeriod, '')
  return formatted
}

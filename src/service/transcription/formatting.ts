import type { TimedSegment, TimedWord } from '#contract'
import type { StoredMode } from '../modes/mode-store.ts'
import { hideProfanity } from './profanity.ts'
import { spellAs } from './spelling.ts'
import { writeVocabulary } from './vocabulary.ts'

/** The settings of a Mode that affect a transcript. */
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

/**
 * The same for the parts of a transcript, so that no segment shows what the Mode hides in the text. Only the
 * last one loses a trailing period, and one of which nothing is left is left out.
 */
export function formatSegments(
  segments: readonly TimedSegment[],
  formatting: Formatting,
): readonly TimedSegment[] {
  return formatParts(segments, ({ text }) => text, formatting).map(([segment, text], id) => ({
    ...segment,
    id,
    text,
  }))
}

/** A word of the vocabulary that an engine splits in two stays split: each part has its own times. */
export function formatWords(words: readonly TimedWord[], formatting: Formatting): readonly TimedWord[] {
  return formatParts(words, ({ word }) => word, formatting).map(([timed, word]) => ({ ...timed, word }))
}

function formatParts<Part>(
  parts: readonly Part[],
  textOf: (part: Part) => string,
  formatting: Formatting,
): (readonly [Part, string])[] {
  return parts.flatMap((part, index) => {
    const isLast = index === parts.length - 1
    const removeTrailingPeriod = formatting.removeTrailingPeriod && isLast
    const given = textOf(part)
    const formatted = formatText(given, { ...formatting, removeTrailingPeriod })
    return formatted === '' && given !== '' ? [] : [[part, formatted] as const]
  })
}

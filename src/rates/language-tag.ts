import { parseLanguage } from '#languages'

/** A language as a tag, however it is written; null for what is none. */
export function languageTag(written: string | null | undefined): string | null {
  if (written === null || written === undefined || written.trim() === '') return null
  const parsed = parseLanguage(written)
  return parsed.ok ? parsed.value : null
}

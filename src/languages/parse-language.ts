import { failed, nearest, type Outcome, succeeded } from '#prelude'
import { languageErrors } from './errors.ts'
import {
  codeOfThreeLetters,
  isLanguageCode,
  isRegion,
  isScript,
  languageOfRegion,
  nameOfTag,
  tagOfName,
  tagsByAnyName,
} from './language-names.ts'

/** What is wrong with a text that should name a language, and what to write. */
export interface LanguageProblem {
  /** To follow the text: `is not a known language`. */
  readonly what: string
  readonly hint: string
}

/** ISO 639-3 for a language that is not known; `Intl` takes it for no language. */
const undetermined = 'und'

const forms = 'write a tag such as "en" or "pt-BR", a code such as "eng", or a name such as "English"'

/**
 * Reads what people write for a language: a BCP 47 tag (also with underscores), a code of ISO 639-1 or ISO 639-3, or an
 * English name.
 *
 * @returns the tag in its usual writing, with the ISO 639-1 code where there is one: `en-US` for `en_us`, `de` for `deu`
 * @see RFC 5646; ISO 639-3; Unicode CLDR for names, regions and scripts
 */
export function parseLanguage(text: string): Outcome<string, LanguageProblem> {
  const written = text.trim()
  const locale = localeOf(written.replaceAll('_', '-'))
  if (locale === null) return namedLanguage(written)
  const code = codeOf(written.split(/[-_]/)[0] as string, locale)
  if (code === null) return namedLanguage(written)
  const { script, region } = locale
  if (script !== undefined && !isScript(script)) return failed(unknownPart('script', script, code))
  if (region !== undefined && !isRegion(region)) return failed(unknownPart('region', region, code))
  return succeeded(code + locale.toString().slice((locale.language ?? undetermined).length))
}

/**
 * The same for a text that a person has typed.
 *
 * @throws BenchError LANGUAGE_UNKNOWN, with the nearest language
 */
export function readLanguage(text: string): string {
  const parsed = parseLanguage(text)
  if (parsed.ok) return parsed.value
  throw languageErrors.make('LANGUAGE_UNKNOWN', {
    message: `"${text}" ${parsed.failure.what}`,
    hint: parsed.failure.hint,
  })
}

/** The language of a tag alone: `de` for `de-CH`. */
export function languageCode(tag: string): string {
  const parsed = parseLanguage(tag)
  return (parsed.ok ? parsed.value : tag).split('-')[0] as string
}

/** Null for what has not the form of a tag. */
function localeOf(tag: string): Intl.Locale | null {
  try {
    return new Intl.Locale(tag)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/**
 * The code of the language as it is usually written. Unicode replaces old codes (`iw` by `he`) and codes of three letters,
 * but also Tagalog by Filipino, which servers do not take for it.
 */
function codeOf(written: string, { language = '' }: Intl.Locale): string | null {
  const letters = written.toLowerCase()
  if (letters.length > 3) return null
  if (letters === undetermined) return undetermined
  if (language.length === 2 && isLanguageCode(language)) return language
  if (letters.length === 2) return isLanguageCode(letters) ? letters : null
  return codeOfThreeLetters(letters)
}

function namedLanguage(written: string): Outcome<string, LanguageProblem> {
  const tag = tagOfName(written)
  return tag === null ? failed(unknownLanguage(written)) : succeeded(tag)
}

function unknownLanguage(written: string): LanguageProblem {
  const what = 'is not a known language'
  const spoken = /^[a-z]{2}$/i.test(written) ? languageOfRegion(written.toUpperCase()) : null
  if (spoken !== null) {
    return { what, hint: `it is a region: did you mean "${spoken}" (${nameOfTag(spoken)})?` }
  }
  // Codes of three letters are near to anything as short.
  const names = tagsByAnyName()
  const tag = /^[a-z]{0,3}$/i.test(written) ? undefined : names.get(nearest(written, names.keys()) ?? '')
  return { what, hint: tag === undefined ? forms : `did you mean "${tag}" (${nameOfTag(tag)})?` }
}

function unknownPart(part: 'script' | 'region', code: string, language: string): LanguageProblem {
  const { region } = new Intl.Locale(language).maximize()
  const meant = region === undefined ? `"${language}"` : `"${language}" or "${language}-${region}"`
  return { what: `names the ${part} "${code}", which is not one`, hint: `write ${meant}` }
}

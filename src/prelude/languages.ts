/**
 * Converts what users write for a language into a BCP 47 tag. Pure: no files, sockets, clock or host locale.
 *
 *   parseLanguage('en_US')      // { ok: true, value: 'en-US' }
 *   parseLanguage('German')     // { ok: true, value: 'de' }
 *   parseLanguage('Englsh')     // { ok: false, failure: { what: 'is not a known language', hint: 'did you mean …' } }
 */

import { createRequire } from 'node:module'
import type { Language } from 'iso-639-3'
import type { z } from 'zod'
import { defineErrors, type ErrorTable } from './bench-error.ts'
import { nearest } from './text.ts'
import { failed, lazily, type Outcome, succeeded } from './values.ts'

export const languageErrors: ErrorTable<'LANGUAGE_UNKNOWN'> = defineErrors({ LANGUAGE_UNKNOWN: 'badInput' })

/** What is wrong with a text that should name a language, and what to write. */
export interface LanguageProblem {
  /** The end of a sentence that begins with the text: `is not a known language`. */
  readonly what: string
  readonly hint: string
}

/** The ISO 639-3 code for an unknown language; `Intl` does not count it as a language. */
const undetermined = 'und'

const forms = 'write a tag such as "en" or "pt-BR", a code such as "eng", or a name such as "English"'

/**
 * Reads what users write for a language: a BCP 47 tag (also with underscores), an ISO 639 code, or an English
 * name.
 *
 * @returns the tag in its usual form, with the ISO 639-1 code if there is one: `en-US` for `en_us`
 * @see RFC 5646; ISO 639-3; Unicode CLDR for names, regions and scripts
 */
export function parseLanguage(text: string): Outcome<string, LanguageProblem> {
  const written = text.trim()
  const locale = parseLocale(written.replaceAll('_', '-'))
  if (locale === null) return namedLanguage(written)
  const code = findCode(written.split(/[-_]/)[0] as string, locale)
  if (code === null) return namedLanguage(written)
  const { script, region } = locale
  if (script !== undefined && !isScript(script)) return failed(unknownPart('script', script, code))
  if (region !== undefined && !isRegion(region)) return failed(unknownPart('region', region, code))
  return succeeded(code + locale.toString().slice((locale.language ?? undetermined).length))
}

/**
 * Parses a language like `parseLanguage`, for text that the user has typed.
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

/** Zod transform that replaces a document's language by its tag: `z.string().transform(languageTag)`. */
export function languageTag(text: string, context: z.RefinementCtx): string {
  const parsed = parseLanguage(text)
  if (parsed.ok) return parsed.value
  const { what, hint } = parsed.failure
  context.addIssue({ code: 'custom', message: `${JSON.stringify(text)} ${what}; ${hint}` })
  return text
}

/** Whether a text has the form of a BCP 47 tag, whatever language it names. */
export function isLanguageTag(text: string): boolean {
  return parseLocale(text) !== null
}

/** Parsed tags, because every line of a long plan or manifest repeats the same few. */
const locales = new Map<string, Intl.Locale | null>()
const maxLocales = 1_000

/** Parses a tag; null where it is malformed. */
function parseLocale(tag: string): Intl.Locale | null {
  const known = locales.get(tag)
  if (known !== undefined) return known
  const locale = makeLocale(tag)
  if (locales.size < maxLocales) locales.set(tag, locale)
  return locale
}

function makeLocale(tag: string): Intl.Locale | null {
  try {
    return new Intl.Locale(tag)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/**
 * The usual code of the language. Unicode replaces old codes (`iw` by `he`) and codes of three letters, but
 * also Tagalog (`tl`) by Filipino (`fil`), which servers do not accept in its place.
 */
function findCode(written: string, { language = '' }: Intl.Locale): string | null {
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
  // A code of three letters is close to almost any short name, so nothing is suggested for it.
  const names = tagsByAnyName()
  const tag = /^[a-z]{0,3}$/i.test(written) ? undefined : names.get(nearest(written, names.keys()) ?? '')
  return { what, hint: tag === undefined ? forms : `did you mean "${tag}" (${nameOfTag(tag)})?` }
}

function unknownPart(part: 'script' | 'region', code: string, language: string): LanguageProblem {
  const { region } = new Intl.Locale(language).maximize()
  const meant = region === undefined ? `"${language}"` : `"${language}" or "${language}-${region}"`
  return { what: `names the ${part} "${code}", which is not one`, hint: `write ${meant}` }
}

/** English names of languages, scripts and regions; undefined for an unknown code. */
const [languages, scripts, regions] = (['language', 'script', 'region'] as const).map((type) =>
  lazily(() => new Intl.DisplayNames('en', { type, fallback: 'none' })),
) as [() => Intl.DisplayNames, () => Intl.DisplayNames, () => Intl.DisplayNames]

// The table is 780 kB of code that only names and rare codes need, so it is loaded on first use.
const registered = lazily((): readonly Language[] => {
  const table: typeof import('iso-639-3') = createRequire(import.meta.url)('iso-639-3')
  return table.iso6393
})

const byCode = lazily(() => new Map(registered().map((language) => [language.iso6393, language])))

/** Names of languages that neither Unicode nor ISO 639-3 lists under their everyday code. */
const otherNames: Readonly<Record<string, string>> = {
  Mandarin: 'zh',
  'Mandarin Chinese': 'zh',
  'Simplified Mandarin': 'zh-Hans',
  'Traditional Mandarin': 'zh-Hant',
  Farsi: 'fa',
  Castilian: 'es',
  Flemish: 'nl-BE',
  Moldavian: 'ro',
  Moldovan: 'ro',
  Valencian: 'ca',
  Letzeburgesch: 'lb',
  Pushto: 'ps',
  Sinhalese: 'si',
  'Myanmar language': 'my',
}

/** Tags whose English name does not consist of language and region, such as American English. */
const dialects =
  'en-US en-GB en-AU en-CA fr-CA fr-CH de-AT de-CH es-ES es-MX es-419 pt-BR pt-PT zh-Hans zh-Hant'.split(' ')

/** The ISO 639-1 code of a language, else its ISO 639-3 code; null for three letters that are neither. */
function codeOfThreeLetters(letters: string): string | null {
  const language = byCode().get(letters)
  if (language !== undefined) return language.iso6391 ?? language.iso6393
  return languages().of(letters) === undefined ? null : letters
}

function isLanguageCode(code: string): boolean {
  return languages().of(code) !== undefined
}

function isScript(code: string): boolean {
  return scripts().of(code) !== undefined
}

function isRegion(code: string): boolean {
  return regions().of(code) !== undefined
}

/** The English name of a tag, such as `Swiss High German` for `de-CH`; the ISO 639-3 name where Unicode has none. */
function nameOfTag(tag: string): string {
  return languages().of(tag) ?? byCode().get(tag)?.name ?? tag
}

/** Tags by folded English name. Common languages come first and keep a name that a rare one shares. */
const tagsByName = lazily(() => {
  const tags = new Map<string, string>()
  const add = (name: string | undefined, tag: string): void => {
    const key = fold(name ?? '')
    // Short names of languages, such as “En” and “Ak”, would be taken for codes.
    if (key.length > 3 && !tags.has(key)) tags.set(key, tag)
  }
  for (const [name, tag] of Object.entries(otherNames)) add(name, tag)
  const everyday = registered().filter(({ iso6391 }) => iso6391 !== undefined)
  for (const { iso6391, name } of everyday) {
    // Unicode names `tl` Filipino, which is the name of another code, `fil`.
    if (iso6391 !== 'tl') add(languages().of(iso6391 as string), iso6391 as string)
    for (const form of listForms(name)) add(form, iso6391 as string)
  }
  for (const tag of dialects) add(languages().of(tag), tag)
  const rare = registered().filter(({ iso6391 }) => iso6391 === undefined)
  for (const { iso6393 } of rare) add(languages().of(iso6393), iso6393)
  for (const { iso6393, name } of rare) for (const form of listForms(name)) add(form, iso6393)
  return tags
})

/** A name as the table has it, and without its bracketed part: “Modern Greek (1453-)”, “Modern Greek”. */
function listForms(name: string): readonly string[] {
  return [name, name.replace(/ \(.*\)$/, '')]
}

const regionsByName = lazily(() => {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
  const codes = Array.from(letters, (first) => Array.from(letters, (second) => first + second)).flat()
  return new Map(codes.map((code) => [fold(regions().of(code) ?? code), code]))
})

/** Reduces a name to lower-case letters and digits without accents: `francais` for `Français`. */
function fold(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

/** The tag of a language by its English name, optionally followed by a region: `English (India)`. */
function tagOfName(name: string): string | null {
  const folded = fold(name)
  const whole = tagsByName().get(folded)
  if (whole !== undefined) return whole
  const words = folded.split(' ')
  for (let count = words.length - 1; count > 0; count -= 1) {
    const tag = tagsByName().get(words.slice(0, count).join(' '))
    const region = findRegion(words.slice(count).join(' '))
    if (tag?.length === 2 && region !== null) return `${tag}-${region}`
  }
  return null
}

function findRegion(name: string): string | null {
  const code = regionsByName().get(name) ?? name.toUpperCase()
  if (!/^[A-Z]{2}$/.test(code) || !isRegion(code)) return null
  // The name can be that of a former code: FX is also called France, whose code is FR today.
  return new Intl.Locale(`und-${code}`).region ?? null
}

/** Tags of common languages by every name for suggestions, including the language's name for itself. */
const tagsByAnyName: () => ReadonlyMap<string, string> = lazily(() => {
  const commonCodes = registered().flatMap(({ iso6391 }) => iso6391 ?? [])
  const endonyms = commonCodes.map((code): [string, string] => [
    fold(new Intl.DisplayNames(code, { type: 'language', fallback: 'none' }).of(code) ?? code),
    code,
  ])
  const registeredNames = [...tagsByName()].filter(([, tag]) => languages().of(tag) !== undefined)
  return new Map([...endonyms, ...registeredNames])
})

/** The language that most people of a region speak: `ja` for `JP`. */
function languageOfRegion(region: string): string | null {
  return isRegion(region) ? (new Intl.Locale(`und-${region}`).maximize().language ?? null) : null
}

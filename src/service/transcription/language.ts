import { failed, type Outcome, succeeded } from '#prelude'
import { envelope, type Refusal } from '../http/refusal.ts'
import type { CatalogueModel } from '../models/catalogue.ts'

/** What clients and Modes say where the engine is to find out. */
const anyLanguage = 'auto'

/**
 * The language that an engine is asked for.
 *
 * @param wanted `auto` or a BCP-47 tag
 * @param isLenient whether a model is asked for languages that it cannot do as well
 * @returns the tag in its canonical form, or null for `auto`; a refusal where the model would answer in another language
 */
export function languageFor(
  model: Pick<CatalogueModel, 'id' | 'languages'>,
  wanted: string,
  isLenient: boolean,
): Outcome<string | null, Refusal> {
  if (wanted === anyLanguage) return succeeded(null)
  const tag = canonical(wanted)
  if (tag === null) {
    const message = `language is "${anyLanguage}" or a BCP-47 tag such as "en" or "pt-BR".`
    return failed(envelope('INVALID_REQUEST', message))
  }
  const { id, languages } = model
  const speaks = languages.some((language) => primary(language) === primary(tag))
  if (speaks || languages.length === 0 || isLenient) return succeeded(tag)
  const named = languages.length > maxNamed ? `${languages.length} languages` : languages.join(', ')
  const message = `The model ${id} transcribes ${named}, not ${tag}.`
  const hint = `Name a model for ${tag}, or send language "${anyLanguage}".`
  return failed(envelope('INVALID_REQUEST', message, { hint }))
}

/** Whisper has a hundred, which would hide the one that was asked for. */
const maxNamed = 30

/** Longer than any registered tag. */
const maxTagCharacters = 100

function canonical(tag: string): string | null {
  try {
    return tag.length > maxTagCharacters ? null : (Intl.getCanonicalLocales(tag)[0] ?? null)
  } catch {
    // The runtime throws for what is not of the form of a tag.
    return null
  }
}

function primary(tag: string): string {
  const { language } = new Intl.Locale(tag)
  // Norwegian is Bokmål, but for models that have Nynorsk besides.
  return language === 'nb' ? 'no' : language
}

import { dutch, german } from './germanic.ts'
import type { Cardinal } from './groups.ts'
import { japanese } from './japanese.ts'
import { french, italian, portuguese, spanish } from './romance.ts'
import { polish, russian } from './slavic.ts'

const cardinals = {
  de: german,
  es: spanish,
  fr: french,
  it: italian,
  ja: japanese,
  nl: dutch,
  pl: polish,
  pt: portuguese,
  ru: russian,
} as const satisfies Readonly<Record<string, Cardinal>>

/** A language whose numbers are spelt, by code of ISO 639-1. */
export type SpelledLanguage = keyof typeof cardinals

/** Every language whose numbers are spelt. */
export const spelledLanguages = Object.keys(cardinals) as readonly SpelledLanguage[]

/** Maximum number of digits: the tables name no larger powers of ten. */
const maxDigits = 18

/** How a language spells whole numbers, as num2words does. Longer numbers stay as they are written. */
export function cardinalOf(language: SpelledLanguage): Cardinal {
  return (digits) => (digits.replace(/^0+/, '').length > maxDigits ? digits : cardinals[language](digits))
}

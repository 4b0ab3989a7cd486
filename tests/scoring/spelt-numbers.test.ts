import { expect, test } from 'vitest'
import { cardinalOf, type SpelledLanguage } from '../../src/scoring/profiles/published/cardinals/index.ts'

/** What the published program writes otherwise than n2words, which has the spelling of dictionaries in all but Spanish. */
interface Spelling {
  readonly locale: string
  readonly likePublished?: (words: string, value: number) => string
}

const languages: Readonly<Record<Exclude<SpelledLanguage, 'ja'>, Spelling>> = {
  de: { locale: 'de-DE' },
  es: { locale: 'es-ES', likePublished: (words) => words.replace('dieciseis', 'dieciséis') },
  fr: { locale: 'fr-FR' },
  it: { locale: 'it-IT', likePublished: publishedItalian },
  nl: {
    locale: 'nl-NL',
    likePublished: (words, value) =>
      value > 100 && value % 100 === 1 ? words.replace(/een$/, 'één') : words,
  },
  pl: { locale: 'pl-PL' },
  pt: { locale: 'pt-PT' },
  ru: { locale: 'ru-RU' },
}

/** “Ventiuno” keeps its vowel, “diciotto” after hundreds does not, and an accent goes with every further part. */
function publishedItalian(words: string, value: number): string {
  const kept = words.replace(/ventun/, 'ventiun')
  if (value < 100) return kept
  return (value % 100 > 20 ? kept.replace(/tré$/, 'tre') : kept).replace('diciotto', 'dicotto')
}

test.each(Object.entries(languages))(
  'numbers below a thousand are spelt in %s as n2words spells them, but for what is listed',
  async (language, { locale, likePublished = (words) => words }) => {
    const { toCardinal } = (await import(`n2words/${locale}`)) as { toCardinal(value: number): string }
    const spell = cardinalOf(language as SpelledLanguage)
    const values = [...Array(1000).keys()]
    expect(values.map((value) => spell(String(value)))).toEqual(
      values.map((value) => likePublished(toCardinal(value), value)),
    )
  },
)

test.each([
  ['1200', 'mil e duzentos'],
  ['1201', 'mil duzentos e um'],
  ['200200', 'duzentos mil e duzentos'],
  ['1200000', 'um milhão e duzentos mil'],
  ['1200210', 'um milhão duzentos mil duzentos e dez'],
  ['2000200000', 'dois mil milhões e duzentos mil'],
])('“e” joins two terms of %s as European Portuguese does', (digits, words) => {
  expect(cardinalOf('pt')(digits)).toBe(words)
})

test.each([
  ['23', 'ventitré'],
  ['123', 'centoventitre'],
  ['1123', 'millecentoventitré'],
  ['3000003', 'tre milioni e tre'],
  ['23000028', 'ventitre milioni e ventotto'],
  ['2001000003', 'due miliardi, un milione e tre'],
])('%s is spelt as the published Italian spells it', (digits, words) => {
  expect(cardinalOf('it')(digits)).toBe(words)
})

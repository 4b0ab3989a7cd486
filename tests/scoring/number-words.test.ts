import { describe, expect, test } from 'vitest'
import { findProfile } from '#scoring/profiles/index'
import { normalise } from '#scoring/profiles/profile'
import { formMark } from '#scoring/profiles/readings'

/** What n2words says otherwise than the language does, or cannot say. */
interface SpokenNumbers {
  readonly locale: string
  /** Ordinals up to a hundred are compared too, but for these. */
  readonly ordinals?: readonly number[]
  /** Words of n2words that no dictionary has. */
  readonly mended?: readonly (readonly [wrong: RegExp, right: string])[]
}

const languages: Readonly<Record<string, SpokenNumbers>> = {
  german: { locale: 'de-DE', ordinals: [] },
  french: { locale: 'fr-FR', ordinals: [] },
  spanish: { locale: 'es-ES', ordinals: [2, 4] },
  italian: { locale: 'it-IT', ordinals: [2, 4] },
  portuguese: { locale: 'pt-PT', ordinals: [2, 4] },
  dutch: { locale: 'nl-NL', ordinals: [] },
  polish: { locale: 'pl-PL', ordinals: [] },
  swedish: { locale: 'sv-SE' },
  danish: {
    locale: 'da-DK',
    mended: [
      [/(?<!halv)treds/, 'tres'],
      [/millarder/, 'milliarder'],
    ],
  },
  norwegian: { locale: 'nb-NO', mended: [[/,/g, '']] },
  finnish: { locale: 'fi-FI', ordinals: [2] },
  czech: { locale: 'cs-CZ', ordinals: [] },
  russian: { locale: 'ru-RU', ordinals: [] },
  ukrainian: { locale: 'uk-UA', ordinals: [] },
  turkish: { locale: 'tr-TR' },
}

/** Words that are articles or verbs too: alone they stay words. */
const ambiguous = ['ett', 'et', 'en', 'een', 'ein', 'uno', 'un', 'um', 'bir', 'jedna', 'sei']

const numbers = [
  ...Array(301).keys(),
  ...Array.from({ length: 243 }, (_, index) => 307 + 7 * index),
  ...[2020, 2345, 9999, 10_000, 12_345, 20_000, 21_000, 99_999, 100_000, 123_456, 999_999],
  ...[1_000_000, 1_234_567, 2_000_005, 5_000_000_000],
]

interface NumberSpeaker {
  toCardinal(value: number): string
  toOrdinal(value: number): string
}

describe.each(Object.entries(languages))('numbers in %s', async (name, { locale, ordinals, mended = [] }) => {
  const profile = findProfile(name)
  const { toCardinal, toOrdinal } = (await import(`n2words/${locale}`)) as NumberSpeaker
  const said = (words: string): string =>
    mended.reduce((text, [wrong, right]) => text.replace(wrong, right), words)

  test('that are said are the same as in figures', () => {
    const different = numbers
      .map((value) => ({ value, words: said(toCardinal(value)) }))
      .filter(({ words }) => !ambiguous.includes(words))
      .map(({ value, words }) => ({ value, words, made: normalise(words, profile) }))
      .filter(({ value, made }) => made !== String(value))
    expect(different).toEqual([])
  })

  test.skipIf(ordinals === undefined)('that count places are the same as in figures', () => {
    const different = Array.from({ length: 100 }, (_, index) => index + 1)
      .filter((value) => ordinals?.includes(value) === false)
      .map((value) => ({ value, made: normalise(toOrdinal(value), profile) }))
      // Polish and Ukrainian hear the form of an ordinal as well: 1ºꞌpierwszy.
      .filter(({ value, made }) => made.split(formMark)[0] !== `${value}º`)
    expect(different).toEqual([])
  })
})

test.each([
  ['french', 'J’ai vingt. Cinq ans plus tard', 'J’ai 20. 5 ans plus tard', 'J’ai 25 ans plus tard'],
  ['spanish', 'Son cien. Dos vienen', 'Son 100. 2 vienen', 'Son 102 vienen'],
  ['russian', 'Мне двадцать. Пять лет назад', 'Мне 20. 5 лет назад', 'Мне 25 лет назад'],
  ['german', 'Es sind tausend. Fünf kommen', 'Es sind 1000. 5 kommen', 'Es sind 1005 kommen'],
])('%s reads no number across a full stop', (name, spoken, figures, joined) => {
  const made = (text: string): string => normalise(text, findProfile(name))
  expect(made(spoken)).toBe(made(figures))
  expect(made(spoken)).not.toBe(made(joined))
  expect(made(made(spoken))).toBe(made(spoken))
})

test.each([
  ['german', 'neunzehnten'],
  ['finnish', 'kaksikymmentä'],
  ['czech', 'osmdesátému'],
  ['dutch', 'vijftien'],
  ['arabic', 'تسعةعشر'],
  ['chinese', '三十'],
])(
  'a number word of %s that a recogniser repeats without spaces is read at once, and no number',
  (name, word) => {
    for (const repeated of [word.repeat(40), `${word.repeat(40)}x`])
      expect(normalise(repeated, findProfile(name))).toBe(repeated)
  },
)

test('a number of nine figures in Thai is one number, however many letters its words have', () => {
  const words = 'สี่ร้อยแปดสิบเจ็ดล้านห้าแสนเจ็ดหมื่นหนึ่งพันสามร้อยเจ็ดสิบเก้า'
  expect(normalise(words, findProfile('thai'))).toBe('487571379')
})

test('a number ends before it is larger than JavaScript holds exactly', () => {
  const said = 'fünf tausend millionen '.repeat(4)
  expect(normalise(said, findProfile('german'))).toBe('5000005000005000 millionen 5000000000')
})

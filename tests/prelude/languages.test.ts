import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { iso6393 } from 'iso-639-3'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { parseLanguage, readLanguage } from '#prelude/languages'

type Texts = Readonly<Record<string, string>>
const texts: Readonly<Record<'tags' | 'codes' | 'names' | 'refused', Texts>> & {
  readonly refusedWithAnExample: readonly string[]
} = parse(readFileSync(join(import.meta.dirname, 'languages.yaml'), 'utf8'))
const refused: readonly (readonly [text: string, hint: unknown])[] = [
  ...Object.entries(texts.refused),
  ...texts.refusedWithAnExample.map((text) => [text, expect.stringContaining('"English"')] as const),
]

describe('a language', () => {
  test.each(Object.entries(texts.tags))('is read from the tag "%s"', (text, tag) => {
    expect(parseLanguage(text)).toEqual({ ok: true, value: tag })
  })

  test.each(Object.entries(texts.codes))('is read from the ISO 639 code "%s"', (text, tag) => {
    expect(parseLanguage(text)).toEqual({ ok: true, value: tag })
  })

  test('is not read from a name with a region that there is not', () => {
    expect(parseLanguage('English (XX)').ok).toBe(false)
  })

  test('keeps Tagalog apart from Filipino, which Unicode takes it for', () => {
    expect(['tl', 'tgl', 'Tagalog', 'Filipino'].map(readLanguage)).toEqual(['tl', 'tl', 'tl', 'fil'])
  })

  test.each(Object.entries(texts.names))('is read from the English name "%s"', (text, tag) => {
    expect(parseLanguage(text)).toEqual({ ok: true, value: tag })
  })

  test('is read from every code of ISO 639-1 and ISO 639-3, and from its own tag again', () => {
    const codes = iso6393.flatMap(({ iso6391, iso6393: code }) => [
      code,
      ...(iso6391 === undefined ? [] : [iso6391]),
    ])
    expect(codes.length).toBeGreaterThan(8000)
    const unreadable = codes.filter((code) => !parseLanguage(code).ok)
    expect(unreadable).toEqual([])
    const unstable = codes.filter((code) => readLanguage(readLanguage(code)) !== readLanguage(code))
    expect(unstable).toEqual([])
  })

  test.each(refused)('is not read from "%s", with what to write instead', (text, hint) => {
    expect(parseLanguage(text)).toEqual({ ok: false, failure: { what: expect.any(String), hint } })
    expect(() => readLanguage(text)).toThrow(expect.objectContaining({ code: 'LANGUAGE_UNKNOWN' }))
  })
})

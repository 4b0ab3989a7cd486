import { iso6393 } from 'iso-639-3'
import { describe, expect, test } from 'vitest'
import { parseLanguage, readLanguage } from '#prelude/languages'

describe('a language', () => {
  test.each([
    ['en', 'en'],
    ['EN', 'en'],
    ['en-US', 'en-US'],
    ['en_US', 'en-US'],
    ['pt-br', 'pt-BR'],
    ['zh_hant_tw', 'zh-Hant-TW'],
    ['cmn_hans_cn', 'zh-Hans-CN'],
    ['en-UK', 'en-GB'],
    ['de-CH-1996', 'de-CH-1996'],
    ['rm-sursilv', 'rm-sursilv'],
    ['en-x-dict', 'en-x-dict'],
    [' en ', 'en'],
  ])('is read from the tag "%s"', (text, tag) => {
    expect(parseLanguage(text)).toEqual({ ok: true, value: tag })
  })

  test.each([
    ['eng', 'en'],
    ['eng-US', 'en-US'],
    ['deu', 'de'],
    ['ger', 'de'],
    ['zho', 'zh'],
    ['cmn', 'zh'],
    ['yue', 'yue'],
    ['fil', 'fil'],
    ['iw', 'he'],
    ['jw', 'jv'],
    ['aaa', 'aaa'],
    ['und', 'und'],
    ['und-US', 'und-US'],
    ['zxx', 'zxx'],
  ])('is read from the ISO 639 code "%s"', (text, tag) => {
    expect(parseLanguage(text)).toEqual({ ok: true, value: tag })
  })

  test('is not read from a name with a region that there is not', () => {
    expect(parseLanguage('English (XX)').ok).toBe(false)
  })

  test('keeps Tagalog apart from Filipino, which Unicode takes it for', () => {
    expect(['tl', 'tgl', 'Tagalog', 'Filipino'].map(readLanguage)).toEqual(['tl', 'tl', 'tl', 'fil'])
  })

  test.each([
    ['English', 'en'],
    ['english', 'en'],
    ['GERMAN', 'de'],
    ['Mandarin', 'zh'],
    ['Mandarin Chinese', 'zh'],
    ['Cantonese', 'yue'],
    ['Farsi', 'fa'],
    ['Greek', 'el'],
    ['Modern Greek', 'el'],
    ['Bangla', 'bn'],
    ['Bengali', 'bn'],
    ['Haitian Creole', 'ht'],
    ['Norwegian Bokmal', 'nb'],
    ['American English', 'en-US'],
    ['Brazilian Portuguese', 'pt-BR'],
    ['English (US)', 'en-US'],
    ['English (India)', 'en-IN'],
    ['English (United Kingdom)', 'en-GB'],
    ['English (UK)', 'en-GB'],
    ['French (France)', 'fr-FR'],
    ['Russian (Russia)', 'ru-RU'],
    ['Serbian (Serbia)', 'sr-RS'],
    ['Portuguese, Brazil', 'pt-BR'],
    ['Ghotuo', 'aaa'],
  ])('is read from the English name "%s"', (text, tag) => {
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

  test.each([
    ['Englsh', 'did you mean "en" (English)?'],
    ['englisch', 'did you mean "en" (English)?'],
    ['Portugese', 'did you mean "pt" (Portuguese)?'],
    ['Deutsch', 'did you mean "de" (German)?'],
    ['Français', 'did you mean "fr" (French)?'],
    ['jp', 'it is a region: did you mean "ja" (Japanese)?'],
    ['gr', 'it is a region: did you mean "el" (Greek)?'],
    ['en-XX', 'write "en" or "en-US"'],
    ['zh-Hanx', 'write "zh" or "zh-CN"'],
    ['???', expect.stringContaining('"English"')],
    ['', expect.stringContaining('"English"')],
    ['xx', expect.stringContaining('"English"')],
    ['qqq', expect.stringContaining('"English"')],
    ['en us', expect.stringContaining('"English"')],
    ['-en', expect.stringContaining('"English"')],
  ])('is not read from "%s", with what to write instead', (text, hint) => {
    expect(parseLanguage(text)).toEqual({ ok: false, failure: { what: expect.any(String), hint } })
    expect(() => readLanguage(text)).toThrow(expect.objectContaining({ code: 'LANGUAGE_UNKNOWN' }))
  })
})

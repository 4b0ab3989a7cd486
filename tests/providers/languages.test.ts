import { describe, expect, test } from 'vitest'
import { findLanguageCode, type ProviderData, protocols, providerData } from '#providers'
import { requestsOf } from './requests.ts'

const tableOf = ({ languages, protocol }: ProviderData) => languages ?? protocols[protocol].languages

/** Tags of corpora, and what each server calls their language in its own list. */
const cases: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  openai: {
    nb: 'no',
    fil: 'tl',
    tl: 'tl',
    jv: 'jw',
    he: 'he',
    iw: 'he',
    'pt-BR': 'pt',
    nn: 'nn',
    yue: 'yue',
  },
  groq: { nb: 'no', fil: 'tl', jv: 'jv', iw: 'he' },
  deepgram: {
    nb: 'no',
    fil: 'tl',
    tl: 'tl',
    'en-GB': 'en-GB',
    'de-AT': 'de',
    'zh-Hant': 'zh-Hant',
    yue: 'zh-HK',
  },
  elevenlabs: { tl: 'tl', nb: 'nb', 'en-GB': 'en' },
  google: { en: 'en-US', he: 'iw-IL', nb: 'no-NO', tl: 'fil-PH', zh: 'cmn-Hans-CN', 'zh-TW': 'cmn-Hant-TW' },
  assemblyai: { nb: 'no', fil: 'tl', jv: 'jw', 'en-US': 'en' },
  speechmatics: { zh: 'cmn', 'zh-TW': 'cmn', nb: 'no', fil: 'tl', yue: 'yue' },
  gladia: { nb: 'no', fil: 'tl', tl: 'tl', jv: 'jw', iw: 'he' },
  azure: {
    en: 'en-US',
    'en-GB': 'en-GB',
    ar: 'ar-EG',
    no: 'nb-NO',
    tl: 'fil-PH',
    'zh-Hant': 'zh-TW',
    'zh-Latn-CN': 'zh-CN',
  },
  aws: {
    ar: 'ar-SA',
    'ar-EG': 'ar-SA',
    'ar-AE': 'ar-AE',
    nb: 'no-NO',
    fil: 'tl-PH',
    'de-AT': 'de-DE',
    yue: 'zh-HK',
  },
}

describe.each(providerData.filter(({ id }) => cases[id] !== undefined))('the provider $id', (provider) => {
  test('is asked for a language by the code of its list', () => {
    for (const [tag, code] of Object.entries(cases[provider.id] ?? {})) {
      const text = JSON.stringify(requestsOf(provider, { language: tag }))
      expect(findLanguageCode(tag, tableOf(provider)), tag).toBe(code)
      expect(text.replaceAll('\\', ''), tag).toMatch(new RegExp(`["=]${code}["&]`))
    }
  })

  test('is asked for a language that it does not list as a corpus names it', () => {
    expect(findLanguageCode('qaa', tableOf(provider))).toBe('qaa')
  })
})

test('no list of languages has a code twice, and each has its page and the day on which it was read', () => {
  for (const provider of providerData) {
    const { codes, source, date } = tableOf(provider)
    expect(new Set(codes).size, provider.id).toBe(codes.length)
    expect(new URL(source).protocol, provider.id).toBe('https:')
    expect(date, provider.id).toMatch(/^\d{4}-\d\d-\d\d$/)
  }
})

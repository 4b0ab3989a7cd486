import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findLanguageCode } from '#providers/languages'
import { protocols } from '#providers/protocols/protocols'
import type { ProviderData } from '#providers/providers'
import { providerData } from '#providers/providers'
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

/** Where the documents of providers list their codes; other documents say that any text is taken. */
const listed: readonly (readonly [id: string, request: string, path: readonly string[]])[] = [
  ['groq', 'POST /audio/transcriptions', ['language']],
  ['gladia', 'POST /v2/pre-recorded', ['language_config', 'properties', 'languages', 'items']],
  ['assemblyai', 'POST /v2/transcript', ['language_code']],
  ['aws', 'Transcribe.StartTranscriptionJob', ['LanguageCode']],
]

test.each(listed)(
  'the list of %s has the codes that it publishes, and no others',
  async (id, request, path) => {
    const file = join(import.meta.dirname, 'published', `${id}.json`)
    const facts = JSON.parse(await readFile(file, 'utf8')).requests[request].properties
    const { codes } = tableOf(providerData.find((one) => one.id === id) as ProviderData)
    // The dialects of English of AssemblyAI are left to its models.
    const published = enumOf(path.reduce((value, key) => value[key], facts)).filter(
      (code) => !code.includes('en_'),
    )
    expect([...codes].sort()).toEqual(published.sort())
  },
)

/** The values of a schema, or of the one among several that lists them. */
function enumOf(schema: { readonly enum?: readonly string[]; readonly anyOf?: readonly object[] }): string[] {
  return [...(schema.enum ?? schema.anyOf?.flatMap(enumOf) ?? [])]
}

test('no list of languages has a code twice, and each has its page and the day on which it was read', () => {
  for (const provider of providerData) {
    const { codes, source, date } = tableOf(provider)
    expect(new Set(codes).size, provider.id).toBe(codes.length)
    expect(new URL(source).protocol, provider.id).toBe('https:')
    expect(date, provider.id).toMatch(/^\d{4}-\d\d-\d\d$/)
  }
})

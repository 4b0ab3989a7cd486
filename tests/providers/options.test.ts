import { describe, expect, test } from 'vitest'
import { providerAccess } from '#providers/access'
import { type OptionValue, optionExpects, type ProviderOption, readOptionValue } from '#providers/options'
import { findProvider, providerData, sentByDefault } from '#providers/providers'
import { requestsOf, sampleOf } from './requests.ts'

const optionOf = (provider: string, name: string): ProviderOption => {
  const found = findProvider(provider)?.options.find((option) => option.name === name)
  if (found === undefined) throw new TypeError(`${provider} has no ${name}`)
  return found
}

test('values are read as their API takes them, also from the texts of a command line', () => {
  const punctuate = optionOf('deepgram', 'punctuate')
  expect([true, 'true', 'false', 'yes', 1].map((given) => readOptionValue(punctuate, given))).toEqual([
    true,
    true,
    false,
    null,
    null,
  ])
  const temperature = optionOf('openai', 'temperature')
  expect([0, '0.5', 1.1, 'hot', true].map((given) => readOptionValue(temperature, given))).toEqual([
    0,
    0.5,
    null,
    null,
    null,
  ])
  expect(readOptionValue(optionOf('elevenlabs', 'seed'), '1.5')).toBeNull()
  const keyterm = optionOf('deepgram', 'keyterm')
  expect(readOptionValue(keyterm, 'Moonshine')).toEqual(['Moonshine'])
  expect(readOptionValue(keyterm, ['a', ' '])).toBeNull()
  expect(readOptionValue(optionOf('azure', 'punctuationMode'), 'automatic')).toBeNull()
  expect(optionExpects(temperature)).toBe('a number from 0 to 1')
})

/** Every request for a recording, as one text. */
function requestText(provider: (typeof providerData)[number], options: Record<string, OptionValue>): string {
  const steps = requestsOf(provider, { language: 'en', options })
  return steps
    .map(({ path, body }) => decodeURIComponent(path) + JSON.stringify(body))
    .join()
    .replaceAll('\\', '')
}

describe.each(providerData)('the provider $id', (provider) => {
  test('has each option of its data in a request, with each of its texts', () => {
    for (const option of provider.options) {
      const sample = sampleOf(option)
      const plain = requestText(provider, {})
      const text = requestText(provider, { [option.name]: sample })
      const name = option.name.split('.').at(-1) ?? ''
      expect(plain, option.name).not.toContain(name)
      expect(text, option.name).toContain(name)
      for (const value of [sample].flat()) expect(text, option.name).toContain(String(value))
      // A list is several fields, or an array.
      if (Array.isArray(sample)) expect(text, option.name).not.toContain(sample.join(','))
    }
  })

  test('documents each option with a meaning, a page and values that it takes itself', () => {
    const names = provider.options.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    for (const option of provider.options) {
      expect(option.meaning, option.name).not.toBe('')
      expect(new URL(option.source).protocol, option.name).toBe('https:')
      for (const value of [option.default, option.sent ?? null]) {
        if (value !== null) expect(readOptionValue(option, value), option.name).toEqual(value)
      }
    }
  })
})

test('what is sent without being set keeps sounds out of the text and punctuation in it', () => {
  const sent = providerData.flatMap((provider) => {
    const options = sentByDefault(provider)
    return Object.keys(options).length === 0 ? [] : [[provider.id, options] as const]
  })
  expect(Object.fromEntries(sent)).toEqual({
    deepgram: { punctuate: true },
    elevenlabs: { tag_audio_events: false },
    google: { enableAutomaticPunctuation: true },
  })
})

test.each(['localhost:9999', 'speech.example', 'http://', 'ftp://speech.example'])(
  'an address of no server, %s, is reported with the variable that holds it',
  (address) => {
    const keys = {
      AWS_ACCESS_KEY_ID: 'id',
      AWS_SECRET_ACCESS_KEY: 'k',
      AWS_REGION: 'eu-west-1',
      AWS_BUCKET: 'b',
      OPENAI_API_KEY: 'k',
      AZURE_API_KEY: 'k',
      AZURE_STORAGE_URL: 'https://storage.example/c?sig=1',
    }
    for (const id of ['openai', 'aws', 'azure'] as const) {
      const variable = `${id.toUpperCase()}_BASE_URL`
      const provider = findProvider(id)
      const access =
        provider && providerAccess(provider, { env: { ...keys, [variable]: address }, keyFrom: null })
      expect(access).toMatchObject({ missing: [{ variable, isEmpty: false }] })
    }
  },
)

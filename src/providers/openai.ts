import { z } from 'zod'
import { optionFields } from './options.ts'
import {
  asTag,
  done,
  languageOnly,
  type ProviderProtocol,
  type ProviderTranscript,
  post,
} from './protocol.ts'

const timed = z.looseObject({ start: z.number(), end: z.number() })
const answer = z.looseObject({
  text: z.string(),
  language: z.string().nullish(),
  segments: z.array(timed.extend({ text: z.string() })).nullish(),
  words: z.array(timed.extend({ word: z.string() })).nullish(),
})

/** These answer in plain `json` only, without times. */
const withoutTimes = /^(gpt-|voxtral)/

/**
 * `POST {baseUrl}/audio/transcriptions`, as OpenAI documents it and many others speak it.
 *
 * @see https://platform.openai.com/docs/api-reference/audio/createTranscription
 */
export const openaiProtocol: ProviderProtocol = {
  timestamps: ['segment', 'word'],

  access: { kind: 'key', header: (key) => ['authorization', `Bearer ${key}`] },

  start({ model, language, timestamps, options }) {
    const wantsTimes = timestamps.length > 0 && !withoutTimes.test(model)
    const fields = [
      ['model', model] as const,
      ...(language === null ? [] : [['language', languageOnly(language)] as const]),
      ['response_format', wantsTimes ? 'verbose_json' : 'json'] as const,
      ...(wantsTimes ? timestamps : []).map((name) => ['timestamp_granularities[]', name] as const),
      ...optionFields(options),
    ]
    const form = { kind: 'form', fields, file: 'file' } as const
    return post('/audio/transcriptions', form, (value) => done(transcriptOf(value, language)))
  },
}

function transcriptOf(value: unknown, language: string | null): ProviderTranscript | null {
  const parsed = answer.safeParse(value)
  if (!parsed.success) return null
  const { text, segments, words } = parsed.data
  return {
    text: text.trim(),
    language: asTag(parsed.data.language) ?? language,
    segments: segments?.map(({ start, end, text }, id) => ({ id, start, end, text: text.trim() })),
    words: words?.map(({ word, start, end }) => ({ word: word.trim(), start, end })),
  }
}

import { z } from 'zod'
import { findLanguageCode, languageTables } from '../languages.ts'
import { type OptionValues, optionFields } from '../options.ts'
import { asTag, type Granularity, type ProviderProtocol, post, reads } from '../protocol.ts'

const timed = z.looseObject({ start: z.number(), end: z.number() })
const answer = z.looseObject({
  text: z.string(),
  language: z.string().nullish(),
  segments: z.array(timed.extend({ text: z.string() })).nullish(),
  words: z.array(timed.extend({ word: z.string() })).nullish(),
})

/** These answer in plain `json` only, without times. */
const withoutTimes = /^gpt-/

/**
 * Mistral has no `response_format`, times segments where they are asked for, and takes times or a language, not both.
 *
 * @see https://docs.mistral.ai/capabilities/audio_transcription/offline_transcription
 * @see https://github.com/mistralai/client-python/blob/main/docs/models/audiotranscriptionrequest.md
 */
const ofMistral = /^voxtral/

/**
 * `POST {baseUrl}/audio/transcriptions`, as OpenAI documents it and many others speak it.
 *
 * @see https://platform.openai.com/docs/api-reference/audio/createTranscription
 */
export const openaiProtocol: ProviderProtocol = {
  timestamps: ['segment', 'word'],
  languages: languageTables.whisper,

  access: { kind: 'key', header: (key) => ['authorization', `Bearer ${key}`] },

  start({ model, language, languages = languageTables.whisper, timestamps, options }) {
    const fields = [
      ['model', model] as const,
      ...(language === null ? [] : [['language', findLanguageCode(language, languages)] as const]),
      ...(ofMistral.test(model) ? mistralFormat(timestamps, language) : responseFormat(model, timestamps)),
      ...(ofMistral.test(model) ? joinedPhrases(options) : bracketed(options)),
    ]
    const form = { kind: 'form', fields, file: 'file' } as const
    // What is timed depends on the model, so that all the times of an answer are taken.
    const read = reads(answer, ({ text, language: spoken, segments, words }) => ({
      kind: 'done',
      transcript: {
        text: text.trim(),
        language: asTag(spoken) ?? language,
        segments: segments?.map(({ start, end, text }, id) => ({ id, start, end, text: text.trim() })),
        words: words?.map(({ word, start, end }) => ({ word: word.trim(), start, end })),
      },
    }))
    return post('/audio/transcriptions', form, read)
  },
}

/** Mistral takes words without blanks and commas, and an underscore between those of a phrase. */
function joinedPhrases(options: OptionValues): Fields {
  return optionFields(options).map(([name, value]) => [
    name,
    name === 'context_bias' ? value.replaceAll(/[\s,]+/g, '_') : value,
  ])
}

/** OpenAI writes the name of a list with brackets; Mistral repeats it as it is. */
function bracketed(options: OptionValues): Fields {
  return optionFields(options).map(([name, value]) => [
    Array.isArray(options[name]) ? `${name}[]` : name,
    value,
  ])
}

type Fields = readonly (readonly [name: string, value: string])[]

function responseFormat(model: string, timestamps: readonly Granularity[]): Fields {
  const asked = withoutTimes.test(model) ? [] : timestamps
  return [
    ['response_format', asked.length > 0 ? 'verbose_json' : 'json'],
    ...asked.map((name) => ['timestamp_granularities[]', name] as const),
  ]
}

/** The language is more to a transcript than its times are. */
function mistralFormat(timestamps: readonly Granularity[], language: string | null): Fields {
  return timestamps.length > 0 && language === null ? [['timestamp_granularities', 'segment']] : []
}

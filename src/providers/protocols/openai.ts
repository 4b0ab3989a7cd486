import { z } from 'zod'
import type { TimestampGranularity } from '#contract/enums'
import { findLanguageCode, languageTables } from '../languages.ts'
import { type OptionValues, optionFields } from '../options.ts'
import { asTag, type ProviderProtocol, post, reads } from '../protocol.ts'

const timed = z.looseObject({ start: z.number(), end: z.number() })
const answer = z.looseObject({
  text: z.string(),
  language: z.string().nullish(),
  segments: z.array(timed.extend({ text: z.string() })).nullish(),
  words: z.array(timed.extend({ word: z.string() })).nullish(),
})

/** Models that return plain `json` only, without times. */
const withoutTimes = /^gpt-/

/**
 * Mistral's API has no `response_format`, and rejects times together with a language.
 *
 * @see https://docs.mistral.ai/capabilities/audio_transcription/offline_transcription
 * @see https://github.com/mistralai/client-python/blob/main/docs/models/audiotranscriptionrequest.md
 */
const ofMistral = /^voxtral/

/**
 * `POST {baseUrl}/audio/transcriptions`, as OpenAI documents it and many other servers implement it.
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
    // The kind of times depends on the model, so all times of the response are kept.
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

/** Mistral rejects blanks and commas in a term, so underscores join the words of a phrase. */
function joinedPhrases(options: OptionValues): Fields {
  return optionFields(options).map(([name, value]) => [
    name,
    name === 'context_bias' ? value.replaceAll(/[\s,]+/g, '_') : value,
  ])
}

/** OpenAI expects brackets after the name of a list field; Mistral expects the bare name, repeated. */
function bracketed(options: OptionValues): Fields {
  return optionFields(options).map(([name, value]) => [
    Array.isArray(options[name]) ? `${name}[]` : name,
    value,
  ])
}

type Fields = readonly (readonly [name: string, value: string])[]

function responseFormat(model: string, timestamps: readonly TimestampGranularity[]): Fields {
  const granularities = withoutTimes.test(model) ? [] : timestamps
  return [
    ['response_format', granularities.length > 0 ? 'verbose_json' : 'json'],
    ...granularities.map((name) => ['timestamp_granularities[]', name] as const),
  ]
}

/** Times are requested only without a language, which matters more to the transcript than times do. */
function mistralFormat(timestamps: readonly TimestampGranularity[], language: string | null): Fields {
  return timestamps.length > 0 && language === null ? [['timestamp_granularities', 'segment']] : []
}

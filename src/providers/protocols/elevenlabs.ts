import { z } from 'zod'
import { findLanguageCode, languageTables } from '../languages.ts'
import { optionFields } from '../options.ts'
import {
  asTag,
  done,
  type ProviderProtocol,
  type ProviderQuestion,
  type ProviderTranscript,
  post,
} from '../protocol.ts'

const answer = z.looseObject({
  text: z.string(),
  language_code: z.string().nullish(),
  words: z
    .array(
      z.looseObject({
        text: z.string(),
        // The same list has blanks and sounds other than words.
        type: z.string().nullish(),
        start: z.number().nullish(),
        end: z.number().nullish(),
      }),
    )
    .nullish(),
})

/**
 * `POST {baseUrl}/v1/speech-to-text` as a form.
 *
 * @see https://elevenlabs.io/docs/api-reference/speech-to-text/convert
 */
export const elevenlabsProtocol: ProviderProtocol = {
  timestamps: ['word'],
  languages: languageTables.elevenlabs,

  access: { kind: 'key', header: (key) => ['xi-api-key', key] },

  start(question) {
    const { model, language, timestamps, options } = question
    const fields = [
      ['model_id', model] as const,
      ['timestamps_granularity', timestamps.includes('word') ? 'word' : 'none'] as const,
      ...(language === null
        ? []
        : [['language_code', findLanguageCode(language, languageTables.elevenlabs)] as const]),
      ...optionFields(options),
    ]
    const form = { kind: 'form', fields, file: 'file' } as const
    return post('/v1/speech-to-text', form, (value) => done(readTranscript(value, question)))
  },
}

function readTranscript(
  value: unknown,
  { language, timestamps }: ProviderQuestion,
): ProviderTranscript | null {
  const parsed = answer.safeParse(value)
  if (!parsed.success) return null
  const { text, language_code: spoken, words = [] } = parsed.data
  return {
    text: text.trim(),
    language: asTag(spoken) ?? language,
    words: timestamps.includes('word')
      ? (words ?? []).flatMap(({ text: word, type, start, end }) =>
          type === 'word' && start != null && end != null ? [{ word, start, end }] : [],
        )
      : undefined,
  }
}

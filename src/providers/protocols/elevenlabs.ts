import { z } from 'zod'
import { findLanguageCode, languageTables } from '../languages.ts'
import { optionFields } from '../options.ts'
import { done, type ProviderProtocol, post, reads } from '../protocol.ts'

const answer = z.looseObject({
  text: z.string(),
  language_code: z.string().nullish(),
  words: z
    .array(
      z.looseObject({
        text: z.string(),
        // The list also contains spacing and sounds other than words.
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
    const read = reads(answer, ({ text, language_code: spoken, words }) =>
      done(question, {
        text: text.trim(),
        language: spoken,
        words: (words ?? []).flatMap(({ text: word, type, start, end }) =>
          type === 'word' && start != null && end != null ? [{ word, start, end }] : [],
        ),
      }),
    )
    return post('/v1/speech-to-text', form, read)
  },
}

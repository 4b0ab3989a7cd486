import { z } from 'zod'
import { asTag, audioForm, languageOnly, type ProviderProtocol } from './provider.ts'

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

  request({ audio, model, language, timestamps, key, baseUrl }) {
    const { contentType, body } = audioForm(
      [
        ['model_id', model],
        // Otherwise laughter and the like would be in the text.
        ['tag_audio_events', 'false'],
        ['timestamps_granularity', timestamps.includes('word') ? 'word' : 'none'],
        ...(language === null ? [] : [['language_code', languageOnly(language)] as const]),
      ],
      audio,
    )
    return {
      url: `${baseUrl}/v1/speech-to-text`,
      headers: { 'content-type': contentType, ...(key === null ? {} : { 'xi-api-key': key }) },
      body,
    }
  },

  read(value, { language, timestamps }) {
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
  },
}

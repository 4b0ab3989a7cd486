import { z } from 'zod'
import { deepgramLanguages, findLanguageCode } from '../languages.ts'
import { optionFields } from '../options.ts'
import {
  asTag,
  done,
  type ProviderProtocol,
  type ProviderQuestion,
  type ProviderTranscript,
  post,
} from '../protocol.ts'

const timed = z.looseObject({ start: z.number(), end: z.number() })
const answer = z.looseObject({
  results: z.looseObject({
    channels: z
      .array(
        z.looseObject({
          detected_language: z.string().nullish(),
          alternatives: z
            .array(
              z.looseObject({
                transcript: z.string(),
                words: z
                  .array(timed.extend({ word: z.string(), punctuated_word: z.string().nullish() }))
                  .nullish(),
              }),
            )
            .min(1),
        }),
      )
      .min(1),
    utterances: z.array(timed.extend({ transcript: z.string() })).nullish(),
  }),
})

/**
 * `POST {baseUrl}/v1/listen` with the audio as the body.
 *
 * @see https://developers.deepgram.com/reference/speech-to-text/listen-pre-recorded
 */
export const deepgramProtocol: ProviderProtocol = {
  timestamps: ['segment', 'word'],
  languages: deepgramLanguages,

  access: { kind: 'key', header: (key) => ['authorization', `Token ${key}`] },

  start(question) {
    const { model, language, timestamps, options } = question
    const query = new URLSearchParams([['model', model]])
    for (const [name, value] of optionFields(options)) query.append(name, value)
    if (language === null) query.set('detect_language', 'true')
    else query.set('language', findLanguageCode(language, deepgramLanguages))
    if (timestamps.includes('segment')) query.set('utterances', 'true')
    return post(`/v1/listen?${query}`, { kind: 'audio' }, (value) => done(transcriptOf(value, question)))
  },
}

function transcriptOf(value: unknown, { language, timestamps }: ProviderQuestion): ProviderTranscript | null {
  const parsed = answer.safeParse(value)
  const [channel] = parsed.data?.results.channels ?? []
  const [best] = channel?.alternatives ?? []
  if (parsed.data === undefined || channel === undefined || best === undefined) return null
  const { utterances } = parsed.data.results
  return {
    text: best.transcript.trim(),
    language: asTag(channel.detected_language) ?? language,
    segments: utterances?.map(({ start, end, transcript }, id) => ({
      id,
      start,
      end,
      text: transcript.trim(),
    })),
    words: timestamps.includes('word')
      ? best.words?.map(({ word, punctuated_word, start, end }) => ({
          word: punctuated_word ?? word,
          start,
          end,
        }))
      : undefined,
  }
}

import { z } from 'zod'
import { findLanguageCode, languageTables } from '../languages.ts'
import { withOptions } from '../options.ts'
import { done, joinPortions, type ProviderProtocol, post, reads } from '../protocol.ts'

/** Time such as `1.400s`; a word at the beginning of the recording has `0s`. */
const offset = z
  .string()
  .regex(/^\d+(\.\d+)?s$/)
  .transform((text) => Number(text.slice(0, -1)))
const word = z.looseObject({ word: z.string(), startTime: offset.nullish(), endTime: offset.nullish() })
const answer = z.looseObject({
  // A recording without speech has no results.
  results: z
    .array(
      z.looseObject({
        alternatives: z
          .array(z.looseObject({ transcript: z.string().default(''), words: z.array(word).nullish() }))
          .nullish(),
        languageCode: z.string().nullish(),
      }),
    )
    .optional(),
  totalBilledTime: z.string().optional(),
  requestId: z.string().optional(),
})

/** Language that is requested where a contender sets none, because the service requires one. */
const standardLanguage = 'en-US'

/**
 * `POST /speech:recognize` with the audio as base64 in the body: WAV or FLAC of at most one minute.
 *
 * @see https://cloud.google.com/speech-to-text/docs/reference/rest/v1/speech/recognize
 */
export const googleProtocol: ProviderProtocol = {
  timestamps: ['word'],
  languages: languageTables.google,
  access: { kind: 'key', header: (key) => ['x-goog-api-key', key] },
  start(question) {
    const { model, language, timestamps, options } = question
    const config = withOptions(
      {
        languageCode: findLanguageCode(language ?? standardLanguage, languageTables.google),
        model,
        ...(timestamps.includes('word') ? { enableWordTimeOffsets: true } : {}),
      },
      options,
    )
    const body = {
      kind: 'base64',
      head: `{"config":${JSON.stringify(config)},"audio":{"content":"`,
      tail: '"}}',
    } as const
    const read = reads(answer, ({ results, totalBilledTime, requestId }) => {
      // An object without any of these fields is not a response of this API.
      if ((results ?? totalBilledTime ?? requestId) === undefined) return null
      // The results are consecutive portions of the recording.
      const portions = (results ?? []).flatMap(({ alternatives }) => alternatives?.[0] ?? [])
      const words = portions
        .flatMap(({ words }) => words ?? [])
        .flatMap(({ word, startTime: start, endTime: end }) =>
          start == null || end == null ? [] : [{ word, start, end }],
        )
      return done(question, {
        text: joinPortions(portions.map(({ transcript }) => transcript)),
        language: results?.[0]?.languageCode,
        words: words.length === 0 ? undefined : words,
      })
    })
    return post('/speech:recognize', body, read)
  },
}

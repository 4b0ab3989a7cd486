import { z } from 'zod'
import { findLanguageCode, languageTables } from '../languages.ts'
import { withOptions } from '../options.ts'
import { done, joinPortions, type ProviderProtocol, post, reads } from '../protocol.ts'

const timed = z.looseObject({
  text: z.string(),
  offsetMilliseconds: z.number(),
  durationMilliseconds: z.number(),
})
const answer = z.looseObject({
  combinedPhrases: z.array(z.looseObject({ text: z.string() })),
  phrases: z.array(timed.extend({ locale: z.string().nullish(), words: z.array(timed).nullish() })),
})

/** The language of a custom model where a contender sets none. */
const standardLocale = 'en-US'

/**
 * `POST /speechtotext/transcriptions:transcribe` with the recording in a form. The response has the text, so
 * there is no queue and no storage. A model other than `fast` is a custom model.
 *
 * @see https://learn.microsoft.com/en-us/azure/ai-services/speech-service/fast-transcription-create
 */
export const azureFastProtocol: ProviderProtocol = {
  timestamps: ['segment', 'word'],
  languages: languageTables.azure,
  access: {
    kind: 'account',
    hasStorage: false,
    header: (key) => ['ocp-apim-subscription-key', key],
  },
  start(question) {
    const { model, language, options } = question
    const tag = model === 'fast' ? language : (language ?? standardLocale)
    const locale = tag === null ? null : findLanguageCode(tag, languageTables.azure)
    const definition = withOptions(
      {
        ...(locale === null ? {} : { locales: [locale] }),
        ...(model === 'fast' || locale === null ? {} : { models: { [locale]: model } }),
      },
      options,
    )
    const fields = [['definition', JSON.stringify(definition)] as const]
    return post(
      '/speechtotext/transcriptions:transcribe?api-version=2025-10-15',
      { kind: 'form', fields, file: 'audio' },
      reads(answer, ({ combinedPhrases, phrases }) => {
        const ordered = phrases.toSorted((one, other) => one.offsetMilliseconds - other.offsetMilliseconds)
        return done(question, {
          text: joinPortions(combinedPhrases.map(({ text }) => text)),
          language: ordered[0]?.locale,
          segments: ordered.map((phrase, id) => ({ id, text: phrase.text, ...readTimes(phrase) })),
          words: ordered
            .flatMap(({ words }) => words ?? [])
            .map((word) => ({ word: word.text, ...readTimes(word) })),
        })
      }),
    )
  },
}

function readTimes({ offsetMilliseconds, durationMilliseconds }: z.infer<typeof timed>) {
  return { start: offsetMilliseconds / 1000, end: (offsetMilliseconds + durationMilliseconds) / 1000 }
}

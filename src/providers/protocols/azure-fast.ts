import { z } from 'zod'
import { findLanguageCode, languageTables } from '../languages.ts'
import { withOptions } from '../options.ts'
import {
  asTag,
  done,
  joinPortions,
  type ProviderProtocol,
  type ProviderQuestion,
  type ProviderTranscript,
  post,
} from '../protocol.ts'

const timed = z.looseObject({
  text: z.string(),
  offsetMilliseconds: z.number(),
  durationMilliseconds: z.number(),
})
const answer = z.looseObject({
  combinedPhrases: z.array(z.looseObject({ text: z.string() })),
  phrases: z.array(timed.extend({ locale: z.string().nullish(), words: z.array(timed).nullish() })),
})

/** The language of a customised model where a contender names none. */
const standardLocale = 'en-US'

/**
 * `POST /speechtotext/transcriptions:transcribe` with the recording in a form: the answer has the text, without a queue and
 * without a storage. A contender that names another model than `fast` names a customised one.
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
    const own = model === 'fast' ? language : (language ?? standardLocale)
    const locale = own === null ? null : findLanguageCode(own, languageTables.azure)
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
      (value) => done(readTranscript(value, question)),
    )
  },
}

function readTranscript(
  value: unknown,
  { language, timestamps }: ProviderQuestion,
): ProviderTranscript | null {
  const parsed = answer.safeParse(value)
  if (!parsed.success) return null
  const { combinedPhrases, phrases } = parsed.data
  const ordered = phrases.toSorted((one, other) => one.offsetMilliseconds - other.offsetMilliseconds)
  return {
    text: joinPortions(combinedPhrases.map(({ text }) => text)),
    language: asTag(ordered[0]?.locale) ?? language,
    segments: timestamps.includes('segment')
      ? ordered.map((phrase, id) => ({ id, text: phrase.text, ...readTimes(phrase) }))
      : undefined,
    words: timestamps.includes('word')
      ? ordered.flatMap(({ words }) => words ?? []).map((word) => ({ word: word.text, ...readTimes(word) }))
      : undefined,
  }
}

function readTimes({ offsetMilliseconds, durationMilliseconds }: z.infer<typeof timed>) {
  return { start: offsetMilliseconds / 1000, end: (offsetMilliseconds + durationMilliseconds) / 1000 }
}

import { z } from 'zod'
import { findLanguageCode, languageTables } from '../languages.ts'
import { optionFields } from '../options.ts'
import { done, joinPortions, type ProviderProtocol, post, reads } from '../protocol.ts'

const timed = z.looseObject({ start: z.number(), end: z.number() })
const alternative = z.looseObject({
  transcript: z.string(),
  words: z.array(timed.extend({ word: z.string(), punctuated_word: z.string().nullish() })).nullish(),
})
type Spoken = z.infer<typeof alternative>
const answer = z.looseObject({
  results: z.looseObject({
    channels: z
      .array(
        z.looseObject({
          detected_language: z.string().nullish(),
          alternatives: z.array(alternative).min(1),
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
  languages: languageTables.deepgram,

  access: { kind: 'key', header: (key) => ['authorization', `Token ${key}`] },

  start(question) {
    const { model, language, timestamps, options } = question
    const query = new URLSearchParams([['model', model]])
    for (const [name, value] of optionFields(options)) query.append(name, value)
    if (language === null) query.set('detect_language', 'true')
    else query.set('language', findLanguageCode(language, languageTables.deepgram))
    if (timestamps.includes('segment')) query.set('utterances', 'true')
    const read = reads(answer, ({ results: { channels, utterances } }) => {
      const phrases = phrasesInOrder(channels.flatMap(({ alternatives: [best] }) => best ?? []))
      return done(question, {
        text: joinPortions(phrases.map(({ transcript }) => transcript)),
        language: channels[0]?.detected_language,
        segments: utterances
          ?.toSorted((one, other) => one.start - other.start)
          .map(({ start, end, transcript }, id) => ({ id, start, end, text: transcript.trim() })),
        words: phrases
          .flatMap(({ words }) => words ?? [])
          .map(({ word, punctuated_word, start, end }) => ({ word: punctuated_word ?? word, start, end })),
      })
    })
    return post(`/v1/listen?${query}`, { kind: 'audio' }, read)
  },
}

/** Minimum pause between two phrases in seconds, the same as Deepgram's for its utterances. */
const pauseSeconds = 0.8

/** Identical channels count once; otherwise the phrases of all channels are sorted by start. */
function phrasesInOrder(channels: readonly Spoken[]): readonly Spoken[] {
  const isAlike = new Set(channels.map(({ transcript }) => transcript)).size <= 1
  if (isAlike) return channels.slice(0, 1)
  const startOf = ({ words }: Spoken): number => words?.[0]?.start ?? 0
  return channels.flatMap(splitPhrases).toSorted((one, other) => startOf(one) - startOf(other))
}

function splitPhrases(spoken: Spoken): readonly Spoken[] {
  const words = spoken.words ?? []
  const starts = words.flatMap(({ start }, index) =>
    start - (words[index - 1]?.end ?? Number.NEGATIVE_INFINITY) > pauseSeconds ? [index] : [],
  )
  if (starts.length <= 1) return [spoken]
  return starts.map((from, index) => {
    const phrase = words.slice(from, starts[index + 1])
    return {
      words: phrase,
      transcript: joinPortions(phrase.map(({ word, punctuated_word }) => punctuated_word ?? word)),
    }
  })
}

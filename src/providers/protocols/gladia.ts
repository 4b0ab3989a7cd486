import { z } from 'zod'
import { findLanguageCode, languageTables } from '../languages.ts'
import { withOptions } from '../options.ts'
import {
  done,
  get,
  type ProviderProtocol,
  type ProviderQuestion,
  type ProviderStep,
  pollSeconds,
  post,
  reads,
} from '../protocol.ts'

const uploaded = z.looseObject({ audio_url: z.string() })
const submitted = z.looseObject({ id: z.string() })
const timed = z.looseObject({ start: z.number(), end: z.number() })
const job = z.looseObject({
  status: z.enum(['queued', 'processing', 'done', 'error']),
  error_code: z.number().nullish(),
  result: z
    .looseObject({
      transcription: z.looseObject({
        full_transcript: z.string(),
        languages: z.array(z.string()).nullish(),
        utterances: z
          .array(
            timed.extend({ text: z.string(), words: z.array(timed.extend({ word: z.string() })).nullish() }),
          )
          .nullish(),
      }),
    })
    .nullish(),
})

/**
 * `POST /v2/upload`, `POST /v2/pre-recorded`, then `GET /v2/pre-recorded/{id}` until the job has ended.
 *
 * @see https://docs.gladia.io/api-reference/pre-recorded-flow
 */
export const gladiaProtocol: ProviderProtocol = {
  timestamps: ['segment', 'word'],
  languages: languageTables.gladia,
  access: { kind: 'key', header: (key) => ['x-gladia-key', key] },
  start: (question) =>
    post(
      '/v2/upload',
      { kind: 'form', fields: [], file: 'audio' },
      reads(uploaded, ({ audio_url: url }) => ({ kind: 'next', step: submit(question, url) })),
    ),
}

function submit(question: ProviderQuestion, audioUrl: string): ProviderStep {
  const { model, language, options } = question
  const languages = language === null ? [] : [findLanguageCode(language, languageTables.gladia)]
  const optionFields = withOptions({}, options)
  const value = {
    audio_url: audioUrl,
    model,
    language_config: { languages, code_switching: false },
    // Gladia ignores the terms of the vocabulary unless this switch is on.
    ...(optionFields['custom_vocabulary_config'] === undefined ? {} : { custom_vocabulary: true }),
    ...optionFields,
  }
  // The response also has a `result_url`, which is not used: the key must not go to an address that a response names.
  const read = reads(submitted, ({ id }) => ({ kind: 'next', step: ask(id, question, 0) }))
  return post('/v2/pre-recorded', { kind: 'json', value }, read)
}

function ask(id: string, question: ProviderQuestion, pollCount: number): ProviderStep {
  const read = reads(job, ({ status, result, error_code: code }) => {
    if (status === 'error')
      return { kind: 'failed', message: `the job failed${code == null ? '' : ` (${code})`}` }
    if (status !== 'done') return { kind: 'next', step: ask(id, question, pollCount + 1) }
    if (result == null) return null
    const { full_transcript: text, languages, utterances } = result.transcription
    return done(question, {
      text: text.trim(),
      language: languages?.[0],
      segments: utterances?.map(({ text: said, start, end }, index) => ({
        id: index,
        start,
        end,
        text: said.trim(),
      })),
      words: utterances
        ?.flatMap((utterance) => utterance.words ?? [])
        .map(({ word, start, end }) => ({ word: word.trim(), start, end })),
    })
  })
  return get(`/v2/pre-recorded/${encodeURIComponent(id)}`, read, { waitSeconds: pollSeconds(pollCount) })
}

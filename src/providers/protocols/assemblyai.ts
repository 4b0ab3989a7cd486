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

const uploaded = z.looseObject({ upload_url: z.string() })
const job = z.looseObject({
  id: z.string(),
  status: z.enum(['queued', 'processing', 'completed', 'error']),
  text: z.string().nullish(),
  language_code: z.string().nullish(),
  error: z.string().nullish(),
  words: z.array(z.looseObject({ text: z.string(), start: z.number(), end: z.number() })).nullish(),
})

/**
 * `POST /v2/upload`, `POST /v2/transcript`, then `GET /v2/transcript/{id}` until the job has ended.
 *
 * @see https://www.assemblyai.com/docs/openapi.json
 */
export const assemblyaiProtocol: ProviderProtocol = {
  timestamps: ['word'],
  languages: languageTables.assemblyai,
  access: { kind: 'key', header: (key) => ['authorization', key] },
  start: (question) =>
    post(
      '/v2/upload',
      { kind: 'audio', contentType: 'application/octet-stream' },
      reads(uploaded, ({ upload_url: url }) => ({ kind: 'next', step: submit(question, url) })),
    ),
}

function submit(question: ProviderQuestion, audioUrl: string): ProviderStep {
  const { model, language, options } = question
  const value = withOptions(
    {
      audio_url: audioUrl,
      speech_models: [model],
      ...(language === null
        ? { language_detection: true }
        : { language_code: findLanguageCode(language, languageTables.assemblyai) }),
    },
    options,
  )
  return post('/v2/transcript', { kind: 'json', value }, readJob(question, 0))
}

function readJob(question: ProviderQuestion, pollCount: number): ProviderStep['read'] {
  return reads(job, ({ id, status, text, error, language_code: code, words }) => {
    if (status === 'error') return { kind: 'failed', message: error ?? 'the job failed' }
    if (status === 'completed') {
      return done(question, {
        text: (text ?? '').trim(),
        language: code?.replace('_', '-'),
        words: words?.map(({ text: word, start, end }) => ({ word, start: start / 1000, end: end / 1000 })),
      })
    }
    const path = `/v2/transcript/${encodeURIComponent(id)}`
    const read = readJob(question, pollCount + 1)
    return { kind: 'next', step: get(path, read, { waitSeconds: pollSeconds(pollCount) }) }
  })
}

import { z } from 'zod'
import { findLanguageCode, languageTables } from '../languages.ts'
import { withOptions } from '../options.ts'
import {
  asTag,
  get,
  type ProviderProgress,
  type ProviderProtocol,
  type ProviderQuestion,
  type ProviderStep,
  pollSeconds,
  post,
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
    post('/v2/upload', { kind: 'form', fields: [], file: 'audio' }, (answer) => {
      const parsed = uploaded.safeParse(answer)
      return parsed.success ? { kind: 'next', step: submit(question, parsed.data.audio_url) } : null
    }),
}

function submit(question: ProviderQuestion, audioUrl: string): ProviderStep {
  const { model, language, options } = question
  const languages = language === null ? [] : [findLanguageCode(language, languageTables.gladia)]
  const own = withOptions({}, options)
  const value = {
    audio_url: audioUrl,
    model,
    language_config: { languages, code_switching: false },
    // Its terms count where it is switched on.
    ...(own['custom_vocabulary_config'] === undefined ? {} : { custom_vocabulary: true }),
    ...own,
  }
  return post('/v2/pre-recorded', { kind: 'json', value }, (answer) => {
    const parsed = submitted.safeParse(answer)
    // The answer has a `result_url` as well; a key goes to no address that an answer names.
    return parsed.success ? { kind: 'next', step: ask(parsed.data.id, question, 0) } : null
  })
}

function ask(id: string, question: ProviderQuestion, asked: number): ProviderStep {
  const path = `/v2/pre-recorded/${encodeURIComponent(id)}`
  const read = (answer: unknown): ProviderProgress | null => readJob(answer, question, { id, asked })
  return get(path, read, { waitSeconds: pollSeconds(asked) })
}

function readJob(
  answer: unknown,
  question: ProviderQuestion,
  { id, asked }: { readonly id: string; readonly asked: number },
): ProviderProgress | null {
  const parsed = job.safeParse(answer)
  if (!parsed.success) return null
  const { status, result, error_code: code } = parsed.data
  if (status === 'error')
    return { kind: 'failed', message: `the job failed${code == null ? '' : ` (${code})`}` }
  if (status !== 'done') return { kind: 'next', step: ask(id, question, asked + 1) }
  if (result == null) return null
  const { full_transcript: text, languages, utterances } = result.transcription
  const segments = utterances?.map(({ text: said, start, end }, index) => ({
    id: index,
    start,
    end,
    text: said.trim(),
  }))
  const words = utterances
    ?.flatMap((utterance) => utterance.words ?? [])
    .map(({ word, start, end }) => ({ word: word.trim(), start, end }))
  return {
    kind: 'done',
    transcript: {
      text: text.trim(),
      language: asTag(languages?.[0]) ?? question.language,
      segments: question.timestamps.includes('segment') ? segments : undefined,
      words: question.timestamps.includes('word') ? words : undefined,
    },
  }
}

import { z } from 'zod'
import { findLanguageCode, languageTables } from '../languages.ts'
import { withOptions } from '../options.ts'
import {
  asTag,
  done,
  get,
  type ProviderProgress,
  type ProviderProtocol,
  type ProviderQuestion,
  type ProviderStep,
  type ProviderTranscript,
  pollSeconds,
  post,
} from '../protocol.ts'

const submitted = z.looseObject({ id: z.string() })
const job = z.looseObject({
  job: z.looseObject({
    status: z.string(),
    errors: z.array(z.looseObject({ message: z.string() })).nullish(),
  }),
})
const transcript = z.looseObject({
  metadata: z
    .looseObject({
      language_identification: z
        .looseObject({
          predicted_language: z.string().nullish(),
          results: z
            .array(
              z.looseObject({ alternatives: z.array(z.looseObject({ language: z.string() })).nullish() }),
            )
            .nullish(),
        })
        .nullish(),
      language_pack_info: z.looseObject({ word_delimiter: z.string() }).nullish(),
    })
    .nullish(),
  results: z.array(
    z.looseObject({
      type: z.string(),
      start_time: z.number(),
      end_time: z.number(),
      attaches_to: z.string().nullish(),
      alternatives: z.array(z.looseObject({ content: z.string() })).nullish(),
    }),
  ),
})

/**
 * `POST /v2/jobs` with the audio, `GET /v2/jobs/{id}` until it is done, then its transcript.
 *
 * @see https://docs.speechmatics.com/speech-to-text/batch/output
 * @see https://github.com/speechmatics/docs/blob/main/spec/batch.yaml
 */
export const speechmaticsProtocol: ProviderProtocol = {
  timestamps: ['word'],
  languages: languageTables.speechmatics,
  access: { kind: 'key', header: (key) => ['authorization', `Bearer ${key}`] },
  start(question) {
    const { model, language, options } = question
    const config = {
      type: 'transcription',
      transcription_config: withVocabulary(
        withOptions(
          {
            language: chooseLanguage(model, language),
            model,
          },
          options,
        ),
      ),
    }
    const form = {
      kind: 'form',
      fields: [['config', JSON.stringify(config)] as const],
      file: 'data_file',
    } as const
    return post('/v2/jobs', form, (answer) => {
      const parsed = submitted.safeParse(answer)
      return parsed.success ? { kind: 'next', step: ask(parsed.data.id, question, 0) } : null
    })
  },
}

/** Models of many languages take none and no detection. */
const isMultilingual = /^(melia|oak)-/

function chooseLanguage(model: string, language: string | null): string {
  if (isMultilingual.test(model)) return 'multi'
  return language === null ? 'auto' : findLanguageCode(language, languageTables.speechmatics)
}

/** Each term is an object there, which may also say how it sounds. */
function withVocabulary(config: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { additional_vocab: terms } = config
  if (!Array.isArray(terms)) return config
  return { ...config, additional_vocab: terms.map((content: unknown) => ({ content })) }
}

function ask(id: string, question: ProviderQuestion, asked: number): ProviderStep {
  const path = `/v2/jobs/${encodeURIComponent(id)}`
  const read = (answer: unknown): ProviderProgress | null => {
    const parsed = job.safeParse(answer)
    if (!parsed.success) return null
    const { status, errors } = parsed.data.job
    const isOver = ['rejected', 'deleted', 'expired'].includes(status)
    // Its own example says "transcribing", which its list does not have.
    if (!isOver && status !== 'done') return { kind: 'next', step: ask(id, question, asked + 1) }
    if (status === 'done') return { kind: 'next', step: fetchTranscript(path, question) }
    return { kind: 'failed', message: errors?.map(({ message }) => message).join('; ') || `job ${status}` }
  }
  // A longer wait on their side is not part of every account.
  return get(`${path}?wait=0`, read, { waitSeconds: pollSeconds(asked) })
}

function fetchTranscript(path: string, question: ProviderQuestion): ProviderStep {
  return get(`${path}/transcript?format=json-v2`, (answer) => done(readTranscript(answer, question)))
}

/** Between words is the delimiter of the language; a mark says on which of its sides there is none. */
function readTranscript(value: unknown, question: ProviderQuestion): ProviderTranscript | null {
  const parsed = transcript.safeParse(value)
  if (!parsed.success) return null
  const { results, metadata } = parsed.data
  const items = results.flatMap(({ alternatives, ...item }) => {
    const content = alternatives?.[0]?.content
    return content === undefined ? [] : [{ ...item, content }]
  })
  const delimiter = metadata?.language_pack_info?.word_delimiter ?? ' '
  const text = items
    .map(({ content, attaches_to: attaches }, index) => {
      const before = items[index - 1]?.attaches_to
      const isAttached =
        attaches === 'previous' || attaches === 'both' || before === 'next' || before === 'both'
      return index === 0 || isAttached ? content : delimiter + content
    })
    .join('')
  // An amount or a date is one item of the type `entity`, with all its words.
  const words = items
    .filter(({ type }) => type !== 'punctuation')
    .map(({ content, start_time: start, end_time: end }) => ({ word: content, start, end }))
  const { predicted_language: predicted, results: identified } = metadata?.language_identification ?? {}
  const spoken = predicted ?? identified?.[0]?.alternatives?.[0]?.language
  return {
    text,
    language: asTag(spoken) ?? question.language,
    words: question.timestamps.includes('word') ? words : undefined,
  }
}

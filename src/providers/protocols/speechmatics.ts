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
        withOptions({ language: chooseLanguage(model, language), model }, options),
      ),
    }
    const fields = [['config', JSON.stringify(config)] as const]
    const read = reads(submitted, ({ id }) => ({ kind: 'next', step: ask(id, question, 0) }))
    return post('/v2/jobs', { kind: 'form', fields, file: 'data_file' }, read)
  },
}

/** Multilingual models accept neither a single language nor detection. */
const isMultilingual = /^(melia|oak)-/

function chooseLanguage(model: string, language: string | null): string {
  if (isMultilingual.test(model)) return 'multi'
  return language === null ? 'auto' : findLanguageCode(language, languageTables.speechmatics)
}

/** Turns each term into an object, as the API requires; such an object could also hold pronunciations. */
function withVocabulary(config: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { additional_vocab: terms } = config
  if (!Array.isArray(terms)) return config
  return { ...config, additional_vocab: terms.map((content: unknown) => ({ content })) }
}

function ask(id: string, question: ProviderQuestion, pollCount: number): ProviderStep {
  const path = `/v2/jobs/${encodeURIComponent(id)}`
  const read = reads(job, ({ job: { status, errors } }) => {
    const isOver = ['rejected', 'deleted', 'expired'].includes(status)
    // Speechmatics' example has the status "transcribing", which its list of statuses lacks.
    if (!isOver && status !== 'done') return { kind: 'next', step: ask(id, question, pollCount + 1) }
    if (status === 'done') return { kind: 'next', step: fetchTranscript(path, question) }
    return { kind: 'failed', message: errors?.map(({ message }) => message).join('; ') || `job ${status}` }
  })
  // The request does not ask the server to wait, because not every account may use a longer wait.
  return get(`${path}?wait=0`, read, { waitSeconds: pollSeconds(pollCount) })
}

/** Items are joined with the delimiter of the language; `attaches_to` of a punctuation mark removes it on a side. */
function fetchTranscript(path: string, question: ProviderQuestion): ProviderStep {
  const read = reads(transcript, ({ results, metadata }) => {
    const items = results.flatMap(({ alternatives, ...item }) => {
      const content = alternatives?.[0]?.content
      return content === undefined ? [] : [{ ...item, content }]
    })
    const delimiter = metadata?.language_pack_info?.word_delimiter ?? ' '
    const text = items.map(({ content, attaches_to: attaches }, index) => {
      const before = items[index - 1]?.attaches_to
      const isAttached =
        attaches === 'previous' || attaches === 'both' || before === 'next' || before === 'both'
      return index === 0 || isAttached ? content : delimiter + content
    })
    // An amount or a date is one item of type `entity` that contains all its words.
    const words = items
      .filter(({ type }) => type !== 'punctuation')
      .map(({ content, start_time: start, end_time: end }) => ({ word: content, start, end }))
    const { predicted_language: predicted, results: identified } = metadata?.language_identification ?? {}
    const language = predicted ?? identified?.[0]?.alternatives?.[0]?.language
    return done(question, { text: text.join(''), language, words })
  })
  return get(`${path}/transcript?format=json-v2`, read)
}

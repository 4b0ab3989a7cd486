import { z } from 'zod'
import { findLanguageCode, languageTables } from '../languages.ts'
import { withOptions } from '../options.ts'
import {
  done,
  get,
  joinPortions,
  type ProviderBody,
  type ProviderJob,
  type ProviderProtocol,
  type ProviderQuestion,
  type ProviderStep,
  pollSeconds,
  reads,
  remove,
} from '../protocol.ts'

const jobReply = z.looseObject({
  TranscriptionJob: z.looseObject({
    TranscriptionJobStatus: z.enum(['QUEUED', 'IN_PROGRESS', 'FAILED', 'COMPLETED']),
    LanguageCode: z.string().nullish(),
    FailureReason: z.string().nullish(),
  }),
})
const seconds = z
  .string()
  .regex(/^\d+(\.\d+)?$/)
  .transform(Number)
const transcript = z.looseObject({
  results: z.looseObject({
    transcripts: z.array(z.looseObject({ transcript: z.string() })),
    // The items also include punctuation, which has no times.
    items: z
      .array(
        z.looseObject({
          start_time: seconds.optional(),
          end_time: seconds.optional(),
          alternatives: z.array(z.looseObject({ content: z.string() })),
        }),
      )
      .optional(),
  }),
})

/**
 * Uploads the recording to a bucket of the account, calls `StartTranscriptionJob`, polls
 * `GetTranscriptionJob`, and reads the text from the bucket. Recording, job and text are removed afterwards.
 * A model other than `standard` is a custom language model.
 *
 * @see https://docs.aws.amazon.com/transcribe/latest/APIReference/API_StartTranscriptionJob.html
 * @see https://docs.aws.amazon.com/transcribe/latest/dg/how-input.html
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObject.html
 */
export const awsProtocol: ProviderProtocol = {
  timestamps: ['word'],
  languages: languageTables.aws,
  access: { kind: 'signature' },
  start(question, job) {
    const path = `/${job.id}`
    return {
      method: 'PUT',
      at: 'storage',
      path,
      body: { kind: 'audio' },
      waitSeconds: 0,
      read: () => ({ kind: 'next', step: submit(question, job) }),
      undo: remove(path, { at: 'storage' }),
    }
  },
}

function call(operation: string, value: unknown): Omit<ProviderStep, 'read'> {
  const body: ProviderBody = { kind: 'json', value, contentType: 'application/x-amz-json-1.1' }
  const headers = { 'x-amz-target': `Transcribe.${operation}` }
  return { method: 'POST', path: '/', headers, body, waitSeconds: 0 }
}

function submit(question: ProviderQuestion, job: ProviderJob): ProviderStep {
  const { model, language, options } = question
  const { id, storage } = job
  const name = { TranscriptionJobName: id }
  const value = {
    ...name,
    Media: { MediaFileUri: `s3://${storage?.bucket}/${id}` },
    OutputBucketName: storage?.bucket,
    OutputKey: `${id}.json`,
    ...(language === null
      ? { IdentifyLanguage: true }
      : { LanguageCode: findLanguageCode(language, languageTables.aws) }),
    ...(model === 'standard' ? {} : { ModelSettings: { LanguageModelName: model } }),
  }
  const start = call('StartTranscriptionJob', withOptions(value, options))
  return {
    ...start,
    read: reads(jobReply, () => ({ kind: 'next', step: ask(job, question, 0) })),
    undo: { ...call('DeleteTranscriptionJob', name), read: () => null },
  }
}

function ask(job: ProviderJob, question: ProviderQuestion, pollCount: number): ProviderStep {
  return {
    ...call('GetTranscriptionJob', { TranscriptionJobName: job.id }),
    waitSeconds: pollSeconds(pollCount),
    read: reads(jobReply, ({ TranscriptionJob }) => {
      const { TranscriptionJobStatus: status, FailureReason: reason, LanguageCode } = TranscriptionJob
      if (status === 'FAILED') return { kind: 'failed', message: reason ?? 'the job failed' }
      if (status !== 'COMPLETED') return { kind: 'next', step: ask(job, question, pollCount + 1) }
      return { kind: 'next', step: fetchTranscript(job, question, LanguageCode) }
    }),
  }
}

function fetchTranscript(
  { id }: ProviderJob,
  question: ProviderQuestion,
  language: string | null | undefined,
): ProviderStep {
  const path = `/${id}.json`
  const read = reads(transcript, ({ results: { transcripts, items = [] } }) => {
    const text = joinPortions(transcripts.map((one) => one.transcript))
    const words = items.flatMap(({ start_time: start, end_time: end, alternatives: [best] }) =>
      start === undefined || end === undefined || best === undefined
        ? []
        : [{ word: best.content, start, end }],
    )
    return done(question, { text, language, words })
  })
  return get(path, read, { at: 'storage', undo: remove(path, { at: 'storage' }) })
}

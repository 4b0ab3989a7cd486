import { z } from 'zod'
import { findLanguageCode, languageTables } from '../languages.ts'
import { withOptions } from '../options.ts'
import {
  addressBelow,
  done,
  get,
  joinPortions,
  type ProviderJob,
  type ProviderProtocol,
  type ProviderQuestion,
  type ProviderStep,
  pollSeconds,
  post,
  reads,
  remove,
} from '../protocol.ts'

const submitted = z.looseObject({ self: z.string() })
const jobReply = z.looseObject({
  status: z.enum(['NotStarted', 'Running', 'Succeeded', 'Failed']),
  properties: z.looseObject({ error: z.looseObject({ message: z.string() }).nullish() }).nullish(),
})
const files = z.looseObject({
  values: z.array(z.looseObject({ kind: z.string(), links: z.looseObject({ contentUrl: z.string() }) })),
})
const ticks = { offsetInTicks: z.number(), durationInTicks: z.number() }
const transcript = z.looseObject({
  combinedRecognizedPhrases: z.array(z.looseObject({ channel: z.number(), display: z.string() })),
  recognizedPhrases: z.array(
    z.looseObject({
      channel: z.number(),
      offsetInTicks: z.number(),
      locale: z.string().nullish(),
      nBest: z
        .array(
          z.looseObject({
            display: z.string(),
            displayWords: z.array(z.looseObject({ displayText: z.string(), ...ticks })).nullish(),
          }),
        )
        .nullish(),
    }),
  ),
})

const version = 'api-version=2024-11-15'
/** A tick is 100 nanoseconds. */
const ticksPerSecond = 1e7
const standardLocale = 'en-US'

/**
 * Uploads the recording to a container of the account, sends `POST /speechtotext/transcriptions:submit`,
 * polls `GET /speechtotext/transcriptions/{id}`, then reads its list of files and the file with the text.
 * Recording and job are removed afterwards.
 *
 * @see https://learn.microsoft.com/en-us/azure/ai-services/speech-service/batch-transcription-create
 * @see https://learn.microsoft.com/en-us/azure/ai-services/speech-service/batch-transcription-get
 * @see https://learn.microsoft.com/en-us/rest/api/storageservices/put-blob
 */
export const azureProtocol: ProviderProtocol = {
  timestamps: ['word'],
  languages: languageTables.azure,
  access: { kind: 'account', hasStorage: true, header: (key) => ['ocp-apim-subscription-key', key] },
  start(question, job) {
    const path = `/${job.id}`
    return {
      method: 'PUT',
      at: 'storage',
      path,
      headers: { 'x-ms-blob-type': 'BlockBlob', 'x-ms-version': '2021-08-06' },
      body: { kind: 'audio' },
      waitSeconds: 0,
      read: () => ({ kind: 'next', step: submit(question, job) }),
      undo: remove(path, { at: 'storage', headers: { 'x-ms-version': '2021-08-06' } }),
    }
  },
}

function submit(question: ProviderQuestion, { id, storage }: ProviderJob): ProviderStep {
  const { model, language, options } = question
  const value = {
    contentUrls: [addressBelow(storage?.url ?? '', `/${id}`).href],
    locale: findLanguageCode(language ?? standardLocale, languageTables.azure),
    displayName: id,
    ...(model === 'base' ? {} : { model: { self: model } }),
    properties: withOptions(
      // These are the times of the displayed words, which are scored; Whisper models provide no others.
      { timeToLiveHours: 6, displayFormWordLevelTimestampsEnabled: question.timestamps.includes('word') },
      options,
    ),
  }
  const read = reads(submitted, ({ self }) => {
    // Only the job's name is taken, because the key must not go to an address that a response names.
    const [, name] = /\/transcriptions\/([\w-]+)(?:\?|$)/.exec(self) ?? []
    return name === undefined ? null : { kind: 'next', step: ask(name, question, 0) }
  })
  return post(`/speechtotext/transcriptions:submit?${version}`, { kind: 'json', value }, read)
}

function ask(name: string, question: ProviderQuestion, pollCount: number): ProviderStep {
  const path = `/speechtotext/transcriptions/${name}`
  const read = reads(jobReply, ({ status, properties }) => {
    if (status === 'Failed')
      return { kind: 'failed', message: properties?.error?.message ?? 'the job failed' }
    if (status === 'Succeeded') return { kind: 'next', step: listFiles(path, question) }
    return { kind: 'next', step: ask(name, question, pollCount + 1) }
  })
  const undo = pollCount === 0 ? { undo: remove(`${path}?${version}`) } : {}
  return get(`${path}?${version}`, read, { waitSeconds: pollSeconds(pollCount), ...undo })
}

function listFiles(path: string, question: ProviderQuestion): ProviderStep {
  const read = reads(files, ({ values }) => {
    const found = values.find(({ kind }) => kind === 'Transcription')
    return found === undefined
      ? null
      : { kind: 'next', step: fetchTranscript(found.links.contentUrl, question) }
  })
  return get(`${path}/files?${version}`, read)
}

/** Each channel of a recording is transcribed. Identical channels count once; otherwise phrases are merged by time. */
function fetchTranscript(address: string, question: ProviderQuestion): ProviderStep {
  const read = reads(transcript, ({ combinedRecognizedPhrases: channels, recognizedPhrases }) => {
    const isAlike = new Set(channels.map(({ display }) => display)).size <= 1
    const phrases = recognizedPhrases
      .filter(({ channel }) => !isAlike || channel === channels[0]?.channel)
      .toSorted((one, other) => one.offsetInTicks - other.offsetInTicks)
    const best = phrases.flatMap(({ nBest }) => nBest?.[0] ?? [])
    return done(question, {
      text: isAlike ? (channels[0]?.display ?? '').trim() : joinPortions(best.map(({ display }) => display)),
      language: phrases[0]?.locale,
      words: best
        .flatMap(({ displayWords }) => displayWords ?? [])
        .map(({ displayText, offsetInTicks, durationInTicks }) => ({
          word: displayText,
          start: offsetInTicks / ticksPerSecond,
          end: (offsetInTicks + durationInTicks) / ticksPerSecond,
        })),
    })
  })
  return get(address, read, { at: 'address' })
}

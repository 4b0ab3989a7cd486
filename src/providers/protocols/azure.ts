import { z } from 'zod'
import { findLanguageCode, languageTables } from '../languages.ts'
import { withOptions } from '../options.ts'
import {
  addressBelow,
  asTag,
  done,
  get,
  joinPortions,
  type ProviderJob,
  type ProviderProgress,
  type ProviderProtocol,
  type ProviderQuestion,
  type ProviderStep,
  type ProviderTranscript,
  pollSeconds,
  post,
  remove,
} from '../protocol.ts'

const submitted = z.looseObject({ self: z.string() })
const job = z.looseObject({
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
/** A hundred nanoseconds each. */
const ticksPerSecond = 1e7
const standardLocale = 'en-US'

/**
 * The recording is put into a container of the account, `POST /speechtotext/transcriptions:submit`, then
 * `GET /speechtotext/transcriptions/{id}` until it has ended, its list of files, and the one that holds the text. Recording and
 * job are removed afterwards.
 *
 * @see https://learn.microsoft.com/en-us/azure/ai-services/speech-service/batch-transcription-create
 * @see https://learn.microsoft.com/en-us/azure/ai-services/speech-service/batch-transcription-get
 * @see https://learn.microsoft.com/en-us/rest/api/storageservices/put-blob
 */
export const azureProtocol: ProviderProtocol = {
  timestamps: ['word'],
  languages: languageTables.azure,
  access: { kind: 'account', hasStorage: true, header: (key) => ['ocp-apim-subscription-key', key] },
  start(question, own) {
    const path = `/${own.id}`
    return {
      method: 'PUT',
      at: 'storage',
      path,
      headers: { 'x-ms-blob-type': 'BlockBlob', 'x-ms-version': '2021-08-06' },
      body: { kind: 'audio' },
      waitSeconds: 0,
      read: () => ({ kind: 'next', step: submit(question, own) }),
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
      // Times of the words as they are displayed, and scored; Whisper models have no others.
      { timeToLiveHours: 6, displayFormWordLevelTimestampsEnabled: question.timestamps.includes('word') },
      options,
    ),
  }
  return post(`/speechtotext/transcriptions:submit?${version}`, { kind: 'json', value }, (answer) => {
    const parsed = submitted.safeParse(answer)
    // The answer names a whole address; a key goes to no address that an answer names.
    const [, name] = /\/transcriptions\/([\w-]+)(?:\?|$)/.exec(parsed.data?.self ?? '') ?? []
    return name === undefined ? null : { kind: 'next', step: ask(name, question, 0) }
  })
}

function ask(name: string, question: ProviderQuestion, asked: number): ProviderStep {
  const path = `/speechtotext/transcriptions/${name}`
  const read = (answer: unknown): ProviderProgress | null => {
    const parsed = job.safeParse(answer)
    if (!parsed.success) return null
    const { status, properties } = parsed.data
    if (status === 'Failed')
      return { kind: 'failed', message: properties?.error?.message ?? 'the job failed' }
    if (status === 'Succeeded') return { kind: 'next', step: listFiles(path, question) }
    return { kind: 'next', step: ask(name, question, asked + 1) }
  }
  const undo = asked === 0 ? { undo: remove(`${path}?${version}`) } : {}
  return get(`${path}?${version}`, read, { waitSeconds: pollSeconds(asked), ...undo })
}

function listFiles(path: string, question: ProviderQuestion): ProviderStep {
  return get(`${path}/files?${version}`, (answer) => {
    const found = files.safeParse(answer).data?.values.find(({ kind }) => kind === 'Transcription')
    return found === undefined
      ? null
      : { kind: 'next', step: fetchTranscript(found.links.contentUrl, question) }
  })
}

function fetchTranscript(address: string, question: ProviderQuestion): ProviderStep {
  return get(address, (answer) => done(readTranscript(answer, question)), { at: 'address' })
}

type Transcript = z.infer<typeof transcript>

function readTranscript(
  answer: unknown,
  { language, timestamps }: ProviderQuestion,
): ProviderTranscript | null {
  const parsed = transcript.safeParse(answer)
  if (!parsed.success) return null
  const phrases = phrasesInOrder(parsed.data)
  const words = phrases
    .flatMap(({ nBest }) => nBest?.[0]?.displayWords ?? [])
    .map(({ displayText, offsetInTicks, durationInTicks }) => ({
      word: displayText,
      start: offsetInTicks / ticksPerSecond,
      end: (offsetInTicks + durationInTicks) / ticksPerSecond,
    }))
  return {
    text: joinChannels(parsed.data, phrases),
    language: asTag(phrases[0]?.locale) ?? language,
    words: timestamps.includes('word') ? words : undefined,
  }
}

/** Both channels of a stereo recording are transcribed: what both say alike is said once, anything else as time goes by. */
function phrasesInOrder(transcript: Transcript): Transcript['recognizedPhrases'] {
  const { combinedRecognizedPhrases: channels, recognizedPhrases } = transcript
  const own = isAlike(channels)
    ? recognizedPhrases.filter(({ channel }) => channel === channels[0]?.channel)
    : recognizedPhrases
  return own.toSorted((one, other) => one.offsetInTicks - other.offsetInTicks)
}

function joinChannels(
  { combinedRecognizedPhrases: channels }: Transcript,
  phrases: Transcript['recognizedPhrases'],
): string {
  const [first] = channels
  return isAlike(channels)
    ? (first?.display ?? '').trim()
    : joinPortions(phrases.flatMap(({ nBest }) => nBest?.[0]?.display ?? []))
}

function isAlike(channels: Transcript['combinedRecognizedPhrases']): boolean {
  return new Set(channels.map(({ display }) => display)).size <= 1
}

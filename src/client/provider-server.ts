import { basename } from 'node:path'
import type { Clock } from '#load'
import { failed, parseJson, succeeded } from '#prelude'
import { type ProviderData, type ProviderStep, protocols } from '#providers'
import { type AudioBody, type Framing, formFraming, openAudioBody, UnsendableAudio } from './audio-body.ts'
import type { CallTimes } from './connection.ts'
import { exchange, type HttpBody, jsonBody, unsentTimes } from './exchange.ts'
import type { ServiceLocation } from './location.ts'
import type { Reply } from './reply-receiver.ts'
import { failureOf } from './server-failure.ts'
import { TimedPool } from './timed-pool.ts'
import {
  listMs,
  readModelList,
  type ServerCall,
  type ServerResult,
  type TranscriptionServer,
} from './transcription-server.ts'

export interface ProviderConnection {
  readonly key: string | null
  readonly clock: Clock
  readonly connections: number
  /** In place of the provider's own address, without a slash at its end; null for its own. */
  readonly baseUrl: string | null
}

/** What to wait before a job is asked for again, where the provider says that it was asked too often and not how long. */
const pausedPollSeconds = 2

/**
 * Opens connections to a cloud provider, which is asked in its own protocol. Nothing is asked yet. The times of a job that is
 * submitted and asked for are those of the whole job: from the first byte of the audio to the last of the transcript.
 */
export function openProviderServer(
  provider: ProviderData,
  { key, clock, connections, baseUrl: own }: ProviderConnection,
): TranscriptionServer {
  const protocol = protocols[provider.protocol]
  const baseUrl = own ?? provider.baseUrl
  const pools = new Map<string, TimedPool>()
  const poolFor = (origin: string): TimedPool => {
    const pool = pools.get(origin) ?? new TimedPool(origin, { clock, connections })
    pools.set(origin, pool)
    return pool
  }
  const headers = key === null ? {} : Object.fromEntries([protocol.keyHeader(key)])
  const secrets = { key, today: clock.today }
  const baseOf = (model: string): string =>
    own ?? provider.models.find(({ id }) => id === model)?.baseUrl ?? baseUrl

  const send = (
    base: string,
    { method, path }: Pick<ProviderStep, 'method' | 'path'>,
    more: {
      readonly body: HttpBody | null
      readonly timeoutMs: number
      readonly signal: AbortSignal | undefined
    },
  ): ReturnType<typeof exchange> => {
    const { origin, pathname } = new URL(base)
    const location: ServiceLocation = {
      origin,
      hostHeader: null,
      token: key ?? '',
      authorization: '',
      pid: null,
    }
    const call = {
      method,
      path: pathname.replace(/\/+$/, '') + path,
      isAuthenticated: false,
      headers,
      ...more,
    }
    return exchange(poolFor(origin), location, call, clock)
  }

  return {
    baseUrl,
    async listModels() {
      const isListed = provider.protocol === 'openai'
      const asked = { method: 'GET', path: isListed ? '/models' : '/' } as const
      const { reply } = await send(baseUrl, asked, { body: null, timeoutMs: listMs, signal: undefined })
      if (!reply.ok) return reply
      // The others have no list of models of transcription; any answer shows that they are there.
      if (!isListed) return succeeded(provider.models.map(({ id }) => ({ id, shutdownDate: null })))
      const listed = readModelList(parseJson(reply.value.text))
      if (reply.value.status === 200 && listed !== null) return succeeded(listed)
      return failed(failureOf(reply.value, secrets))
    },
    async transcribe(call) {
      const { model, language } = call
      const job: Job = { call, endsAtMs: clock.nowMs() + call.timeoutMs, audioBytes: 0, times: null }
      let step = protocol.start({ model, language, timestamps: [] })
      for (;;) {
        const end = await waitFor(step.waitSeconds, job, clock)
        if (end !== null) return resultOf(job, failed(end), clock)
        const sent = await sendStep(step, job, { send: send.bind(null, baseOf(model)), clock })
        if (!sent.ok) return resultOf(job, sent, clock)
        const reply = sent.value
        if (step.method === 'GET' && reply.status === 429) {
          // The job goes on meanwhile, and is paid for.
          step = { ...step, waitSeconds: Number(reply.retryAfter) || pausedPollSeconds }
          continue
        }
        const isSuccess = reply.status >= 200 && reply.status < 300
        const progress = isSuccess ? step.read(parseJson(reply.text)) : null
        if (progress === null) return resultOf(job, failed(failureOf(reply, secrets)), clock)
        if (progress.kind === 'failed') {
          const refusal = { kind: 'refused', code: 'TRANSCRIPTION_FAILED', hint: null } as const
          const failure = { ...refusal, message: progress.message, httpStatus: reply.status }
          return resultOf(job, failed(failure), clock)
        }
        if (progress.kind === 'next') {
          step = progress.step
          continue
        }
        const { text, language: spoken } = progress.transcript
        const transcript = { text, language: spoken, durationSeconds: null, processingMs: reply.processingMs }
        return resultOf(job, succeeded(transcript), clock)
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...pools.values()].map((pool) => pool[Symbol.asyncDispose]()))
    },
  }
}

/** One recording on its way through the steps of a protocol. */
interface Job {
  readonly call: ServerCall
  readonly endsAtMs: number
  audioBytes: number
  times: CallTimes | null
}

type Sent = ServerResult['outcome'] & { readonly ok: false }

/** @returns why nothing more is sent, or null when the wait is over */
async function waitFor(
  seconds: number,
  { call: { signal, timeoutMs }, endsAtMs }: Job,
  clock: Clock,
): Promise<Sent['failure'] | null> {
  const untilMs = clock.nowMs() + 1000 * seconds
  if (seconds > 0)
    await clock.sleepUntil(Math.min(untilMs, endsAtMs), signal ?? new AbortController().signal, 'rough')
  if (signal?.aborted === true) return { kind: 'dropped' }
  return clock.nowMs() >= endsAtMs ? { kind: 'timedOut', afterMs: timeoutMs, during: 'waiting' } : null
}

async function sendStep(
  step: ProviderStep,
  job: Job,
  {
    send,
    clock,
  }: {
    readonly clock: Clock
    readonly send: (
      step: ProviderStep,
      more: {
        readonly body: HttpBody | null
        readonly timeoutMs: number
        readonly signal: AbortSignal | undefined
      },
    ) => ReturnType<typeof exchange>
  },
): Promise<{ readonly ok: true; readonly value: Reply } | Sent> {
  let audio: AudioBody | null = null
  try {
    audio = await audioOf(step, job.call)
  } catch (error) {
    if (!(error instanceof UnsendableAudio)) throw error
    return failed({ kind: 'unsendable', reason: error.message } as const)
  }
  const body = audio?.body ?? (step.body.kind === 'json' ? jsonBody(step.body.value) : null)
  try {
    const timeoutMs = Math.max(1, job.endsAtMs - clock.nowMs())
    const { reply, times } = await send(step, { body, timeoutMs, signal: job.call.signal })
    job.times =
      job.times === null ? times : { ...times, sentAtMs: job.times.sentAtMs, socket: job.times.socket }
    job.audioBytes += audio?.body.sizeBytes ?? 0
    const problem = audio?.problem() ?? null
    if (!reply.ok && reply.failure.kind === 'unreachable' && problem !== null) {
      return failed({ kind: 'unsendable', reason: problem } as const)
    }
    return reply
  } finally {
    await audio?.[Symbol.asyncDispose]()
  }
}

async function audioOf({ body }: ProviderStep, { audio }: ServerCall): Promise<AudioBody | null> {
  if (body.kind === 'none' || body.kind === 'json') return null
  if (body.kind === 'audio') return openAudioBody(audio, plainFraming(audio.mimeType))
  const fileName = basename(audio.path).replaceAll(/[^\w.-]/g, '_')
  return openAudioBody(
    audio,
    formFraming(body.fields, { name: body.file, fileName, mimeType: audio.mimeType }),
  )
}

/** The recording is the whole body. */
function plainFraming(contentType: string): Framing {
  return {
    contentType,
    head: Buffer.alloc(0),
    tail: Buffer.alloc(0),
    encodedBytes: (sizeBytes) => sizeBytes,
    encode: (piece) => Buffer.from(piece),
  }
}

function resultOf(job: Job, outcome: ServerResult['outcome'], clock: Clock): ServerResult {
  return { outcome, times: job.times ?? unsentTimes(clock), bodyBytes: job.audioBytes }
}

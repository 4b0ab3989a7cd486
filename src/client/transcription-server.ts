import { basename } from 'node:path'
import { z } from 'zod'
import type { RequestFailure, Transcription } from '#contract'
import type { Clock } from '#load'
import { failed, hasCredentials, type Outcome, parseJson, succeeded, withoutCredentials } from '#prelude'
import {
  findLanguageCode,
  type Granularity,
  type OptionValues,
  optionFields,
  whisperLanguages,
} from '#providers'
import { type AudioBody, formFraming, openAudioBody, UnsendableAudio } from './audio-body.ts'
import type { CallTimes } from './connection/connection.ts'
import { exchange, type HttpCall, unsentTimes } from './connection/exchange.ts'
import type { Reply } from './connection/reply-receiver.ts'
import { TimedPool } from './connection/timed-pool.ts'
import type { Environment, ServiceLocation } from './discovery/location.ts'
import { clientErrors } from './errors.ts'
import { failureOf, type Secrets } from './server-failure.ts'

/** A server that speaks `/v1/audio/transcriptions`, named by the address that ends in `/v1`. */
export interface ServerAddress {
  readonly origin: string
  /** Path before `/audio/transcriptions`: `/v1`. */
  readonly basePath: string
}

const prefix = 'openai:'

/**
 * Reads a target such as `openai:http://127.0.0.1:8000/v1`.
 *
 * @returns null for every target that does not begin with `openai:`
 * @throws BenchError TARGET_INVALID
 */
export function parseServerAddress(target: string): ServerAddress | null {
  const text = target.trim()
  if (!text.startsWith(prefix)) return null
  const written = text.slice(prefix.length)
  const url = URL.canParse(written) ? new URL(written) : null
  if (url === null || !/^https?:$/.test(url.protocol) || url.username + url.password + url.search !== '') {
    throw clientErrors.make('TARGET_INVALID', {
      message: `"${prefix}${withoutCredentials(written)}" is not the address of a transcription server`,
      hint: 'write it with its path, openai:http://127.0.0.1:8000/v1; a key comes from the variable that --key-from names',
    })
  }
  return { origin: url.origin, basePath: url.pathname.replace(/\/+$/, '') }
}

/**
 * A target is printed and recorded, so that it has no password in it.
 *
 * @throws BenchError TARGET_INVALID
 */
export function refuseCredentials(target: string): void {
  if (!hasCredentials(target)) return
  throw clientErrors.make('TARGET_INVALID', {
    message: `"${withoutCredentials(target)}" has a user or a password in it, which would be printed and recorded`,
    hint: 'write it without them: the token of a service comes from TRANSCRIBENCH_TOKEN, the key of a server from the variable that --key-from names',
  })
}

/**
 * The key that goes with every request, from the environment variable of this name.
 *
 * @param variable null for a server that wants none
 * @throws BenchError TARGET_KEY_MISSING
 */
export function readServerKey(variable: string | null, { env }: Pick<Environment, 'env'>): string | null {
  if (variable === null) return null
  const key = env[variable]?.trim() ?? ''
  if (/^[\x21-\x7e]+$/.test(key)) return key
  throw clientErrors.make('TARGET_KEY_MISSING', {
    message: `the environment variable ${variable}, which should hold the key of the server, ${key === '' ? 'is not set' : 'does not hold a key'}`,
    hint: `export ${variable}=<key>, or name another one: --key-from <variable>`,
  })
}

export interface ServerCall {
  readonly audio: { readonly path: string; readonly sizeBytes: number; readonly mimeType: string }
  readonly model: string
  /** BCP 47 tag, or null to let the server find out. */
  readonly language: string | null
  /** What is to be timed in the answer, where the server can; empty for nothing. */
  readonly timestamps: readonly Granularity[]
  /** Settings of the API that the contender sets, by their names there. */
  readonly options: OptionValues
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/** What such a server says of a recording. Words and segments only where it times them. */
interface ServerTranscript extends Pick<Transcription, 'words' | 'segments'> {
  readonly text: string
  readonly language: string | null
  /** Length of the audio as the server measured it, which is what it bills; null where it does not say. */
  readonly durationSeconds: number | null
  /** The server's own stopwatch, from the header `openai-processing-ms`; null where it does not say. */
  readonly processingMs: number | null
}

export interface ServerResult {
  readonly outcome: Outcome<ServerTranscript, RequestFailure>
  readonly times: CallTimes
  readonly bodyBytes: number
}

/** A model as a server lists it. */
export interface ListedModel {
  readonly id: string
  /** When it stops answering, `2027-02-26`; null where the server does not say. */
  readonly shutdownDate: string | null
}

/** A server that may or may not answer. No method throws for what a server or a network can do. */
export interface TranscriptionServer extends AsyncDisposable {
  /** Without credentials: `http://127.0.0.1:8000/v1`. */
  readonly baseUrl: string
  /** Its models, where it lists them. */
  listModels(): Promise<Outcome<readonly ListedModel[], RequestFailure>>
  transcribe(call: ServerCall): Promise<ServerResult>
}

export const listMs = 10_000

const modelList = z.looseObject({
  data: z.array(z.looseObject({ id: z.string(), shutdown_date: z.string().nullish() })),
})

/** The answer to `GET /models`; null for one of another shape. */
export function readModelList(answer: unknown): readonly ListedModel[] | null {
  const listed = modelList.safeParse(answer)
  if (!listed.success) return null
  return listed.data.data.map(({ id, shutdown_date }) => ({ id, shutdownDate: shutdown_date ?? null }))
}

const timed = z.looseObject({ start: z.number(), end: z.number() })
const transcript = z.looseObject({
  text: z.string(),
  language: z.string().nullish(),
  // A server with other times has a transcript all the same.
  duration: z.coerce.number().nullish().catch(null),
  segments: z
    .array(timed.extend({ text: z.string() }))
    .nullish()
    .catch(null),
  words: z
    .array(timed.extend({ word: z.string() }))
    .nullish()
    .catch(null),
})

/**
 * Opens connections to a transcription server. Nothing is asked yet.
 *
 * @see https://platform.openai.com/docs/api-reference/audio/createTranscription
 */
export function openTranscriptionServer(
  { origin, basePath }: ServerAddress,
  {
    key,
    clock,
    connections,
  }: { readonly key: string | null; readonly clock: Clock; readonly connections: number },
): TranscriptionServer {
  const pool = new TimedPool(origin, { clock, connections })
  const location: ServiceLocation = {
    origin,
    hostHeader: null,
    token: key ?? '',
    authorization: `Bearer ${key}`,
    pid: null,
  }
  const secrets = { hidden: key === null ? [] : [key], today: clock.today }
  /** Models that refused `verbose_json`: they answer in plain `json`, without language and duration. */
  const plainModels = new Set<string>()
  /** Models that refused to time their words. */
  const untimedModels = new Set<string>()

  const send = (call: Omit<HttpCall, 'isAuthenticated' | 'path'> & { readonly path: string }) =>
    exchange(pool, location, { ...call, path: basePath + call.path, isAuthenticated: key !== null }, clock)

  const sendAs = async (call: ServerCall, format: 'json' | 'verbose_json'): Promise<ServerResult> => {
    const { audio, model, language, timestamps, options } = call
    const fields = [
      ['model', model],
      ...(language === null ? [] : [['language', findLanguageCode(language, whisperLanguages)] as const]),
      ['response_format', format],
      ...timestamps.map((name) => ['timestamp_granularities[]', name] as const),
      ...optionFields(options),
    ] as const
    const fileName = basename(audio.path).replaceAll(/[^\w.-]/g, '_')
    let body: AudioBody
    try {
      body = await openAudioBody(
        audio,
        formFraming(fields, { name: 'file', fileName, mimeType: audio.mimeType }),
      )
    } catch (error) {
      if (!(error instanceof UnsendableAudio)) throw error
      const outcome = failed({ kind: 'unsendable', reason: error.message } as const)
      return { outcome, times: unsentTimes(clock), bodyBytes: 0 }
    }
    await using opened = body
    const { timeoutMs, signal } = call
    const { reply, times } = await send({
      method: 'POST',
      path: '/audio/transcriptions',
      body: opened.body,
      timeoutMs,
      signal,
    })
    const problem = opened.problem()
    const outcome = reply.ok
      ? readTranscript(reply.value, secrets, timestamps)
      : reply.failure.kind === 'unreachable' && problem !== null
        ? failed({ kind: 'unsendable', reason: problem } as const)
        : reply
    return { outcome, times, bodyBytes: opened.body.sizeBytes }
  }

  return {
    baseUrl: origin + basePath,
    async listModels() {
      const { reply } = await send({
        method: 'GET',
        path: '/models',
        body: null,
        timeoutMs: listMs,
        signal: undefined,
      })
      if (!reply.ok) return reply
      const listed = readModelList(parseJson(reply.value.text))
      if (reply.value.status === 200 && listed !== null) return succeeded(listed)
      return failed(failureOf(reply.value, secrets))
    },
    async transcribe(call) {
      const { model } = call
      for (;;) {
        const format = plainModels.has(model) ? 'json' : 'verbose_json'
        const timestamps = format === 'json' || untimedModels.has(model) ? [] : call.timestamps
        const result = await sendAs({ ...call, timestamps }, format)
        if (timestamps.length > 0 && refuses(result.outcome, 'timestamp_granularities')) {
          untimedModels.add(model)
        } else if (format !== 'json' && refuses(result.outcome, 'response_format')) plainModels.add(model)
        else return result
      }
    },
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  }
}

function refuses(outcome: ServerResult['outcome'], field: string): boolean {
  if (outcome.ok || outcome.failure.kind !== 'refused') return false
  const { httpStatus, message } = outcome.failure
  return (httpStatus === 400 || httpStatus === 422) && message.includes(field)
}

/** @param timestamps what was asked for: servers send segments with every verbose answer */
function readTranscript(
  reply: Reply,
  secrets: Secrets,
  timestamps: readonly Granularity[],
): ServerResult['outcome'] {
  const parsed = transcript.safeParse(parseJson(reply.text))
  if (reply.status !== 200 || !parsed.success) return failed(failureOf(reply, secrets))
  const { text, language, duration, words, segments } = parsed.data
  const isTimed = timestamps.length > 0
  return succeeded({
    ...(isTimed && words != null ? { words } : {}),
    ...(isTimed && segments != null
      ? { segments: segments.map((segment, id) => ({ ...segment, id, text: segment.text.trim() })) }
      : {}),
    text: text.trim(),
    language: language ?? null,
    durationSeconds: duration ?? null,
    processingMs: reply.processingMs,
  })
}

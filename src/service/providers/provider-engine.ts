import { request } from 'undici'
import { encodeWav } from '#audio'
import type { ProviderStatus } from '#contract'
import { failed, type Outcome, succeeded } from '#prelude'
import {
  type Clip,
  type Engine,
  type EngineFailure,
  engineSampleRateHz,
  type LoadedModel,
  type Spoken,
} from '../engines/engine.ts'
import type { ProviderProtocol, ProviderQuestion } from './provider.ts'

/** A provider as the operator set it up. */
export interface ProviderSettings {
  readonly id: string
  readonly displayName: string
  readonly protocol: ProviderProtocol
  readonly baseUrl: string
  /** As clients and the provider name them. */
  readonly models: readonly string[]
  /** The name of the variable that holds the key; null for a server that wants none. */
  readonly keyVariable: string | null
  /** Read with each request. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly timeoutSeconds: number
  readonly longestClipSeconds: number | null
}

/** An engine that is somebody else's. */
export interface ProviderEngine extends Engine {
  /** What the last request told of it; asking costs nothing. */
  status(): ProviderStatus
}

/** Far more than the times of every word of half an hour take. */
const longestAnswerCharacters = 32 * 2 ** 20

type Health = 'unknown' | 'healthy' | 'unauthorized' | 'unreachable'

/** A provider over HTTP as an engine. It hears from us with a request to transcribe only, at its own address only. */
export function providerEngine(settings: ProviderSettings): ProviderEngine {
  let health: Health = 'unknown'
  let closedUntilMs = 0
  const key = (): string | null =>
    settings.keyVariable === null ? null : settings.env[settings.keyVariable]?.trim() || null

  async function transcribe(
    model: string,
    clip: Clip,
    wanted: Pick<ProviderQuestion, 'language' | 'timestamps'> & { readonly signal: AbortSignal },
  ): Promise<Outcome<Spoken, EngineFailure>> {
    if (settings.keyVariable !== null && key() === null) return failed(noKey(settings))
    // It said when to come back; until then it is not asked.
    const waitSeconds = Math.ceil((closedUntilMs - performance.now()) / 1000)
    if (waitSeconds > 0) return failed(rateLimited(settings, waitSeconds))
    const { language, timestamps, signal } = wanted
    const audio = new Uint8Array(encodeWav(clip.samples, engineSampleRateHz))
    const question = { audio, model, language, timestamps, key: key(), baseUrl: settings.baseUrl }
    const reply = await send(settings, question, signal)
    health = healthAfter(reply, health)
    if (reply.kind === 'answered' && reply.statusCode === 429) {
      closedUntilMs = performance.now() + (reply.retryAfterSeconds ?? 0) * 1000
    }
    return spokenOf(settings, question, reply)
  }

  return {
    describe: () => ({
      family: settings.id,
      timestamps: settings.protocol.timestamps,
      mostAtOnce: null,
      longestClipSeconds: settings.longestClipSeconds,
    }),
    async load({ id }): Promise<Outcome<LoadedModel, EngineFailure>> {
      if (!settings.models.includes(id)) {
        const message = `${settings.displayName} is not set up with a model "${id}".`
        return failed({ code: 'ENGINE_UNAVAILABLE', message })
      }
      return succeeded({
        transcribe: (clip, wanted) => transcribe(id, clip, wanted),
        unload: async () => undefined,
      })
    },
    status: () => ({
      id: settings.id,
      key_present: settings.keyVariable === null || key() !== null,
      reachable: health === 'healthy' || health === 'unauthorized',
      status: health,
    }),
  }
}

type Reply =
  | {
      readonly kind: 'answered'
      readonly statusCode: number
      readonly retryAfterSeconds: number | null
      readonly text: string
    }
  | { readonly kind: 'timedOut' }
  | { readonly kind: 'abandoned' }
  /** More than a transcript can be. */
  | { readonly kind: 'endless' }
  | { readonly kind: 'unreachable'; readonly reason: string }

async function send(
  { protocol, timeoutSeconds }: ProviderSettings,
  question: ProviderQuestion,
  signal: AbortSignal,
): Promise<Reply> {
  const { url, headers, body: sent } = protocol.request(question)
  const timeout = AbortSignal.timeout(timeoutSeconds * 1000)
  try {
    const answer = await request(url, {
      method: 'POST',
      headers,
      body: sent,
      signal: AbortSignal.any([signal, timeout]),
      // The signal alone decides how long it may take.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    let text = ''
    const decoder = new TextDecoder()
    for await (const chunk of answer.body as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true })
      if (text.length > longestAnswerCharacters) return { kind: 'endless' }
    }
    const retryAfterSeconds = secondsOf(answer.headers['retry-after'])
    return { kind: 'answered', statusCode: answer.statusCode, retryAfterSeconds, text }
  } catch (error) {
    if (signal.aborted) return { kind: 'abandoned' }
    if (timeout.aborted) return { kind: 'timedOut' }
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    return { kind: 'unreachable', reason: code }
  }
}

/** Seconds, or a date. @see RFC 9110 section 10.2.3 */
function secondsOf(retryAfter: string | string[] | undefined): number | null {
  const text = Array.isArray(retryAfter) ? retryAfter[0] : retryAfter
  if (text === undefined) return null
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : null
}

function healthAfter(reply: Reply, before: Health): Health {
  if (reply.kind === 'unreachable' || reply.kind === 'timedOut') return 'unreachable'
  if (reply.kind === 'abandoned') return before
  if (reply.kind === 'endless') return 'healthy'
  return isUnauthorized(reply.statusCode) ? 'unauthorized' : 'healthy'
}

function isUnauthorized(statusCode: number): boolean {
  return statusCode === 401 || statusCode === 403
}

function spokenOf(
  settings: ProviderSettings,
  question: ProviderQuestion,
  reply: Reply,
): Outcome<Spoken, EngineFailure> {
  const { displayName, protocol, timeoutSeconds } = settings
  if (reply.kind === 'abandoned') return failed({ code: 'TRANSCRIPTION_FAILED', message: 'Abandoned.' })
  if (reply.kind === 'timedOut') {
    return failed({ code: 'TIMEOUT', message: `${displayName} gave no answer within ${timeoutSeconds} s.` })
  }
  if (reply.kind === 'unreachable') {
    const message = `${displayName} cannot be reached: ${reply.reason}.`
    return failed({
      code: 'TRANSCRIPTION_FAILED',
      message,
      hint: `Is there a server at ${settings.baseUrl}?`,
    })
  }
  if (reply.kind === 'endless') return failed(noTranscript(settings))
  const { statusCode, text, retryAfterSeconds } = reply
  if (isUnauthorized(statusCode)) return failed(refusedKey(settings, statusCode))
  if (statusCode === 429) return failed(rateLimited(settings, retryAfterSeconds))
  if (statusCode === 408 || statusCode === 504) {
    return failed({ code: 'TIMEOUT', message: `${displayName} ran out of time (HTTP ${statusCode}).` })
  }
  if (statusCode < 200 || statusCode > 299) return failed(refusal(settings, question, statusCode, text))
  const spoken = protocol.read(parseJson(text), question)
  return spoken === null ? failed(noTranscript(settings)) : succeeded(spoken)
}

function noTranscript({ displayName }: ProviderSettings): EngineFailure {
  return {
    code: 'TRANSCRIPTION_FAILED',
    message: `${displayName} answered something else than a transcript.`,
  }
}

export function noKey({
  displayName,
  keyVariable,
}: Pick<ProviderSettings, 'displayName' | 'keyVariable'>): EngineFailure {
  return {
    code: 'MISSING_API_KEY',
    message: `${displayName} needs a key.`,
    hint: `Set ${keyVariable ?? 'its key'} in the service's environment, and start it again.`,
  }
}

function refusedKey({ displayName, keyVariable }: ProviderSettings, statusCode: number): EngineFailure {
  return {
    code: 'MISSING_API_KEY',
    message: `${displayName} refuses the key (HTTP ${statusCode}).`,
    hint: keyVariable === null ? 'Name its variable in the engines file.' : `Check ${keyVariable}.`,
  }
}

function rateLimited({ displayName }: ProviderSettings, waitSeconds: number | null): EngineFailure {
  return {
    code: 'RATE_LIMITED',
    message: `${displayName} takes no more requests for now.`,
    hint: waitSeconds === null ? 'Send fewer at once.' : `Retry after ${waitSeconds} s.`,
  }
}

/** What the provider says of it, which may be long, and in which some repeat the key. */
function refusal(
  { displayName }: ProviderSettings,
  { key }: ProviderQuestion,
  statusCode: number,
  text: string,
): EngineFailure {
  const words = (key === null ? text : text.replaceAll(key, '…')).replaceAll(/\s+/g, ' ').trim()
  return {
    code: 'TRANSCRIPTION_FAILED',
    message: `${displayName} refuses the request (HTTP ${statusCode}).`,
    ...(words === '' ? {} : { hint: words.slice(0, 500) }),
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON is not a transcript either.
    return null
  }
}

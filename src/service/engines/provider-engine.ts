import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { encodeWav } from '#audio/sound-stream'
import { meansUnknownKey, readProviderError } from '#contract/provider-errors'
import type { ProviderStatus } from '#contract/resources'
import { failed, type Outcome, parseJson, succeeded } from '#prelude'
import type { LanguageTable } from '#providers/languages'
import type { OptionValues } from '#providers/options'
import {
  limitStep,
  type ProviderProgress,
  type ProviderProtocol,
  type ProviderQuestion,
  type ProviderStep,
  passingStatuses,
  pollAgain,
} from '#providers/protocol'
import { type ProtocolName, protocols } from '#providers/protocols/protocols'
import type { ProviderData } from '#providers/providers'
import { providerData, sentByDefault } from '#providers/providers'
import {
  type Clip,
  type Engine,
  type EngineFailure,
  engineSampleRateHz,
  type LoadedModel,
  type Spoken,
} from './engine.ts'
import { askProvider, makeRequest, type Outbound, type ProviderReply } from './provider-exchange.ts'

/** A provider as configured by the operator. */
export interface ProviderSettings
  extends Omit<ProviderPreset, 'kind' | 'needsKey' | 'maxClipSeconds'>,
    NamedProvider {
  /** Environment variables, read for each request. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly maxClipSeconds: number | null
}

export interface ProviderEngine extends Engine {
  /** The state according to the last request; sends none. */
  status(): ProviderStatus
}

type Health = 'unknown' | 'healthy' | 'unauthorized' | 'unreachable'

/** Runs a provider as an engine over HTTP; it receives only transcription requests, only at its own address. */
export function providerEngine(settings: ProviderSettings, outbound: Outbound): ProviderEngine {
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
    // After HTTP 429 the provider receives no request until its `Retry-After` has passed.
    const waitSeconds = Math.ceil((closedUntilMs - performance.now()) / 1000)
    if (waitSeconds > 0) return failed(rateLimited(settings, { retryAfterSeconds: waitSeconds, said: '.' }))
    const { language, timestamps, signal } = wanted
    const audio = new Uint8Array(encodeWav(clip.samples, engineSampleRateHz))
    const { protocol, baseUrl, options, languages } = settings
    const endpoint = { protocol, baseUrl, key: key() }
    const timeoutMs = settings.timeoutSeconds * 1000
    const timeout = AbortSignal.timeout(timeoutMs)
    const job = { id: randomUUID(), storage: null }
    for (let step = protocol.start({ model, language, languages, timestamps, options }, job); ; ) {
      await sleep(step.waitSeconds * 1000, undefined, {
        signal: AbortSignal.any([signal, timeout]),
      }).catch(() => undefined)
      const reply = await askProvider(outbound, makeRequest(step, audio, endpoint), {
        timeout: AbortSignal.any([timeout, AbortSignal.timeout(limitStep(step, timeoutMs, timeoutMs))]),
        signal,
      })
      health = healthAfter(reply, health)
      if (reply.kind === 'answered' && reply.statusCode === 429) {
        closedUntilMs = performance.now() + (reply.retryAfterSeconds ?? 0) * 1000
      }
      const poll = mayPass(reply)
        ? pollAgain(step, reply.kind === 'answered' ? reply.retryAfterSeconds : null)
        : null
      if (poll !== null && !(reply.kind === 'timedOut' && timeout.aborted)) {
        step = poll
        continue
      }
      const read = readReply(settings, { step, key: endpoint.key }, reply)
      if (!read.ok) return read
      if (read.value.kind === 'done') return succeeded(read.value.transcript)
      step = read.value.step
    }
  }

  return {
    describe: () => ({
      family: settings.id,
      maxConcurrency: null,
      maxClipSeconds: settings.maxClipSeconds,
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

function healthAfter(reply: ProviderReply, before: Health): Health {
  switch (reply.kind) {
    case 'unreachable':
    case 'timedOut':
    case 'cut':
      return 'unreachable'
    case 'abandoned':
      return before
    case 'endless':
      return 'healthy'
    case 'answered':
      return isUnauthorized(reply) ? 'unauthorized' : 'healthy'
  }
}

/** Whether a poll that got this reply may succeed later. */
function mayPass(reply: ProviderReply): boolean {
  if (reply.kind === 'answered') return passingStatuses.has(reply.statusCode)
  return reply.kind === 'unreachable' || reply.kind === 'cut' || reply.kind === 'timedOut'
}

/** The provider that a failure is about. */
interface NamedProvider extends Pick<ProviderPreset, 'displayName' | 'baseUrl'> {
  readonly keyVariable: string | null
  readonly timeoutSeconds: number
}

/** Interprets a response: the transcript, the next request, or a failure with the provider's message. */
function readReply(
  provider: NamedProvider,
  sent: { readonly step: ProviderStep; readonly key: string | null },
  reply: ProviderReply,
): Outcome<Exclude<ProviderProgress, { kind: 'failed' }>, EngineFailure> {
  const { displayName, timeoutSeconds } = provider
  const failure = (
    code: EngineFailure['code'],
    message: string,
    hint?: string,
  ): Outcome<never, EngineFailure> =>
    failed({ code, message: `${displayName} ${message}`, ...(hint === undefined ? {} : { hint }) })
  switch (reply.kind) {
    case 'abandoned':
      return failure('TRANSCRIPTION_FAILED', 'was not waited for: the request was abandoned.')
    case 'timedOut':
      return failure('TIMEOUT', `gave no answer within ${timeoutSeconds} s.`)
    case 'unreachable': {
      const hint = `Is there a server at ${provider.baseUrl}?`
      return failure('TRANSCRIPTION_FAILED', `cannot be reached: ${reply.reason}.`, hint)
    }
    case 'cut':
      return failure(
        'TRANSCRIPTION_FAILED',
        'broke off its answer: the connection closed in the middle of it.',
      )
    case 'endless':
      return failure('TRANSCRIPTION_FAILED', noTranscript)
    case 'answered': {
      const { statusCode, text } = reply
      const isSuccess = statusCode >= 200 && statusCode <= 299
      if (!isSuccess) return failed(refusal(provider, sent.key, reply))
      const progress = sent.step.read(parseJson(text))
      if (progress === null) return failure('TRANSCRIPTION_FAILED', noTranscript)
      if (progress.kind !== 'failed') return succeeded(progress)
      return failure(
        'TRANSCRIPTION_FAILED',
        `could not do the job: ${readRefusal(progress.message, sent.key)}`,
      )
    }
  }
}

const noTranscript = 'answered something else than a transcript.'

function isUnauthorized({ statusCode, text }: Extract<ProviderReply, { kind: 'answered' }>): boolean {
  return statusCode === 401 || statusCode === 403 || (statusCode === 400 && meansUnknownKey(text))
}

function refusal(
  provider: NamedProvider,
  key: string | null,
  reply: Extract<ProviderReply, { kind: 'answered' }>,
): EngineFailure {
  const { statusCode, text, retryAfterSeconds } = reply
  const { displayName, keyVariable } = provider
  const words = readRefusal(text, key)
  const said = words === '' ? '.' : `: ${words}`
  if (isUnauthorized(reply)) {
    return {
      code: 'MISSING_API_KEY',
      message: `${displayName} refuses the key (HTTP ${statusCode})${said}`,
      hint: keyVariable === null ? 'Name its variable in the engines file.' : `Check ${keyVariable}.`,
    }
  }
  if (statusCode === 429) return rateLimited(provider, { retryAfterSeconds, said })
  if (statusCode === 408 || statusCode === 504) {
    return { code: 'TIMEOUT', message: `${displayName} ran out of time (HTTP ${statusCode})${said}` }
  }
  return {
    code: 'TRANSCRIPTION_FAILED',
    message: `${displayName} refuses the request (HTTP ${statusCode})${said}`,
  }
}

/** @param said the provider's message, with the preceding punctuation */
function rateLimited(
  { displayName }: Pick<NamedProvider, 'displayName'>,
  { retryAfterSeconds, said }: { readonly retryAfterSeconds: number | null; readonly said: string },
): EngineFailure {
  return {
    code: 'RATE_LIMITED',
    message: `${displayName} takes no more requests for now${said}`,
    ...(retryAfterSeconds === null
      ? { hint: 'Send fewer at once.' }
      : { hint: `Retry after ${retryAfterSeconds} s.`, retryAfterSeconds }),
  }
}

export function noKey(provider: Pick<NamedProvider, 'displayName' | 'keyVariable'>): EngineFailure {
  const { displayName, keyVariable } = provider
  return {
    code: 'MISSING_API_KEY',
    message: `${displayName} needs a key.`,
    hint: `Set ${keyVariable ?? 'its key'} in the service's environment, and start it again.`,
  }
}

/** Maximum length of a provider's message, in characters; some send a whole page. */
const maxWords = 500

/** The provider's message, or the response's text, on one line. The key is removed, because some repeat it. */
function readRefusal(text: string, key: string | null): string {
  const words = readProviderError(parseJson(text))?.message ?? text
  const line = (key === null ? words : words.replaceAll(key, '…')).replaceAll(/\s+/g, ' ').trim()
  return line.slice(0, maxWords)
}

/** A provider that is known by name. */
export interface ProviderPreset {
  readonly id: string
  readonly displayName: string
  /** The `kind` of the provider in an engines file. */
  readonly kind: ProtocolName
  readonly protocol: ProviderProtocol
  /** Base address without a trailing slash. */
  readonly baseUrl: string
  /** Whether the provider needs a key: `<ID>_API_KEY`, unless the engines file names another variable. */
  readonly needsKey: boolean
  /** Models by the provider's names; empty where only the operator knows them. */
  readonly models: readonly string[]
  /** Options that are sent with every request. */
  readonly options: OptionValues
  /** Language codes of the provider, where they differ from those of its protocol. */
  readonly languages?: LanguageTable | undefined
  /** Maximum length of a request's audio. */
  readonly maxClipSeconds: number
}

/** Limit for uploads of at most 25 MB: ten minutes of 16 kHz WAV are 19.2 MB. */
const maxFormSeconds = 600

/** Limit that bounds memory: half an hour of samples and its encoded copy take 170 MB. */
const maxStreamSeconds = 1_800

/** Local servers, at the addresses on which they listen by default. */
const localPresets: readonly ProviderPreset[] = [
  local('whisper-cpp', 'whisper.cpp', { baseUrl: 'http://127.0.0.1:8080/v1', models: ['whisper'] }),
  local('speaches', 'speaches', { baseUrl: 'http://127.0.0.1:8000/v1', models: [] }),
  local('vllm', 'vLLM', { baseUrl: 'http://127.0.0.1:8000/v1', models: [] }),
]

function local(
  id: string,
  displayName: string,
  at: Pick<ProviderPreset, 'baseUrl' | 'models'>,
): ProviderPreset {
  const protocol = { kind: 'openai', protocol: protocols.openai } as const
  return { id, displayName, ...protocol, ...at, needsKey: false, options: {}, maxClipSeconds: maxFormSeconds }
}

function cloud(data: ProviderData): ProviderPreset {
  const { id, displayName, protocol: kind, baseUrl, models, maxAudioSeconds, options, languages } = data
  return {
    id,
    displayName,
    kind,
    baseUrl,
    protocol: protocols[kind],
    needsKey: true,
    options: sentByDefault({ options }),
    languages,
    models: models.filter((model) => model.baseUrl === undefined).map((model) => model.id),
    maxClipSeconds: Math.min(
      kind === 'openai' ? maxFormSeconds : maxStreamSeconds,
      maxAudioSeconds ?? Number.POSITIVE_INFINITY,
    ),
  }
}

/** Known providers, without those that need a storage of the account, which are for targets only. */
export const providerPresets: readonly ProviderPreset[] = [
  ...providerData.filter(({ protocol }) => protocols[protocol].access.kind === 'key').map(cloud),
  ...localPresets,
]

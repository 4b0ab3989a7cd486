import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { encodeWav } from '#audio'
import type { ProviderStatus } from '#contract'
import { failed, type Outcome, succeeded } from '#prelude'
import type { LanguageTable, OptionValues, ProviderQuestion } from '#providers'
import {
  type Clip,
  type Engine,
  type EngineFailure,
  engineSampleRateHz,
  type LoadedModel,
  type Spoken,
} from '../engines/engine.ts'
import type { Outbound } from '../outbound.ts'
import { askProvider, type ProviderReply } from './provider-exchange.ts'
import { isUnauthorized, type NamedProvider, noKey, rateLimited, readReply } from './provider-failures.ts'
import { requestOf } from './provider-request.ts'

/** A provider as the operator set it up. */
export interface ProviderSettings extends NamedProvider {
  readonly id: string
  /** As clients and the provider name them. */
  readonly models: readonly string[]
  /** What is sent with every request. */
  readonly options: OptionValues
  /** Read with each request. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly maxClipSeconds: number | null
  /** Codes of languages, where it has others than its protocol. */
  readonly languages?: LanguageTable | undefined
}

/** An engine that runs at a provider. */
export interface ProviderEngine extends Engine {
  /** What the last request showed; asking costs nothing. */
  status(): ProviderStatus
}

type Health = 'unknown' | 'healthy' | 'unauthorized' | 'unreachable'

/** A provider over HTTP as an engine. It is sent a request to transcribe only, at its own address only. */
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
    // It said when to come back; until then it is not asked.
    const waitSeconds = Math.ceil((closedUntilMs - performance.now()) / 1000)
    if (waitSeconds > 0) return failed(rateLimited(settings, { retryAfterSeconds: waitSeconds, said: '.' }))
    const { language, timestamps, signal } = wanted
    const audio = new Uint8Array(encodeWav(clip.samples, engineSampleRateHz))
    const { protocol, baseUrl, options, languages } = settings
    const asked = { protocol, baseUrl, key: key() }
    const timeout = AbortSignal.timeout(settings.timeoutSeconds * 1000)
    const job = { id: randomUUID(), storage: null }
    for (let step = protocol.start({ model, language, languages, timestamps, options }, job); ; ) {
      await sleep(step.waitSeconds * 1000, undefined, {
        signal: AbortSignal.any([signal, timeout]),
      }).catch(() => undefined)
      const reply = await askProvider(outbound, requestOf(step, audio, asked), { timeout, signal })
      health = healthAfter(reply, health)
      if (reply.kind === 'answered' && reply.statusCode === 429) {
        closedUntilMs = performance.now() + (reply.retryAfterSeconds ?? 0) * 1000
      }
      const read = readReply(settings, { step, key: asked.key }, reply)
      if (!read.ok) return read
      if (read.value.kind === 'done') return succeeded(read.value.transcript)
      step = read.value.step
    }
  }

  return {
    describe: () => ({
      family: settings.id,
      timestamps: settings.protocol.timestamps,
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
      return isUnauthorized(reply.statusCode) ? 'unauthorized' : 'healthy'
  }
}

import { writeFile } from 'node:fs/promises'
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { encodeWav } from '#audio/sound-stream'
import type { ErrorEnvelope } from '#contract/failures'
import type { Mode } from '#contract/modes'
import { engineSampleRateHz } from '#service/engines/engine'
import { startService } from '#service/service'
import type { LoggedEvent } from '#service/service-event'
import type { RunningService, ServiceOptions } from '#service/settings'
import { temporaryFolder } from '../temporary-folder.ts'
import { type ScriptedEvent, type ScriptedModel, scriptedCatalogue } from './scripted-catalogue.ts'

/** What a client got. `json` is whatever the body holds; an empty object for a body without JSON. */
export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly json: Readonly<Record<string, unknown>> & {
    readonly mode?: Mode
    readonly modes?: readonly Mode[]
  } & {
    readonly error?: ErrorEnvelope['error']
  }
}

interface Sending {
  /** Sent as JSON, or as it is where it is text or bytes. */
  readonly body?: unknown
  /** Laid over the default ones; undefined leaves a default one out. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly signal?: AbortSignal
}

/** A service on a new folder, and a client that can say anything. */
export interface TestService extends AsyncDisposable {
  readonly service: RunningService
  readonly folder: string
  /** What it has logged so far, unless a log is among its options. */
  readonly logged: readonly LoggedEvent[]
  send(method: string, path: string, sending?: Sending): Promise<Answer>
  transcribe(body: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<Answer>
  /** @returns the id of the new Mode */
  createMode(fields: Readonly<Record<string, unknown>>): Promise<string>
}

/** Starts a service with the given options; without a catalogue, its one model `echo` answers `Hello world.` */
export async function startTestService(options: ServiceOptions = {}): Promise<TestService> {
  const folder = await temporaryFolder()
  const logged: LoggedEvent[] = []
  const service = await startService({
    dataDir: folder.path,
    profile: 'linux',
    log: (event) => void logged.push(event),
    catalogue: scriptedCatalogue({ echo: { otherwise: { text: 'Hello world.' } } }),
    ...options,
  })
  const send = (method: string, path: string, sending: Sending = {}): Promise<Answer> =>
    sendTo(service, method, path, sending)
  return {
    service,
    folder: folder.path,
    logged,
    send,
    transcribe: (body, signal) =>
      send('POST', '/transcribe', { body, ...(signal === undefined ? {} : { signal }) }),
    createMode: async (body) => (await send('POST', '/modes', { body })).json.mode?.id ?? '',
    async [Symbol.asyncDispose]() {
      await service.stop()
      await folder[Symbol.asyncDispose]()
    },
  }
}

/** A service with one scripted model, `it`, whose calls can be waited for. */
export async function startWatched(
  script: ScriptedModel,
  options: ServiceOptions = {},
): Promise<
  TestService & { readonly events: ScriptedEvent[]; until(count: number, kind: string): Promise<void> }
> {
  const events: ScriptedEvent[] = []
  const waiting: (() => void)[] = []
  const observe = (event: ScriptedEvent): void => {
    events.push(event)
    for (const check of waiting) check()
  }
  const catalogue = scriptedCatalogue({ it: script }, observe)
  const started = await startTestService({ catalogue, ...options })
  const until = (count: number, kind: string): Promise<void> =>
    new Promise((resolve) => {
      const check = (): void => {
        if (events.filter((event) => event.kind === kind).length >= count) resolve()
      }
      waiting.push(check)
      check()
    })
  return { ...started, events, until }
}

/** An engines file in a new folder, and the options of a service that has no other engines. */
export async function withEngines(text: string, env: Readonly<Record<string, string>> = {}) {
  const folder = await temporaryFolder()
  const path = join(folder.path, 'engines.yaml')
  await writeFile(path, text)
  return {
    path,
    folder: folder.path,
    options: { catalogue: undefined, modelsDir: folder.path, enginesFile: path, env },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}

function sendTo(service: RunningService, method: string, path: string, sending: Sending): Promise<Answer> {
  const defaults = {
    host: `127.0.0.1:${service.port}`,
    authorization: `Bearer ${service.token}`,
    'content-type': sending.body === undefined ? undefined : 'application/json',
  }
  const headers = Object.entries({ ...defaults, ...sending.headers }).filter(
    ([, value]) => value !== undefined,
  )
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        host: '127.0.0.1',
        port: service.port,
        method,
        path,
        headers: Object.fromEntries(headers) as Record<string, string>,
        setHost: false,
        agent: false,
        ...(sending.signal === undefined ? {} : { signal: sending.signal }),
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.once('end', () => {
          const text = Buffer.concat(chunks).toString()
          const json = text.startsWith('{') ? JSON.parse(text) : {}
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json })
        })
        response.once('error', reject)
      },
    )
    request.once('error', reject)
    request.end(bytesOf(sending.body))
  })
}

function bytesOf(body: unknown): string | Uint8Array | undefined {
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) return body
  return JSON.stringify(body)
}

/** A tone as a WAV file. */
export function tone(durationSeconds: number, frequencyHz = 440): Uint8Array {
  const samples = Float32Array.from(
    { length: Math.round(durationSeconds * engineSampleRateHz) },
    (_, index) => 0.3 * Math.sin((2 * Math.PI * frequencyHz * index) / engineSampleRateHz),
  )
  return encodeWav(samples, engineSampleRateHz)
}

export function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}

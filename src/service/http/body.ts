import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { Busboy, type BusboyHeaders } from '@fastify/busboy'
import type { z } from 'zod'
import { limitMessages } from '#contract/failures'
import { failed, type Outcome, succeeded } from '#prelude'
import type { Reservation } from '../waiting.ts'
import { type Call, envelope, type PlatformProfile, type Refusal, refused } from './call.ts'
import { createByteStore, createJsonReader } from './json-reader.ts'

export type JsonObject = Readonly<Record<string, unknown>>

/** Selects the profile's response to an oversized body. */
export type BodyRoute = keyof PlatformProfile['oversize']

/** Reads a body that has to be one JSON object; an oversized one is refused as soon as it exceeds the limit. */
export async function readJsonObject(call: Call): Promise<Outcome<JsonObject, Refusal>> {
  if (isMultipart(call.request)) return noMultipart
  const entered = enterForBody(call, 'elsewhere')
  if (!entered.ok) return entered
  using incoming = entered.value
  const body = await takeJson(call, incoming, 0)
  return body.ok ? succeeded(body.value.json) : body
}

/** A JSON body with its audio extracted. */
interface JsonBody {
  /** The fields; `audio_base64` is empty where the body has audio. */
  readonly json: JsonObject
  /** Undefined where the body has no audio, null where that is not base64. */
  readonly audio: Uint8Array<ArrayBuffer> | null | undefined
}

/** Parses a JSON object while it is received; a duplicate key is refused at once. */
async function takeJson(
  call: Call,
  incoming: IncomingBody,
  expectedAudioCharacters: number,
): Promise<Outcome<JsonBody, Refusal>> {
  const reader = createJsonReader(expectedAudioCharacters)
  const refusal = await takeBody(call, incoming, reader.push)
  if (reader.problem !== null) {
    const { kind, what } = reader.problem
    if (kind === 'too long') return failed(call.profile.oversize[incoming.route])
    // The text before the key may be invalid JSON, which is then reported instead.
    const before = kind === 'keys' ? parseJsonObject([...reader.json, Buffer.from(':0}')]) : null
    return before === null || before.ok ? refused('INVALID_REQUEST', what) : before
  }
  if (refusal !== null) return failed(refusal)
  const json = parseJsonObject(reader.json)
  return json.ok ? succeeded({ json: json.value, audio: reader.finish() }) : json
}

function isMultipart(request: IncomingMessage): boolean {
  return request.headers['content-type']?.trim().toLowerCase().startsWith('multipart/') ?? false
}

const noMultipart: Outcome<never, Refusal> = refused(
  'INVALID_REQUEST',
  'Multipart requests are not accepted.',
  'Send JSON.',
)

function parseJsonObject(chunks: readonly Buffer[]): Outcome<JsonObject, Refusal> {
  const bytes = Buffer.concat(chunks)
  // Node would replace invalid UTF-8 silently.
  if (!isUtf8(bytes)) return noJson
  const text = bytes.toString('utf8')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return noJson
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return refused('INVALID_REQUEST', 'The body is not a JSON object.')
  }
  if (/\\u[Dd][89A-Fa-f]/.test(text) && !isWellFormed(value)) {
    return refused('INVALID_REQUEST', 'A text of the body has half a character (a lone surrogate).')
  }
  return succeeded(value as JsonObject)
}

/** Clients expect this fixed text, so it does not say where the error is. */
const noJson: Outcome<never, Refusal> = failed(
  envelope('INVALID_REQUEST', 'Invalid JSON body', { httpStatus: 400 }),
)

/** Whether all strings and names in a JSON value are well-formed UTF-16; `createJsonReader` limits its depth. */
function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed()
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([name, inner]) => name.isWellFormed() && isWellFormed(inner))
}

/** Fields whose empty text is a value, which is checked like any other. */
const mayBeEmpty: readonly string[] = ['audio_base64', 'text']

/**
 * Reads the fields of a body. Null and empty values count as absent, because many clients send null for unset
 * fields, and forms send every field.
 */
export function readFields<Fields>(body: JsonObject, fields: z.ZodType<Fields>): Outcome<Fields, Refusal> {
  const presentFields = Object.fromEntries(
    Object.entries(body).filter(
      ([name, value]) => value !== null && (value !== '' || mayBeEmpty.includes(name)),
    ),
  )
  const parsed = fields.safeParse(presentFields, {
    error: ({ code, input, expected }) => {
      if (code !== 'invalid_type') return undefined
      return input === undefined ? 'is missing.' : `must be of type ${expected}.`
    },
  })
  if (parsed.success) return succeeded(parsed.data)
  const problems = parsed.error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.join('.')}: ${message}`,
  )
  return refused('INVALID_REQUEST', problems.join(' '))
}

/** A body to be received, and its memory. */
export interface IncomingBody extends Disposable {
  readonly route: BodyRoute
  readonly memory: Reservation
  /** Aborted when the upload made no progress while others waited for memory. */
  readonly stalled: AbortSignal
}

/** Reserves memory for a body; refuses one whose announced length exceeds the limit. */
export function enterForBody(
  { request, profile, memory, signal }: Call,
  route: BodyRoute,
): Outcome<IncomingBody, Refusal> {
  const announcedBytes = announcedSize(request)
  if (announcedBytes !== null && announcedBytes > profile.requestBytes) return failed(profile.oversize[route])
  const stalled = new AbortController()
  const lane = memory.bodies(announcedBytes ?? Number.POSITIVE_INFINITY)
  const reservation = lane.reserve(signal, () => stalled.abort())
  if (reservation === null) return tooMany
  return succeeded({
    route,
    memory: reservation,
    stalled: stalled.signal,
    [Symbol.dispose]: () => reservation[Symbol.dispose](),
  })
}

export const tooMany: Outcome<never, Refusal> = refused(
  'RATE_LIMITED',
  'Too many requests wait for memory.',
  'Send fewer at once.',
)

export const audioTooLarge: Outcome<never, Refusal> = refused('INVALID_REQUEST', limitMessages.audio)

/** Whether audio exceeds the audio limit. */
export function isTooLarge(sizeBytes: number, { audioBytes }: PlatformProfile): boolean {
  return audioBytes !== null && sizeBytes > audioBytes
}

export const stopping: Refusal = envelope('TRANSCRIPTION_FAILED', 'The service is stopping.')

/** The announced length; null for a chunked body. A body that is neither announced nor chunked is empty. */
function announcedSize({ headers }: IncomingMessage): number | null {
  if (headers['transfer-encoding'] !== undefined) return null
  return Number(headers['content-length'] ?? 0)
}

/** Receives the next chunk of a body; false stops the reading. */
type Take = (chunk: Buffer) => unknown

/** Time limits for receiving a body, in milliseconds: between two chunks, and in total. */
const patienceMs = { silence: 30_000, whole: 300_000 } as const

/** Bytes of a body that are not counted as memory: a few seconds of speech. */
const freeBytes = 2 ** 16

/**
 * Passes on a body chunk by chunk. It reads on only when there is memory, which slows the client down. Beyond
 * the limit it passes on nothing, and discards the rest.
 *
 * @returns the refusal of an incomplete body, or null
 */
async function takeBody(call: Call, body: IncomingBody, take: Take): Promise<Refusal | null> {
  const end = await pump(call, body, take)
  body.memory.complete()
  switch (end) {
    case 'whole':
      return null
    case 'too long':
      return call.profile.oversize[body.route]
    case 'cut off':
      // A client that disconnects destroys its request; if the request still exists, the service is stopping.
      if (call.signal.aborted && !call.request.destroyed) return stopping
      return envelope('INVALID_REQUEST', 'The request ended before its body did.')
    case 'stalled':
      return envelope('RATE_LIMITED', 'The request made no progress while others waited.', {
        hint: 'Send it again, without pauses.',
      })
  }
}

type End = 'whole' | 'too long' | 'cut off' | 'stalled'

function pump({ request, profile, signal, memory }: Call, body: IncomingBody, take: Take): Promise<End> {
  let sizeBytes = 0
  // `for await` is not used, because leaving it early would destroy the connection.
  return new Promise((resolve) => {
    const giveUp = (): void => finish('cut off')
    const onStalled = (): void => finish('stalled')
    const patience = createPatience(giveUp)
    const handOn = (chunk: Buffer): void => {
      if (take(chunk) === false) finish('cut off')
      memory.read(chunk.length)
    }
    const waitFor = async (memory: Promise<boolean>, chunk: Buffer): Promise<void> => {
      request.pause()
      patience.pause()
      if (await memory) {
        patience.resume()
        handOn(chunk)
        request.resume()
      } else giveUp()
    }
    const onData = (chunk: Buffer): void => {
      patience.refresh()
      sizeBytes += chunk.length
      const counted = Math.max(0, Math.min(chunk.length, sizeBytes - freeBytes))
      const reservation = sizeBytes > profile.requestBytes || counted === 0 || body.memory.take(counted)
      if (sizeBytes > profile.requestBytes) finish('too long')
      else if (reservation === true) handOn(chunk)
      else void waitFor(reservation, chunk)
    }
    const onEnd = (): void => finish('whole')
    function finish(end: End): void {
      patience.pause()
      signal.removeEventListener('abort', giveUp)
      body.stalled.removeEventListener('abort', onStalled)
      request.off('data', onData).off('end', onEnd).off('close', giveUp)
      // Later errors of a broken connection are redundant; further data are discarded.
      request.resume()
      resolve(end)
    }
    request.on('error', giveUp)
    request.on('data', onData).once('end', onEnd).once('close', giveUp)
    signal.addEventListener('abort', giveUp, { once: true })
    body.stalled.addEventListener('abort', onStalled, { once: true })
    if (signal.aborted || request.destroyed) giveUp()
  })
}

/** Time-outs for a client, paused while the client waits for the service. */
function createPatience(giveUp: () => void): { refresh(): void; pause(): void; resume(): void } {
  let silence = setTimeout(giveUp, patienceMs.silence)
  let whole = setTimeout(giveUp, patienceMs.whole)
  let [leftMs, startedAtMs] = [patienceMs.whole as number, performance.now()]
  return {
    refresh: () => void silence.refresh(),
    pause() {
      clearTimeout(silence)
      clearTimeout(whole)
      leftMs -= performance.now() - startedAtMs
    },
    resume() {
      startedAtMs = performance.now()
      silence = setTimeout(giveUp, patienceMs.silence)
      whole = setTimeout(giveUp, leftMs)
    },
  }
}

/** Reads JSON or, if the profile allows it, multipart. Audio is decoded while received, and held only once. */
export async function readTranscriptionBody(
  call: Call,
  body: IncomingBody,
): Promise<Outcome<JsonBody, Refusal>> {
  const announcedBytes = Number(call.request.headers['content-length'] ?? 0)
  if (!isMultipart(call.request)) return takeJson(call, body, announcedBytes)
  return call.profile.takesMultipart ? readMultipart(call, body, announcedBytes) : noMultipart
}

const audioPart = 'audio'
const octets = 'application/octet-stream'
/** The only field that may occur repeatedly, with or without brackets after its name. */
const granularityParts: readonly string[] = ['timestamp_granularities', 'timestamp_granularities[]']
/** Limits far above those of real forms, and too low to cost much memory. */
const partLimits = { files: 100, fieldNameSize: 200, headerPairs: 50 } as const
/** Size limits of one field, and of all fields together. */
const maxFieldBytes = 65_536
const maxFieldsBytes = 2 ** 20

/** Reads `multipart/form-data`: the part `audio` as bytes, all other parts as text. */
async function readMultipart(
  call: Call,
  body: IncomingBody,
  expectedBytes: number,
): Promise<Outcome<JsonBody, Refusal>> {
  const parser = openParser(call)
  if (parser === null) return malformed
  const audio = createByteStore(Math.min(expectedBytes, call.profile.audioBytes ?? expectedBytes))
  const fields = new Map<string, string>()
  const granularities: string[] = []
  let audioCount = 0
  let fieldsBytes = 0
  let mimeType: string | undefined
  let isOversized = false
  let isMalformed = false
  let problem: Outcome<never, Refusal> | null = null
  function keepAudio(chunk: Buffer): void {
    if (isOversized) return
    isOversized = isTooLarge(audio.sizeBytes + chunk.length, call.profile)
    if (isOversized) audio.take()
    else audio.append(chunk)
  }
  function keepField(name: string, bytes: Buffer): void {
    const value = bytes.toString('utf8')
    if (!isUtf8(bytes)) problem ??= noJson
    else if (granularityParts.includes(name)) granularities.push(value)
    else if (fields.has(name)) {
      problem ??= refused('INVALID_REQUEST', `The form has the field ${JSON.stringify(name)} twice.`)
    } else fields.set(name, value)
  }
  parser.on('file', (name, stream, fileName, _encoding, type) => {
    const isAudio = name === audioPart
    // A field `audio_base64` is ignored, because the audio of a form is a separate part.
    const isField = !isAudio && fileName === undefined && type !== octets && name !== 'audio_base64'
    if (isAudio) {
      audioCount += 1
      mimeType = type
    }
    const chunks: Buffer[] = []
    let sizeBytes = 0
    stream.on('data', (chunk: Buffer) => {
      if (isAudio) keepAudio(chunk)
      if (!isField) return
      sizeBytes += chunk.length
      fieldsBytes += chunk.length
      if (sizeBytes > maxFieldBytes || fieldsBytes > maxFieldsBytes) isMalformed = true
      else chunks.push(chunk)
    })
    stream.on('end', () => {
      if (isField && !isMalformed) keepField(name, Buffer.concat(chunks))
    })
    stream.on('error', () => {
      isMalformed = true
    })
  })
  parser.on('filesLimit', () => {
    isMalformed = true
  })
  const parsed = new Promise<void>((resolve) => {
    parser.once('finish', resolve)
    parser.once('error', () => {
      isMalformed = true
      resolve()
    })
  })
  const refusal = await takeBody(call, body, (chunk) => {
    if (!isMalformed) parser.write(chunk)
    return !isOversized
  })
  if (isOversized) return audioTooLarge
  if (refusal !== null) {
    parser.destroy()
    return failed(refusal)
  }
  if (!isMalformed) {
    parser.end()
    await parsed
  }
  if (isMalformed || audioCount > 1) return malformed
  if (problem !== null) return problem
  if (audioCount === 0 && !fields.has('file')) return noAudioPart
  const rawText = fields.get('raw_text') ?? ''
  const flags = ['true', 'false'].includes(rawText) ? { raw_text: rawText === 'true' } : {}
  const named = mimeType === undefined ? {} : { mime_type: mimeType }
  const carried = audioCount === 0 ? {} : { audio_base64: '', ...named }
  return succeeded({
    json: { ...Object.fromEntries(fields), ...flags, ...readGranularities(granularities), ...carried },
    audio: audioCount === 0 ? undefined : audio.take(),
  })
}

function openParser({ request }: Call): InstanceType<typeof Busboy> | null {
  try {
    return new Busboy({
      headers: request.headers as BusboyHeaders,
      limits: partLimits,
      // Fields are read as bytes, too, because the parser would replace invalid UTF-8 silently.
      isPartAFile: () => true,
    })
  } catch {
    // A missing boundary and another multipart type are refused alike.
    return null
  }
}

/** Accepts `segment,word`, `["segment","word"]`, or one part for each. */
function readGranularities(parts: readonly string[]) {
  if (parts.length === 0) return {}
  const values = parts.flatMap((text) => text.replaceAll(/[[\]"'\s]/g, '').split(','))
  return { timestamp_granularities: values.filter((value) => value !== '') }
}

const noAudioPart: Outcome<never, Refusal> = refused(
  'INVALID_REQUEST',
  'The form has no part "audio" with the audio.',
  'Send the audio as bytes in a part named "audio".',
)

const malformed: Outcome<never, Refusal> = failed(
  envelope('INVALID_REQUEST', 'The multipart body is malformed.'),
)

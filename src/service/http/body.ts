import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { Busboy, type BusboyHeaders } from '@fastify/busboy'
import type { z } from 'zod'
import { limitMessages } from '#contract/failures'
import { failed, type Outcome, succeeded } from '#prelude'
import type { Reservation } from '../waiting.ts'
import { type Call, envelope, type Profile, type Refusal, refused } from './call.ts'
import { createByteStore, createJsonReader } from './json-reader.ts'

export type JsonObject = Readonly<Record<string, unknown>>

/** Which of the profile's answers an oversized body gets. */
export type BodyRoute = keyof Profile['oversize']

/** A body that has to be one JSON object. It is refused at the limit, not after it has been read. */
export async function readJsonObject(call: Call): Promise<Outcome<JsonObject, Refusal>> {
  if (isMultipart(call.request)) return noMultipart
  const entered = enterForBody(call, 'elsewhere')
  if (!entered.ok) return entered
  using incoming = entered.value
  const body = await takeJson(call, incoming, 0)
  return body.ok ? succeeded(body.value.json) : body
}

/** A body whose audio was taken out of it. */
interface JsonBody {
  /** With an empty `audio_base64` where the body carries audio. */
  readonly json: JsonObject
  /** Undefined where the body carries none, null where it is not base64. */
  readonly audio: Uint8Array<ArrayBuffer> | null | undefined
}

/** Reads a JSON object as it comes; one that has a key twice is refused there. */
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
    // What comes before the key may be no JSON at all.
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
  // Node puts other characters in place of what is no UTF-8.
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

/** Where it went wrong is the client's to find out; the answer's text is fixed. */
const noJson: Outcome<never, Refusal> = failed(
  envelope('INVALID_REQUEST', 'Invalid JSON body', { httpStatus: 400 }),
)

/** Whether all texts in a value of JSON, and all names, are of whole characters. It is as deep as `createJsonReader` allows. */
function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed()
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([name, inner]) => name.isWellFormed() && isWellFormed(inner))
}

/** Fields of which an empty text is a value, to be refused for what it is. */
const mayBeEmpty: readonly string[] = ['audio_base64', 'text']

/**
 * Reads the fields of a body. Many clients write null for what they leave out, and a form sends every field that it
 * has, filled in or not: both are as if left out.
 */
export function readFields<Fields>(body: JsonObject, fields: z.ZodType<Fields>): Outcome<Fields, Refusal> {
  const given = Object.fromEntries(
    Object.entries(body).filter(
      ([name, value]) => value !== null && (value !== '' || mayBeEmpty.includes(name)),
    ),
  )
  const parsed = fields.safeParse(given)
  if (parsed.success) return succeeded(parsed.data)
  const problems = parsed.error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.join('.')}: ${message}`,
  )
  return refused('INVALID_REQUEST', problems.join(' '))
}

/** A body that may come, and its memory. */
export interface IncomingBody extends Disposable {
  readonly route: BodyRoute
  readonly memory: Reservation
  /** Aborted when it made no progress while others waited for memory. */
  readonly stalled: AbortSignal
}

/** Refuses a body that is announced as too long before it has come. */
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

export const stopping: Refusal = envelope('TRANSCRIPTION_FAILED', 'The service is stopping.')

/** Null where the length is not announced. A body that neither is announced nor comes in chunks is none. */
function announcedSize({ headers }: IncomingMessage): number | null {
  if (headers['transfer-encoding'] !== undefined) return null
  return Number(headers['content-length'] ?? 0)
}

/** Gets the next piece of a body; false ends the reading, because no more of it is wanted. */
type Take = (chunk: Buffer) => unknown

/** A client that sends nothing for this long, or is not done after that long, is not waited for. */
const patienceMs = { silence: 30_000, whole: 300_000 } as const

/** A few seconds of speech: too small to be counted. */
const freeBytes = 2 ** 16

/**
 * Hands on a body as it comes, and reads on only when there is memory for it, so that its client feels it. Past its limit
 * nothing more is handed on: what the client still sends is thrown away.
 *
 * @returns why the body is not whole, or null
 */
async function takeBody(call: Call, body: IncomingBody, take: Take): Promise<Refusal | null> {
  const end = await pump(call, body, take)
  body.memory.settle()
  switch (end) {
    case 'whole':
      return null
    case 'too long':
      return call.profile.oversize[body.route]
    case 'cut off':
      // A client that leaves takes its request along; one whose request is still there is left by the service.
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
  // Not `for await`, which would destroy the connection when it is left early.
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
      const taken = sizeBytes > profile.requestBytes || counted === 0 || body.memory.take(counted)
      if (sizeBytes > profile.requestBytes) finish('too long')
      else if (taken === true) handOn(chunk)
      else void waitFor(taken, chunk)
    }
    const onEnd = (): void => finish('whole')
    function finish(end: End): void {
      patience.pause()
      signal.removeEventListener('abort', giveUp)
      body.stalled.removeEventListener('abort', onStalled)
      request.off('data', onData).off('end', onEnd).off('close', giveUp)
      // The error of a connection that breaks has said all it can; what still comes is thrown away.
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

/** Waits for a client, and not while the client waits for us. */
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

/** Reads JSON or, where the profile takes it, multipart. The audio is decoded as it comes, and never kept twice. */
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
/** The one field that may come more than once, with or without brackets behind its name. */
const granularityParts: readonly string[] = ['timestamp_granularities', 'timestamp_granularities[]']
/** Far above any real form, and far below anything that hurts. */
const partLimits = { files: 100, fieldNameSize: 200, headerPairs: 50 } as const
/** Of one field, and of all together. */
const maxFieldBytes = 65_536
const maxFieldsBytes = 2 ** 20

/** Reads `multipart/form-data`: the part `audio` with the bytes, everything else as text. */
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
  let isTooLarge = false
  let isMalformed = false
  let problem: Outcome<never, Refusal> | null = null
  function keepAudio(chunk: Buffer): void {
    if (isTooLarge) return
    isTooLarge = call.profile.audioBytes !== null && audio.sizeBytes + chunk.length > call.profile.audioBytes
    if (isTooLarge) audio.take()
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
    // Audio of a form is a separate part.
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
    return !isTooLarge
  })
  if (isTooLarge) return refused('INVALID_REQUEST', limitMessages.audio)
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
  const flags = fields.get('raw_text') === 'true' ? { raw_text: true } : {}
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
      // Fields come as bytes too: the parser would put other characters in place of what is no UTF-8.
      isPartAFile: () => true,
    })
  } catch {
    // No boundary, or another kind of multipart: all of it is the same mistake.
    return null
  }
}

/** `segment,word`, `["segment","word"]`, or a part for each. */
function readGranularities(given: readonly string[]) {
  if (given.length === 0) return {}
  const values = given.flatMap((text) => text.replaceAll(/[[\]"'\s]/g, '').split(','))
  return { timestamp_granularities: values.filter((value) => value !== '') }
}

const malformed: Outcome<never, Refusal> = failed(
  envelope('INVALID_REQUEST', 'The multipart body is malformed.'),
)

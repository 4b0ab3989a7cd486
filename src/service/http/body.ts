import type { IncomingMessage } from 'node:http'
import type { z } from 'zod'
import { failed, type Outcome, succeeded } from '#prelude'
import type { Profile } from '../profiles.ts'
import type { Call } from './call.ts'
import { createJsonReader } from './json-reader.ts'
import { envelope, type Refusal, refused } from './refusal.ts'
import type { Place } from './room.ts'

export type JsonObject = Readonly<Record<string, unknown>>

/** Which of the profile's answers an oversized body gets. */
export type BodyRoute = keyof Profile['oversize']

/** A body that has to be one JSON object. It is refused at the limit, not after it has been read. */
export async function readJsonObject(
  call: Call,
  profile: Profile,
  route: BodyRoute,
): Promise<Outcome<JsonObject, Refusal>> {
  if (isMultipart(call.request)) return noMultipart
  const place = await enterForBody(call, profile, route)
  if (!place.ok) return place
  using _held = place.value
  const body = await takeJson(call, profile, route, 0)
  return body.ok ? succeeded(body.value.json) : body
}

/** A JSON object whose `audio_base64` was taken out of it. */
interface JsonBody {
  readonly json: JsonObject
  /** Undefined where the body has none, null where it is not base64. */
  readonly audio: Uint8Array<ArrayBuffer> | null | undefined
}

/** Reads a JSON object as it comes; one that has a key twice is refused there. */
export async function takeJson(
  call: Call,
  profile: Profile,
  route: BodyRoute,
  expectedAudioCharacters: number,
): Promise<Outcome<JsonBody, Refusal>> {
  const reader = createJsonReader(expectedAudioCharacters)
  const refusal = await takeBody(call, profile, route, reader.push)
  if (reader.problem !== null) {
    // What comes before the key may be no JSON at all.
    const before = parseJsonObject([...reader.json, Buffer.from(':0}')])
    return before.ok ? refused('INVALID_REQUEST', reader.problem) : before
  }
  if (refusal !== null) return failed(refusal)
  const json = parseJsonObject(reader.json)
  return json.ok ? succeeded({ json: json.value, audio: reader.finish() }) : json
}

export function isMultipart(request: IncomingMessage): boolean {
  return request.headers['content-type']?.trim().toLowerCase().startsWith('multipart/') ?? false
}

export const noMultipart: Outcome<never, Refusal> = refused(
  'INVALID_REQUEST',
  'Multipart requests are not accepted.',
  'Send JSON.',
)

function parseJsonObject(chunks: readonly Buffer[]): Outcome<JsonObject, Refusal> {
  let value: unknown
  try {
    value = JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch {
    // Where it went wrong is the client's to find out; the answer's text is fixed.
    return failed(envelope('INVALID_REQUEST', 'Invalid JSON body', { httpStatus: 400 }))
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return refused('INVALID_REQUEST', 'The body is not a JSON object.')
  }
  return succeeded(value as JsonObject)
}

/** Reads the fields of a body. Many clients write null for what they leave out, so that null is as if left out. */
export function readFields<Fields>(body: JsonObject, fields: z.ZodType<Fields>): Outcome<Fields, Refusal> {
  const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))
  const parsed = fields.safeParse(given)
  if (parsed.success) return succeeded(parsed.data)
  const problems = parsed.error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.join('.')}: ${message}`,
  )
  return refused('INVALID_REQUEST', problems.join(' '))
}

/** Waits for the memory that a body needs, and refuses one that is announced as too long before it has come. */
export async function enterForBody(
  { request, room, signal }: Call,
  profile: Profile,
  route: BodyRoute,
): Promise<Outcome<Place, Refusal>> {
  const announcedBytes = announcedSize(request)
  if (announcedBytes !== null && announcedBytes > profile.requestBytes) return failed(profile.oversize[route])
  const place = await room.enter(announcedBytes ?? Number.POSITIVE_INFINITY, signal)
  return place.ok ? place : noRoom(place.failure)
}

export function noRoom(why: 'full' | 'aborted'): Outcome<never, Refusal> {
  return why === 'full'
    ? refused('RATE_LIMITED', 'Too many large requests wait for their turn.', 'Send fewer at once.')
    : refused('TRANSCRIPTION_FAILED', 'The service is stopping.')
}

/** Null where the length is not announced. A body that neither is announced nor comes in chunks is none. */
function announcedSize({ headers }: IncomingMessage): number | null {
  if (headers['transfer-encoding'] !== undefined) return null
  return Number(headers['content-length'] ?? 0)
}

/** Gets the next piece of a body; false ends the reading, because no more of it is wanted. */
type Take = (chunk: Buffer) => unknown

/** A client that sends nothing for this long, or is not done after that long, is not waited for. */
const patienceMs = { silence: 30_000, whole: 300_000 } as const

/**
 * Hands on a body as it comes. Past its limit nothing more is handed on: what the client still sends is thrown
 * away.
 *
 * @returns why the body is not whole, or null
 */
export async function takeBody(
  { request, signal }: Call,
  profile: Profile,
  route: BodyRoute,
  take: Take,
): Promise<Refusal | null> {
  const end = await pump(request, profile.requestBytes, signal, take)
  switch (end) {
    case 'whole':
      return null
    case 'too long':
      return profile.oversize[route]
    case 'cut off':
      return envelope('INVALID_REQUEST', 'The request ended before its body did.')
  }
}

function pump(
  request: IncomingMessage,
  limitBytes: number,
  signal: AbortSignal,
  take: Take,
): Promise<'whole' | 'too long' | 'cut off'> {
  let sizeBytes = 0
  // Not `for await`, which would destroy the connection when it is left early.
  return new Promise((resolve) => {
    const giveUp = (): void => finish('cut off')
    const silence = setTimeout(giveUp, patienceMs.silence)
    const whole = setTimeout(giveUp, patienceMs.whole)
    const onData = (chunk: Buffer): void => {
      silence.refresh()
      sizeBytes += chunk.length
      if (sizeBytes > limitBytes) finish('too long')
      else if (take(chunk) === false) finish('cut off')
    }
    const onEnd = (): void => finish('whole')
    function finish(end: 'whole' | 'too long' | 'cut off'): void {
      clearTimeout(silence)
      clearTimeout(whole)
      signal.removeEventListener('abort', giveUp)
      request.off('data', onData).off('end', onEnd).off('close', giveUp)
      // The error of a connection that breaks has said all it can; what still comes is thrown away.
      request.resume()
      resolve(end)
    }
    request.on('error', giveUp)
    request.on('data', onData).once('end', onEnd).once('close', giveUp)
    signal.addEventListener('abort', giveUp, { once: true })
    if (signal.aborted || request.destroyed) giveUp()
  })
}

import { isUtf8 } from 'node:buffer'
import { Busboy, type BusboyHeaders } from '@fastify/busboy'
import { limitMessages } from '#contract/failures'
import { failed, type Outcome, succeeded } from '#prelude'
import {
  type IncomingBody,
  isMultipart,
  type JsonObject,
  noJson,
  noMultipart,
  takeBody,
  takeJson,
} from '../http/body.ts'
import { createByteStore } from '../http/byte-store.ts'
import { type Call, envelope, type Refusal, refused } from '../http/call.ts'
import type { Profile } from '../profiles.ts'

/** Reads JSON or, where the profile takes it, multipart. The audio is decoded as it comes, and never kept twice. */
export async function readTranscriptionBody(
  call: Call,
  profile: Profile,
  body: IncomingBody,
): Promise<Outcome<TranscriptionBody, Refusal>> {
  const { headers } = call.request
  const announcedBytes = Number(headers['content-length'] ?? 0)
  if (isMultipart(call.request)) {
    return profile.takesMultipart ? readMultipart(call, profile, body, announcedBytes) : noMultipart
  }
  const json = await takeJson(call, profile, body, announcedBytes)
  return json.ok ? succeeded({ fields: json.value.json, audio: json.value.audio }) : json
}

/** The body of `POST /transcribe`, its audio taken out. */
export interface TranscriptionBody {
  /** With an empty `audio_base64` where the request carries audio. */
  readonly fields: JsonObject
  /** Undefined where the request carries none, null where it is not base64. */
  readonly audio: Uint8Array<ArrayBuffer> | null | undefined
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
  profile: Profile,
  body: IncomingBody,
  expectedBytes: number,
): Promise<Outcome<TranscriptionBody, Refusal>> {
  const parser = openParser(call)
  if (parser === null) return malformed
  const audio = createByteStore(Math.min(expectedBytes, profile.audioBytes ?? expectedBytes))
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
    isTooLarge = profile.audioBytes !== null && audio.sizeBytes + chunk.length > profile.audioBytes
    if (isTooLarge) audio.take()
    else audio.append(chunk)
  }
  function keepField(name: string, bytes: Buffer): void {
    const value = textOf(bytes)
    if (value === null) problem ??= noJson
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
  const refusal = await takeBody(call, profile, body, (chunk) => {
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
    fields: { ...Object.fromEntries(fields), ...flags, ...granularitiesOf(granularities), ...carried },
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
function granularitiesOf(given: readonly string[]): {
  readonly timestamp_granularities?: readonly string[]
} {
  if (given.length === 0) return {}
  const values = given.flatMap((text) => text.replaceAll(/[[\]"'\s]/g, '').split(','))
  return { timestamp_granularities: values.filter((value) => value !== '') }
}

/** Null for what is not UTF-8. */
function textOf(bytes: Buffer): string | null {
  return isUtf8(bytes) ? bytes.toString('utf8') : null
}

const malformed: Outcome<never, Refusal> = failed(
  envelope('INVALID_REQUEST', 'The multipart body is malformed.'),
)

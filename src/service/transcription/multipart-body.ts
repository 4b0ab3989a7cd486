import { Busboy, type BusboyHeaders } from '@fastify/busboy'
import { limitMessages } from '#contract'
import { failed, type Outcome, succeeded } from '#prelude'
import { type IncomingBody, takeBody } from '../http/body.ts'
import { createByteStore } from '../http/byte-store.ts'
import type { Call } from '../http/call.ts'
import { envelope, type Refusal, refused } from '../http/refusal.ts'
import type { Profile } from '../profiles.ts'
import type { TranscriptionBody } from './transcription-body.ts'

const audioPart = 'audio'
/** The one field that may come more than once, with or without brackets behind its name. */
const granularityParts: readonly string[] = ['timestamp_granularities', 'timestamp_granularities[]']
/** Far above any real field, and far below anything that hurts. */
const partLimits = { fields: 50, files: 50, fieldNameSize: 200, fieldSize: 65_536, headerPairs: 50 } as const

/** Reads `multipart/form-data`: the part `audio` with the bytes, everything else as text. */
export async function readMultipart(
  call: Call,
  profile: Profile,
  body: IncomingBody,
  expectedBytes: number,
): Promise<Outcome<TranscriptionBody, Refusal>> {
  const parser = openParser(call)
  if (parser === null) return malformed
  const audio = createByteStore(Math.min(expectedBytes, profile.audioBytes ?? expectedBytes))
  const fields: Record<string, string> = {}
  const granularities: string[] = []
  let audioCount = 0
  let mimeType: string | undefined
  let isTooLarge = false
  let isMalformed = false
  parser.on('field', (name, value, isNameCut, isValueCut) => {
    if (isNameCut || isValueCut) isMalformed = true
    else if (granularityParts.includes(name)) granularities.push(value)
    // Audio of a form is a separate part.
    else if (name !== 'audio_base64') fields[name] = value
  })
  parser.on('file', (name, stream, _fileName, _encoding, type) => {
    if (name === audioPart) {
      audioCount += 1
      mimeType = type
    }
    stream.on('data', (chunk: Buffer) => {
      if (name !== audioPart || isTooLarge) return
      isTooLarge = profile.audioBytes !== null && audio.sizeBytes + chunk.length > profile.audioBytes
      if (isTooLarge) audio.take()
      else audio.append(chunk)
    })
    stream.on('error', () => {
      isMalformed = true
    })
  })
  for (const limit of ['fieldsLimit', 'filesLimit'] as const) {
    parser.on(limit, () => {
      isMalformed = true
    })
  }
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
  const flags = fields['raw_text'] === 'true' ? { raw_text: true } : {}
  const named = mimeType === undefined ? {} : { mime_type: mimeType }
  const carried = audioCount === 0 ? {} : { audio_base64: '', ...named }
  return succeeded({
    fields: { ...fields, ...flags, ...granularitiesOf(granularities), ...carried },
    audio: audioCount === 0 ? undefined : audio.take(),
  })
}

function openParser({ request }: Call): InstanceType<typeof Busboy> | null {
  try {
    return new Busboy({
      headers: request.headers as BusboyHeaders,
      limits: partLimits,
      isPartAFile: (name, type, fileName) =>
        name === audioPart || fileName !== undefined || type === 'application/octet-stream',
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

const malformed: Outcome<never, Refusal> = failed(
  envelope('INVALID_REQUEST', 'The multipart body is malformed.'),
)

import { isUtf8 } from 'node:buffer'
import { Busboy, type BusboyHeaders } from '@fastify/busboy'
import { limitMessages } from '#contract/failures'
import { transcriptionRequest } from '#contract/transcription'
import { failed, type Outcome, succeeded } from '#prelude'
import type { Catalogue } from '../engines/engine.ts'
import { isOfTheSystem } from '../errors.ts'
import { isStoreFull } from '../folder/database.ts'
import {
  enterForBody,
  type IncomingBody,
  isMultipart,
  type JsonBody,
  noJson,
  noMultipart,
  readFields,
  stopping,
  takeBody,
  takeJson,
  tooMany,
} from '../http/body.ts'
import { createByteStore } from '../http/byte-store.ts'
import { type Call, envelope, type Handler, type Refusal, refused } from '../http/call.ts'
import { findMode, type ModeStore } from '../modes/mode-store.ts'
import type { Profile } from '../profiles.ts'
import type { ServiceEvent } from '../service-event.ts'
import { type AudioSource, findAudio } from './audio-source.ts'
import { type History, type HistoryEntry, type RecordingFacts, soundExtension } from './history.ts'
import { findModel } from './resolve-model.ts'
import type { Transcriber } from './transcriber.ts'

/** What of a transcription stays: nothing, its text, or its text and its sound. */
export type Keeping = 'nothing' | 'text' | 'sound'

export interface TranscribeInput {
  readonly profile: Profile
  readonly catalogue: Catalogue
  readonly modelsDir: string
  readonly modes: ModeStore
  readonly transcriber: Transcriber
  readonly history: History
  readonly keeping: Keeping
  /** Real paths of the folders whose files a request may name. */
  readonly readableFolders: readonly string[]
  readonly log: (event: ServiceEvent) => void
}

/** `POST /transcribe`. What costs least is checked first; the engine comes last. */
export function transcribeEndpoint(input: TranscribeInput): Handler<'transcribe'> {
  return async (call) => {
    const entered = enterForBody(call, input.profile, 'transcribe')
    if (!entered.ok) return entered
    using body = entered.value
    const content = await readTranscriptionBody(call, input.profile, body)
    if (!content.ok) return content
    const request = readFields(content.value.json, transcriptionRequest)
    if (!request.ok) return request
    const fields = request.value
    const foundMode = fields.mode_id === undefined ? succeeded(null) : findMode(input.modes, fields.mode_id)
    if (!foundMode.ok) return foundMode
    const mode = foundMode.value
    const audio = await findAudio(fields, content.value.audio, input)
    if (!audio.ok) return audio
    await using source = audio.value
    const foundModel = await findModel(fields, mode, input)
    if (!foundModel.ok) return foundModel
    const model = foundModel.value
    const reserved = await reserveFor(source, call, body)
    if (!reserved.ok) return reserved
    using held = reserved.value
    const bytes = await source.read()
    if (!bytes.ok) return bytes
    const { fileName } = source
    // Before the transcription, which takes the bytes away.
    const recording = await beginRecording(input, bytes.value, soundExtension(fileName, fields.mime_type))
    const { language, timestamp_granularities: timestamps = [] } = fields
    const outcome = await input.transcriber.transcribe(
      { bytes: bytes.value, held, fileName, model, mode, language, timestamps },
      call.signal,
    )
    if (!outcome.ok) {
      await recording.discard()
      return outcome
    }
    const { text, rawText, segments, words, loadMs, decodeMs, cutsSeconds = [] } = outcome.value
    const warning = await recording.complete({
      text,
      transcribedText: text,
      postProcessedText: '',
      duration: outcome.value.durationSeconds,
      mode: mode?.name ?? '',
      transcriptionProvider: model.family,
      postProcessingProvider: '',
      status: 'completed',
    })
    return succeeded({
      ok: true,
      text,
      engine: model.family,
      model: model.id,
      language: outcome.value.language,
      timings: { load_ms: Math.round(loadMs), decode_ms: Math.round(decodeMs) },
      latency_ms: Math.round(performance.now() - call.arrivedAtMs),
      ...(fields.raw_text === true ? { raw_text: rawText } : {}),
      ...(cutsSeconds.length > 0 ? { cuts: cutsSeconds } : {}),
      ...(warning === null ? {} : { warning }),
      ...(timestamps.includes('segment') && segments !== undefined ? { segments } : {}),
      ...(timestamps.includes('word') && words !== undefined ? { words } : {}),
    })
  }
}

/** What came in the request is in memory already. A request that names a file has sent little, and waits for its memory. */
async function reserveFor(
  { sizeBytes }: AudioSource,
  { memory, signal }: Call,
  body: Disposable,
): Promise<Outcome<Disposable, Refusal>> {
  if (sizeBytes === 0) return succeeded(body)
  body[Symbol.dispose]()
  const reservation = memory.bodies(sizeBytes).reserve(signal)
  if (reservation === null) return tooMany
  if (await reservation.take(sizeBytes)) return succeeded(reservation)
  reservation[Symbol.dispose]()
  return failed(stopping)
}

/**
 * The recording of a transcript, where they are kept. A history that cannot be written does not fail the request: a warning in
 * its answer, which names no path of this machine, and the log report it.
 */
async function beginRecording(
  { history, keeping, log }: TranscribeInput,
  bytes: Uint8Array,
  extension: string,
) {
  const reportLost = (error: unknown): string => {
    if (isOfTheSystem(error)) log({ kind: 'notRecorded', reason: error.message })
    else log({ kind: 'fault', error })
    return `The recording was not kept: ${isStoreFull(error) ? 'the disk of the service is full' : 'the log of the service says why'}.`
  }
  let entry: HistoryEntry | null = null
  let warning: string | null = null
  try {
    if (keeping !== 'nothing') entry = await history.begin(keeping === 'sound' ? { bytes, extension } : null)
  } catch (error) {
    warning = reportLost(error)
  }
  return {
    discard: async () => entry?.discard(),
    /** @returns the warning of the answer; null for none */
    async complete(facts: RecordingFacts): Promise<string | null> {
      try {
        entry?.complete(facts)
        return warning
      } catch (error) {
        await entry?.discard()
        return reportLost(error)
      }
    },
  }
}

/** Reads JSON or, where the profile takes it, multipart. The audio is decoded as it comes, and never kept twice. */
async function readTranscriptionBody(
  call: Call,
  profile: Profile,
  body: IncomingBody,
): Promise<Outcome<JsonBody, Refusal>> {
  const announcedBytes = Number(call.request.headers['content-length'] ?? 0)
  if (!isMultipart(call.request)) return takeJson(call, profile, body, announcedBytes)
  return profile.takesMultipart ? readMultipart(call, profile, body, announcedBytes) : noMultipart
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
): Promise<Outcome<JsonBody, Refusal>> {
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

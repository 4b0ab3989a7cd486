import { type Transcription, type TranscriptionRequest, transcriptionRequest } from '#contract/transcription'
import { failed, type Outcome, succeeded } from '#prelude'
import type { Catalogue, CatalogueModel } from '../engines/engine.ts'
import { isOfTheSystem } from '../errors.ts'
import { isDiskFull } from '../folder/database.ts'
import { enterForBody, type IncomingBody, readFields, stopping, tooMany } from '../http/body.ts'
import type { Call, Handler, Refusal } from '../http/call.ts'
import { findMode, type ModeStore, type StoredMode } from '../modes/mode-store.ts'
import type { Profile } from '../profiles.ts'
import type { ServiceEvent } from '../service-event.ts'
import { type AudioSource, findAudio } from './audio-source.ts'
import { type History, type HistoryEntry, soundExtension } from './history.ts'
import { readTranscriptionBody, type TranscriptionBody } from './request-body.ts'
import { findModel } from './resolve-model.ts'
import type { Transcriber, Transcript } from './transcriber.ts'

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
    const request = await readRequest(call, input.profile, body)
    if (!request.ok) return request
    const { fields, audio: carried } = request.value
    const mode = findModeOf(fields, input.modes)
    if (!mode.ok) return mode
    const audio = await findAudio(fields, carried, input)
    if (!audio.ok) return audio
    await using source = audio.value
    const model = await findModel(fields, mode.value, input)
    if (!model.ok) return model
    const reserved = await reserveFor(source, call, body)
    if (!reserved.ok) return reserved
    using held = reserved.value
    const bytes = await source.read()
    if (!bytes.ok) return bytes
    const { fileName } = source
    const job = { request: fields, mode: mode.value, model: model.value, bytes: bytes.value, held, fileName }
    return await transcribe(input, call, job)
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

interface Job {
  readonly request: TranscriptionRequest
  readonly mode: StoredMode | null
  readonly model: CatalogueModel
  readonly bytes: Uint8Array<ArrayBuffer>
  /** The memory of the bytes, to be disposed of when they are gone. */
  readonly held: Disposable
  readonly fileName: string | null
}

async function transcribe(
  input: TranscribeInput,
  call: Call,
  { request, mode, model, bytes, held, fileName }: Job,
): Promise<Outcome<Transcription, Refusal>> {
  const { language, timestamp_granularities: timestamps = [] } = request
  // Before the transcription, which takes the bytes away.
  const begun = await beginEntry(input, bytes, soundExtension(fileName, request.mime_type))
  const outcome = await input.transcriber.transcribe(
    { bytes, held, fileName, model, mode, language, timestamps },
    call.signal,
  )
  if (!outcome.ok) {
    await begun.entry?.discard()
    return outcome
  }
  const { text, rawText, language: spoken, segments, words, loadMs, decodeMs } = outcome.value
  const { cutsSeconds = [] } = outcome.value
  const warning =
    begun.warning ?? (await completeEntry(input, begun.entry, { transcript: outcome.value, mode, model }))
  return succeeded({
    ok: true,
    text,
    engine: model.family,
    model: model.id,
    language: spoken,
    timings: { load_ms: Math.round(loadMs), decode_ms: Math.round(decodeMs) },
    latency_ms: Math.round(performance.now() - call.arrivedAtMs),
    ...(request.raw_text === true ? { raw_text: rawText } : {}),
    ...(cutsSeconds.length > 0 ? { cuts: cutsSeconds } : {}),
    ...(warning === null ? {} : { warning }),
    ...(timestamps.includes('segment') && segments !== undefined ? { segments } : {}),
    ...(timestamps.includes('word') && words !== undefined ? { words } : {}),
  })
}

interface Begun {
  /** Null where nothing is kept. */
  readonly entry: HistoryEntry | null
  readonly warning: string | null
}

/** A history that cannot be written does not fail the request: its answer and the log report it. */
async function beginEntry(
  { history, keeping, log }: TranscribeInput,
  bytes: Uint8Array,
  extension: string,
): Promise<Begun> {
  if (keeping === 'nothing') return { entry: null, warning: null }
  try {
    const entry = await history.begin(keeping === 'sound' ? { bytes, extension } : null)
    return { entry, warning: null }
  } catch (error) {
    return { entry: null, warning: reportLost(error, log) }
  }
}

/** @returns the warning of the answer, which names no path of this machine */
function reportLost(error: unknown, log: TranscribeInput['log']): string {
  if (isOfTheSystem(error)) log({ kind: 'notRecorded', reason: error.message })
  else log({ kind: 'fault', error })
  return `The recording was not kept: ${isDiskFull(error) ? 'the disk of the service is full' : 'the log of the service says why'}.`
}

async function completeEntry(
  { log }: TranscribeInput,
  entry: HistoryEntry | null,
  { transcript, mode, model }: Pick<Job, 'mode' | 'model'> & { readonly transcript: Transcript },
): Promise<string | null> {
  try {
    entry?.complete({
      text: transcript.text,
      transcribedText: transcript.text,
      postProcessedText: '',
      duration: transcript.durationSeconds,
      mode: mode?.name ?? '',
      transcriptionProvider: model.family,
      postProcessingProvider: '',
      status: 'completed',
    })
    return null
  } catch (error) {
    await entry?.discard()
    return reportLost(error, log)
  }
}

async function readRequest(
  call: Call,
  profile: Profile,
  incoming: IncomingBody,
): Promise<
  Outcome<{ readonly fields: TranscriptionRequest; readonly audio: TranscriptionBody['audio'] }, Refusal>
> {
  const body = await readTranscriptionBody(call, profile, incoming)
  if (!body.ok) return body
  const fields = readFields(body.value.fields, transcriptionRequest)
  return fields.ok ? succeeded({ fields: fields.value, audio: body.value.audio }) : fields
}

function findModeOf(request: TranscriptionRequest, modes: ModeStore): Outcome<StoredMode | null, Refusal> {
  return request.mode_id === undefined ? succeeded(null) : findMode(modes, request.mode_id)
}

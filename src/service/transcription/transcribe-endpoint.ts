import { type Transcription, type TranscriptionRequest, transcriptionRequest } from '#contract'
import { failed, type Outcome, succeeded } from '#prelude'
import type { LoadedModels } from '../engines/loaded-models.ts'
import { notInstalled } from '../engines/loaded-models.ts'
import { readJsonObject } from '../http/body.ts'
import type { Call, Handler } from '../http/call.ts'
import { envelope, type Refusal, refused } from '../http/refusal.ts'
import type { Catalogue, CatalogueModel } from '../models/catalogue.ts'
import { isInstalled } from '../models/model-folder.ts'
import { findMode } from '../modes/mode-endpoints.ts'
import type { ModeStore, StoredMode } from '../modes/mode-store.ts'
import type { Profile } from '../profiles.ts'
import { type AudioSource, findAudio } from './audio-source.ts'
import type { Decoder } from './decoder.ts'
import { formatText } from './formatting.ts'
import { resolveModel } from './resolve-model.ts'

export interface TranscribeInput {
  readonly profile: Profile
  readonly catalogue: Catalogue
  readonly modelsDir: string
  readonly modes: ModeStore
  readonly models: LoadedModels
  readonly decoder: Decoder
  /** Real paths of the folders whose files a request may name. */
  readonly readableFolders: readonly string[]
  readonly requestTimeoutSeconds: number
}

/** `POST /transcribe`. What costs least is checked first; the engine comes last. */
export function transcribeEndpoint(input: TranscribeInput): Handler<'transcribe'> {
  return async (call) => {
    const request = await readRequest(call, input.profile)
    if (!request.ok) return request
    const mode = findModeOf(request.value, input.modes)
    if (!mode.ok) return mode
    const audio = await findAudio(request.value, input.profile, input.readableFolders)
    if (!audio.ok) return audio
    await using source = audio.value
    const model = await findModel(request.value, mode.value, input)
    if (!model.ok) return model
    const job = { request: request.value, mode: mode.value, source, model: model.value }
    return within(input.requestTimeoutSeconds, (timeout) => transcribe(input, call, job, timeout))
  }
}

/** Hands a signal to the work that is aborted when the time is up. */
async function within<Result>(
  seconds: number,
  work: (timeout: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const timeout = new AbortController()
  // Not AbortSignal.timeout, which would be kept in memory until its time is up.
  const timer = setTimeout(() => timeout.abort(), seconds * 1000)
  try {
    return await work(timeout.signal)
  } finally {
    clearTimeout(timer)
  }
}

interface Job {
  readonly request: TranscriptionRequest
  readonly mode: StoredMode | null
  readonly source: AudioSource
  readonly model: CatalogueModel
}

async function transcribe(
  input: TranscribeInput,
  call: Call,
  { request, mode, source, model }: Job,
  timeout: AbortSignal,
): Promise<Outcome<Transcription, Refusal>> {
  const signal = AbortSignal.any([call.signal, timeout])
  const bytes = await source.read()
  if (!bytes.ok) return bytes
  const clip = await input.decoder.decode(bytes.value, signal)
  if (!clip.ok)
    return clip.failure === 'abandoned' ? abandoned(timeout, input) : undecodable(clip.failure.reason)
  const language = request.language ?? mode?.language ?? 'auto'
  const outcome = await input.models.transcribe(
    model,
    { ...clip.value, fileName: source.fileName },
    {
      language: language === 'auto' ? null : language,
      timestamps: request.timestamp_granularities ?? [],
      signal,
    },
  )
  if (!outcome.ok) {
    if (outcome.failure === 'abandoned') return abandoned(timeout, input)
    const { code, message, hint = null } = outcome.failure
    return failed(envelope(code, message, { hint }))
  }
  const { spoken, loadMs, decodeMs } = outcome.value
  const wanted = new Set(request.timestamp_granularities)
  return succeeded({
    ok: true,
    text: mode === null ? spoken.text : formatText(spoken.text, mode),
    raw_text: spoken.text,
    engine: model.family,
    model: model.id,
    language: spoken.language,
    timings: { load_ms: rounded(loadMs), decode_ms: rounded(decodeMs) },
    latency_ms: rounded(performance.now() - call.arrivedAtMs),
    ...(wanted.has('segment') && spoken.segments !== undefined ? { segments: spoken.segments } : {}),
    ...(wanted.has('word') && spoken.words !== undefined ? { words: spoken.words } : {}),
  })
}

async function readRequest(call: Call, profile: Profile): Promise<Outcome<TranscriptionRequest, Refusal>> {
  const body = await readJsonObject(call.request, profile, 'transcribe')
  if (!body.ok) return body
  const parsed = transcriptionRequest.safeParse(body.value)
  if (parsed.success) return succeeded(parsed.data)
  const problems = parsed.error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.join('.')}: ${message}`,
  )
  return refused('INVALID_REQUEST', problems.join(' '))
}

function findModeOf(request: TranscriptionRequest, modes: ModeStore): Outcome<StoredMode | null, Refusal> {
  return request.mode_id === undefined ? succeeded(null) : findMode(modes, request.mode_id)
}

async function findModel(
  request: TranscriptionRequest,
  mode: StoredMode | null,
  { catalogue, modelsDir }: TranscribeInput,
): Promise<Outcome<CatalogueModel, Refusal>> {
  const model = resolveModel(request, mode, catalogue)
  if (!model.ok || (await isInstalled(modelsDir, model.value))) return model
  const { code, message, hint = null } = notInstalled(model.value)
  return refused(code, message, hint)
}

function abandoned(timeout: AbortSignal, input: TranscribeInput): Outcome<never, Refusal> {
  return timeout.aborted
    ? refused('TIMEOUT', `No transcript within ${input.requestTimeoutSeconds} s.`)
    : refused('TRANSCRIPTION_FAILED', 'The service is stopping.')
}

function undecodable(reason: string): Outcome<never, Refusal> {
  return refused('AUDIO_DECODE_FAILED', `The audio cannot be decoded: ${reason}.`)
}

/** Microseconds: more digits would only look exact. */
function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000
}

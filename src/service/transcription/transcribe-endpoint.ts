import { transcriptionRequest } from '#contract/transcription'
import { failed, type Outcome, succeeded } from '#prelude'
import { enterForBody, readFields, readTranscriptionBody, stopping, tooMany } from '../http/body.ts'
import type { Call, Handler, Refusal } from '../http/call.ts'
import { findMode, type ModeStore } from '../modes/modes.ts'
import type { Settings } from '../settings.ts'
import { type AudioSource, findAudio } from './audio-source.ts'
import { beginRecording, type RecordingInput, soundExtension } from './history.ts'
import { findModel } from './resolve-model.ts'
import type { Transcriber } from './transcriber.ts'

interface TranscribeInput extends RecordingInput, Pick<Settings, 'catalogue' | 'modelsDir'> {
  readonly modes: ModeStore
  readonly transcriber: Transcriber
  /** Real paths of the folders whose files a request may name. */
  readonly readableFolders: readonly string[]
}

/** Handler of `POST /transcribe`. Cheap checks come first, and the engine last. */
export function transcribeEndpoint(input: TranscribeInput): Handler<'transcribe'> {
  return async (call) => {
    const entered = enterForBody(call, 'transcribe')
    if (!entered.ok) return entered
    using body = entered.value
    const content = await readTranscriptionBody(call, body)
    if (!content.ok) return content
    const request = readFields(content.value.json, transcriptionRequest)
    if (!request.ok) return request
    const fields = request.value
    const foundMode = fields.mode_id === undefined ? succeeded(null) : findMode(input.modes, fields.mode_id)
    if (!foundMode.ok) return foundMode
    const mode = foundMode.value
    const audio = await findAudio(fields, content.value.audio, call.profile, input.readableFolders)
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
    // This precedes the transcription, which frees the bytes.
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

/** Reserves memory for a file, after releasing that of the request. Audio in the request is already counted. */
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

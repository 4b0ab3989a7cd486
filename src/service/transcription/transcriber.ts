import { basename } from 'node:path'
import type { TimestampGranularity } from '#contract/enums'
import { transcriptionRequest } from '#contract/transcription'
import { failed, type Outcome, succeeded } from '#prelude'
import {
  type CatalogueModel,
  type Clip,
  engineSampleRateHz,
  type LongClip,
  type Spoken,
} from '../engines/engine.ts'
import {
  audioTooLarge,
  enterForBody,
  isTooLarge,
  readFields,
  readTranscriptionBody,
  tooMany,
} from '../http/body.ts'
import { type Call, envelope, type Handler, type Refusal, refused } from '../http/call.ts'
import { findMode, type ModeStore, type StoredMode } from '../modes/modes.ts'
import type { Recognised } from '../segmentation/transcribe-pieces.ts'
import type { ServiceEvent } from '../service-event.ts'
import type { Settings } from '../settings.ts'
import { type Memory, type Reservation, withinTime } from '../waiting.ts'
import { freeBytes } from '../worker-process.ts'
import { type HeldAudio, openAudioFile } from './audio-file.ts'
import type { Decoder } from './decoder.ts'
import { formatSegments, formatText, formatWords } from './formatting.ts'
import { beginRecording, type RecordingInput, soundExtension } from './history.ts'
import type { LoadedModels } from './loaded-models.ts'
import { findModel, languageFor } from './resolve-model.ts'

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
    const opened =
      fields.file === undefined
        ? succeeded(null)
        : await openAudioFile(fields.file, call.profile, input.readableFolders)
    if (!opened.ok) return opened
    await using file = opened.value
    const foundModel = await findModel(fields, mode, input)
    if (!foundModel.ok) return foundModel
    const model = foundModel.value
    const audio = file === null ? checkCarried(content.value.audio, call, body) : await file.read(call, body)
    if (!audio.ok) return audio
    using held = audio.value.held
    const { bytes } = audio.value
    const fileName = fields.file === undefined ? null : basename(fields.file)
    // This precedes the transcription, which frees the bytes.
    const recording = input.record
      ? await beginRecording(input, bytes, soundExtension(fileName, fields.mime_type))
      : null
    const { language, timestamp_granularities: timestamps = [] } = fields
    const outcome = await input.transcriber.transcribe(
      { bytes, held, fileName, model, mode, language, timestamps },
      call.signal,
    )
    if (!outcome.ok) {
      await recording?.discard()
      return outcome
    }
    const { text, rawText, segments, words, loadMs, decodeMs, cutsSeconds = [] } = outcome.value
    const warning = await recording?.complete({
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
      ...(warning == null ? {} : { warning }),
      ...(timestamps.includes('segment') && segments !== undefined ? { segments } : {}),
      ...(timestamps.includes('word') && words !== undefined ? { words } : {}),
    })
  }
}

/** Audio of the request's body, whose memory is counted already. */
function checkCarried(
  audio: Uint8Array<ArrayBuffer> | null | undefined,
  { profile }: Call,
  held: Disposable,
): Outcome<HeldAudio, Refusal> {
  if (audio == null) return refused('AUDIO_DECODE_FAILED', 'audio_base64 is not base64.')
  return isTooLarge(audio.length, profile) ? audioTooLarge : succeeded({ bytes: audio, held })
}

/** A transcription job. */
interface TranscriptionJob {
  /** A whole audio file, which is freed during the transcription. */
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Memory of the bytes, disposed of with them; absent for bytes that are not counted. */
  readonly held?: Disposable | undefined
  /** Last part of the file's path; null for audio in the request. */
  readonly fileName: string | null
  readonly model: CatalogueModel
  /** The Mode whose formatting and language apply. */
  readonly mode: StoredMode | null
  /** `auto` or a BCP 47 tag; takes precedence over the Mode's. */
  readonly language?: string | undefined
  readonly timestamps?: readonly TimestampGranularity[] | undefined
}

/** An engine's transcript; the text and its parts have the Mode's formatting. */
export interface Transcript
  extends Omit<Recognised, 'spoken'>,
    Pick<Spoken, 'text' | 'language' | 'segments' | 'words'> {
  readonly rawText: string
}

interface TranscriberInput extends Pick<Settings, 'requestTimeoutSeconds' | 'anyLanguage' | 'logTexts'> {
  readonly models: Pick<LoadedModels, 'maxClipSeconds' | 'transcribe'>
  readonly decoder: Decoder
  readonly memory: Memory
  readonly log: (event: ServiceEvent) => void
}

export type Transcriber = ReturnType<typeof createTranscriber>

/** Turns audio files into transcripts, for every kind of request. */
export function createTranscriber(input: TranscriberInput) {
  const { requestTimeoutSeconds, log, logTexts } = input
  return {
    /** Ends early when the signal is aborted; beyond the service's time limit the refusal is TIMEOUT. */
    async transcribe(job: TranscriptionJob, signal: AbortSignal): Promise<Outcome<Transcript, Refusal>> {
      return await withinTime(requestTimeoutSeconds * 1000, signal, async (eitherSignal, isOver) => {
        const outcome = await work(input, job, eitherSignal)
        if (outcome.ok) {
          const { durationSeconds: audioSeconds, loadMs, decodeMs, text } = outcome.value
          const { family: engine, id: model } = job.model
          const times = { audioSeconds, loadMs, decodeMs }
          log({ kind: 'transcribed', engine, model, ...times, text: logTexts ? text : null })
          return outcome
        }
        if (outcome.failure !== 'abandoned') return failed(outcome.failure)
        return isOver()
          ? refused('TIMEOUT', `No transcript within ${requestTimeoutSeconds} s.`)
          : refused('TRANSCRIPTION_FAILED', 'The transcription was given up.')
      })
    },
  }
}

async function work(
  input: TranscriberInput,
  job: TranscriptionJob,
  signal: AbortSignal,
): Promise<Outcome<Transcript, Refusal | 'abandoned'>> {
  const { models, memory, anyLanguage, log } = input
  const { model, mode, timestamps = [] } = job
  const language = languageFor(model, job.language ?? mode?.language ?? 'auto', anyLanguage)
  if (!language.ok) return language
  using reservation = memory.clips.reserve(signal)
  if (reservation === null) return tooMany
  const clip = await decode(input, job, reservation, signal)
  if (!clip.ok) return clip
  const outcome = await models.transcribe(model, clip.value, { language: language.value, timestamps, signal })
  const isAbandoned = !outcome.ok && outcome.failure === 'abandoned'
  // The engine may still be working on an abandoned clip, so its memory is not freed here.
  if (!isAbandoned && 'samples' in clip.value) freeBytes(clip.value.samples)
  if (!outcome.ok) {
    if (outcome.failure === 'abandoned') return failed('abandoned')
    const { code, message, hint = null, detail = null, retryAfterSeconds = null } = outcome.failure
    log({ kind: 'engineFailed', engine: model.family, model: model.id, code, reason: message, detail })
    return failed(envelope(code, message, { hint, retryAfterSeconds }))
  }
  const { spoken, ...facts } = outcome.value
  const { text: rawText, language: heard, segments, words } = spoken
  return succeeded({
    ...facts,
    rawText,
    language: heard,
    text: mode === null ? rawText : formatText(rawText, mode),
    segments: mode === null ? segments : segments && formatSegments(segments, mode),
    words: mode === null ? words : words && formatWords(words, mode),
  })
}

/** Decodes the audio. Samples count as memory until they are transcribed, as do the bytes of a long recording. */
async function decode(
  { models, decoder, memory }: TranscriberInput,
  { bytes, held, fileName, model }: TranscriptionJob,
  reservation: Reservation,
  signal: AbortSignal,
): Promise<
  Outcome<(Clip & { readonly samples: Float32Array<ArrayBuffer> }) | LongClip, Refusal | 'abandoned'>
> {
  const maxSeconds = models.maxClipSeconds(model)
  const maxBytes = maxSeconds * engineSampleRateHz * Float32Array.BYTES_PER_ELEMENT
  if (!(await reservation.take(maxBytes))) return failed('abandoned')
  const clip = await decoder.decode(bytes, maxSeconds, signal)
  if (!clip.ok) {
    if (clip.failure === 'abandoned') return failed('abandoned')
    return refused(clip.failure.code, clip.failure.message)
  }
  const samples = clip.value
  reservation.give(maxBytes - (samples?.byteLength ?? 0))
  if (samples !== null) {
    held?.[Symbol.dispose]()
    return succeeded({ samples, fileName })
  }
  const waiting = memory.waiting.reserve(signal)
  if (waiting?.tryTake(bytes.length) !== true) {
    waiting?.[Symbol.dispose]()
    return tooManyLong
  }
  // The memory for short recordings is released for a long one, which waits in a separate lane.
  held?.[Symbol.dispose]()
  return succeeded({ bytes, waiting, fileName })
}

const tooManyLong: Outcome<never, Refusal> = refused(
  'RATE_LIMITED',
  'Too many long recordings wait for their turn.',
  'Send fewer at once.',
)

import type { TimestampGranularity } from '#contract/enums'
import { failed, type Outcome, succeeded } from '#prelude'
import {
  type CatalogueModel,
  type Clip,
  engineSampleRateHz,
  type LongClip,
  type Spoken,
} from '../engines/engine.ts'
import { tooMany } from '../http/body.ts'
import { envelope, type Refusal, refused } from '../http/call.ts'
import type { StoredMode } from '../modes/modes.ts'
import type { Recognised } from '../segmentation/transcribe-pieces.ts'
import type { ServiceEvent } from '../service-event.ts'
import type { Settings } from '../settings.ts'
import { type Memory, type Reservation, withinTime } from '../waiting.ts'
import { freeBytes } from '../worker-process.ts'
import type { Decoder } from './decoder.ts'
import { formatSegments, formatText, formatWords } from './formatting.ts'
import type { LoadedModels } from './loaded-models.ts'

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
  readonly models: LoadedModels
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
  const { sha256, samples } = clip.value
  reservation.give(maxBytes - (samples?.byteLength ?? 0))
  if (samples !== null) {
    held?.[Symbol.dispose]()
    return succeeded({ samples, sha256, fileName })
  }
  const waiting = memory.waiting.reserve(signal)
  if (waiting?.tryTake(bytes.length) !== true) {
    waiting?.[Symbol.dispose]()
    return tooManyLong
  }
  // The memory for short recordings is released for a long one, which waits in a separate lane.
  held?.[Symbol.dispose]()
  return succeeded({ bytes, waiting, sha256, fileName })
}

const tooManyLong: Outcome<never, Refusal> = refused(
  'RATE_LIMITED',
  'Too many long recordings wait for their turn.',
  'Send fewer at once.',
)

/** The value by which clients and Modes ask for language detection. */
const detectedLanguage = 'auto'

/**
 * The language to request from an engine.
 *
 * @param wanted `auto` or a BCP 47 tag
 * @param isLenient whether to request languages that the model does not support
 * @returns the canonical tag, or null for `auto`; a refusal where the model would answer in another language
 */
function languageFor(
  model: Pick<CatalogueModel, 'id' | 'languages'>,
  wanted: string,
  isLenient: boolean,
): Outcome<string | null, Refusal> {
  if (wanted === detectedLanguage) return succeeded(null)
  const tag = canonical(wanted)
  if (tag === null) {
    const message = `language is "${detectedLanguage}" or a BCP-47 tag such as "en" or "pt-BR".`
    return failed(envelope('INVALID_REQUEST', message))
  }
  const { id, languages } = model
  const speaks = languages.some((language) => primary(language) === primary(tag))
  if (speaks || languages.length === 0 || isLenient) return succeeded(tag)
  const named = languages.length > maxNamed ? `${languages.length} languages` : languages.join(', ')
  const message = `The model ${id} transcribes ${named}, not ${tag}.`
  const hint = `Name a model for ${tag}, or send language "${detectedLanguage}".`
  return failed(envelope('INVALID_REQUEST', message, { hint }))
}

/** Maximum number of listed languages; Whisper's hundred would hide the requested one. */
const maxNamed = 30

/** Maximum length of a tag, above that of all registered ones. */
const maxTagCharacters = 100

function canonical(tag: string): string | null {
  try {
    return tag.length > maxTagCharacters ? null : (Intl.getCanonicalLocales(tag)[0] ?? null)
  } catch {
    // The runtime throws a RangeError for a malformed tag.
    return null
  }
}

function primary(tag: string): string {
  const { language } = new Intl.Locale(tag)
  // Norwegian means Bokmål, except in models that also support Nynorsk.
  return language === 'nb' ? 'no' : language
}

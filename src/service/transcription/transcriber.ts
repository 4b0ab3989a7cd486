import type { TimedSegment, TimedWord, TimestampGranularity } from '#contract'
import { failed, type Outcome, succeeded } from '#prelude'
import type { LoadedModels } from '../engines/loaded-models.ts'
import { envelope, type Refusal, refused } from '../http/refusal.ts'
import type { CatalogueModel } from '../models/catalogue.ts'
import type { StoredMode } from '../modes/mode-store.ts'
import type { ServiceEvent } from '../service-event.ts'
import type { Decoder } from './decoder.ts'
import { formatSegments, formatText, formatWords } from './formatting.ts'
import { languageFor } from './language.ts'

/** What is to be transcribed, and how. */
interface TranscriptionJob {
  /** A whole audio file. Gone afterwards: the memory moves to another thread. */
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Last part of the file's path; null for audio that came in the request. */
  readonly fileName: string | null
  readonly model: CatalogueModel
  /** Whose formatting and language to use. */
  readonly mode: StoredMode | null
  /** Before the Mode's; `auto` or a BCP-47 tag. */
  readonly language?: string | undefined
  readonly timestamps?: readonly TimestampGranularity[] | undefined
}

/** Milliseconds, and seconds of audio. */
export interface Transcript {
  /** After the Mode's own formatting. */
  readonly text: string
  readonly rawText: string
  readonly language: string | null
  readonly segments: readonly TimedSegment[] | undefined
  readonly words: readonly TimedWord[] | undefined
  readonly durationSeconds: number
  readonly loadMs: number
  readonly decodeMs: number
}

/** From an audio file to a transcript, whoever asks. */
export interface Transcriber {
  /** Ends early when the signal is aborted. Past the service's own limit of time it is refused as TIMEOUT. */
  transcribe(job: TranscriptionJob, signal: AbortSignal): Promise<Outcome<Transcript, Refusal>>
}

export interface TranscriberInput {
  readonly models: LoadedModels
  readonly decoder: Decoder
  readonly requestTimeoutSeconds: number
  /** Whether a model is asked for languages that it cannot do, and answers in its own. */
  readonly anyLanguage: boolean
  readonly logTexts: boolean
  readonly log: (event: ServiceEvent) => void
}

export function createTranscriber(input: TranscriberInput): Transcriber {
  const { requestTimeoutSeconds } = input
  return {
    async transcribe(job, signal) {
      const timeout = new AbortController()
      // Not AbortSignal.timeout, which would be kept in memory until its time is up.
      const timer = setTimeout(() => timeout.abort(), requestTimeoutSeconds * 1000)
      try {
        const outcome = await work(input, job, AbortSignal.any([signal, timeout.signal]))
        if (outcome.ok) logTranscript(input, job.model, outcome.value)
        if (outcome.ok || outcome.failure !== 'abandoned') return outcome as Outcome<Transcript, Refusal>
        return timeout.signal.aborted
          ? refused('TIMEOUT', `No transcript within ${requestTimeoutSeconds} s.`)
          : refused('TRANSCRIPTION_FAILED', 'The transcription was given up.')
      } finally {
        clearTimeout(timer)
      }
    },
  }
}

function logTranscript(
  { log, logTexts }: TranscriberInput,
  { family: engine, id: model }: CatalogueModel,
  { durationSeconds: audioSeconds, loadMs, decodeMs, text }: Transcript,
): void {
  log({ kind: 'transcribed', engine, model, audioSeconds, loadMs, decodeMs, text: logTexts ? text : null })
}

async function work(
  { models, decoder, anyLanguage, log }: TranscriberInput,
  { bytes, fileName, model, mode, language, timestamps }: TranscriptionJob,
  signal: AbortSignal,
): Promise<Outcome<Transcript, Refusal | 'abandoned'>> {
  const wanted = languageFor(model, language ?? mode?.language ?? 'auto', anyLanguage)
  if (!wanted.ok) return wanted
  const clip = await decoder.decode(bytes, models.longestClipSeconds(model), signal)
  if (!clip.ok) {
    if (clip.failure === 'abandoned') return failed('abandoned')
    return refused('AUDIO_DECODE_FAILED', `The audio cannot be decoded: ${clip.failure.reason}.`)
  }
  const outcome = await models.transcribe(
    model,
    { ...clip.value, fileName },
    { language: wanted.value, timestamps: timestamps ?? [], signal },
  )
  if (!outcome.ok) {
    if (outcome.failure === 'abandoned') return failed('abandoned')
    const { code, message, hint = null, detail = null, retryAfterSeconds = null } = outcome.failure
    log({ kind: 'engineFailed', engine: model.family, model: model.id, code, reason: message, detail })
    return failed(envelope(code, message, { hint, retryAfterSeconds }))
  }
  const { spoken, durationSeconds, loadMs, decodeMs } = outcome.value
  return succeeded({
    text: mode === null ? spoken.text : formatText(spoken.text, mode),
    rawText: spoken.text,
    language: spoken.language,
    segments: mode === null ? spoken.segments : spoken.segments && formatSegments(spoken.segments, mode),
    words: mode === null ? spoken.words : spoken.words && formatWords(spoken.words, mode),
    durationSeconds,
    loadMs,
    decodeMs,
  })
}

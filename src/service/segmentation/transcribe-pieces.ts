import { failed, type Outcome, succeeded } from '#prelude'
import type { Clip, EngineFailure, LongClip, Spoken } from '../engines/engine.ts'
import { unlessAborted } from '../engines/unless-aborted.ts'
import type { PieceReader } from './piece-reader.ts'
import { createTranscript, inMilliseconds } from './transcript.ts'

/** What an engine made of a clip, and how long it took. */
export interface Decoded {
  readonly spoken: Spoken
  /** Of the audio. */
  readonly durationSeconds: number
  /** How long this call waited for the model to load; 0 when it was in memory. */
  readonly loadMs: number
  readonly decodeMs: number
  /** Seconds at which pieces after the first begin, where the recording was cut; absent where it was not. */
  readonly cutsSeconds?: readonly number[] | undefined
}

/** A recording that comes piece by piece; the caller disposes of the reader. */
interface RecordingInPieces extends Pick<LongClip, 'sha256' | 'fileName'> {
  readonly pieces: PieceReader
}

/** Transcribes one piece. */
type Transcribe = (piece: Clip, isFirst: boolean) => Promise<Outcome<Decoded, EngineFailure | 'abandoned'>>

/**
 * Transcribes a long recording piece by piece. The next piece is cut while the engine transcribes the one before it.
 * After the signal no further piece is begun, and the first failure of a piece is that of the recording.
 */
export async function transcribePieces(
  { pieces, sha256, fileName }: RecordingInPieces,
  { signal }: { readonly signal: AbortSignal },
  transcribe: Transcribe,
): Promise<Outcome<Decoded, EngineFailure | 'abandoned'>> {
  const transcript = createTranscript()
  let [loadMs, decodeMs] = [0, 0]
  const cutsSeconds: number[] = []
  let isFirst = true
  let next = pieces.next()
  for (;;) {
    const piece = await unlessAborted(next, signal)
    if (piece === 'abandoned') return failed(piece)
    if (!piece.ok) return failed(undecodable(piece.failure.reason))
    const { value } = piece
    if (!('samples' in value)) {
      return succeeded({ spoken: transcript.result(), ...value, loadMs, decodeMs, cutsSeconds })
    }
    next = pieces.next()
    const outcome = await transcribe({ samples: value.samples, sha256, fileName }, isFirst)
    if (!outcome.ok) return outcome
    if (!isFirst) cutsSeconds.push(inMilliseconds(value.startSeconds))
    isFirst = false
    transcript.add(value, outcome.value.spoken)
    loadMs += outcome.value.loadMs
    decodeMs += outcome.value.decodeMs
  }
}

function undecodable(reason: string): EngineFailure {
  return { code: 'AUDIO_DECODE_FAILED', message: `The audio cannot be decoded: ${reason}.` }
}

import type { TimedSegment, TimedWord } from '#contract/transcription'
import { ownProgram } from '#installation/installation'
import { failed, type Outcome, succeeded } from '#prelude'
import {
  type Clip,
  decoderLost,
  type EngineFailure,
  engineSampleRateHz,
  type LongClip,
  type Spoken,
  undecodable,
} from '../engines/engine.ts'
import { unlessAborted } from '../waiting.ts'
import { freeBytes, startWorkerProcess } from '../worker-process.ts'
import type { Piece } from './cutter.ts'
import type { PieceAnswer, PieceQuestion } from './piece-program.ts'

/** An engine's result for a clip, with its times. */
export interface Recognised {
  readonly spoken: Spoken
  /** Duration of the audio. */
  readonly durationSeconds: number
  /** Time that this call waited for the model to load; 0 if it was in memory. */
  readonly loadMs: number
  /** Recogniser time without the decoding of audio, named as in the API. */
  readonly decodeMs: number
  /** Starts of all pieces but the first; absent where the recording was not cut. */
  readonly cutsSeconds?: readonly number[] | undefined
}

/**
 * Transcribes a long recording piece by piece; the next piece is cut during the transcription of the current
 * one. After the signal no further piece begins. A failed piece fails the recording. The caller disposes of
 * the reader.
 */
export async function transcribePieces(
  { pieces, fileName }: Pick<LongClip, 'fileName'> & { readonly pieces: Pick<PieceReader, 'next'> },
  { signal }: { readonly signal: AbortSignal },
  transcribe: (piece: Clip, isFirst: boolean) => Promise<Outcome<Recognised, EngineFailure | 'abandoned'>>,
): Promise<Outcome<Recognised, EngineFailure | 'abandoned'>> {
  const transcript = createTranscript()
  let [loadMs, decodeMs] = [0, 0]
  const cutsSeconds: number[] = []
  let isFirst = true
  let next = pieces.next()
  for (;;) {
    const piece = await unlessAborted(next, signal)
    if (piece === 'abandoned') return failed(piece)
    if (!piece.ok) return piece
    const { value } = piece
    if (!('samples' in value)) {
      return succeeded({ spoken: transcript.result(), ...value, loadMs, decodeMs, cutsSeconds })
    }
    next = pieces.next()
    const outcome = await transcribe({ samples: value.samples, fileName }, isFirst)
    if (!outcome.ok) return outcome
    if (!isFirst) cutsSeconds.push(inMilliseconds(value.startSeconds))
    isFirst = false
    transcript.add(value, outcome.value.spoken)
    loadMs += outcome.value.loadMs
    decodeMs += outcome.value.decodeMs
  }
}

/** Merges the transcripts of a recording's pieces. */
export function createTranscript() {
  let text = ''
  let language: string | null = null
  let segments: readonly TimedSegment[] = []
  let words: readonly TimedWord[] | undefined
  let heardUntil = 0

  return {
    add(piece: Piece, spoken: Spoken) {
      const endSeconds = piece.startSeconds + piece.samples.length / engineSampleRateHz
      text = piece.overlaps ? joinOverlapping(text, spoken.text) : joinTexts(text, spoken.text)
      language ??= spoken.language
      // In an overlap, each piece contributes the half that is farther from its own end.
      const seam = piece.overlaps ? (piece.startSeconds + heardUntil) / 2 : piece.startSeconds
      const pieceSegments = spoken.segments ?? wholePiece(piece, spoken.text)
      segments = before(segments, seam).concat(after(shifted(pieceSegments, piece), seam))
      if (spoken.words !== undefined) {
        words = before(words ?? [], seam).concat(after(shifted(spoken.words, piece), seam))
      }
      heardUntil = endSeconds
    },
    /**
     * The whole text, with the engine's segments, or else one for each piece with text. Words only where the
     * engine returned them.
     */
    result: (): Spoken => ({
      text,
      language,
      segments: segments.map((segment, id) => ({ ...segment, id })),
      words,
    }),
  }
}

function wholePiece(piece: Piece, text: string): TimedSegment[] {
  const end = piece.samples.length / engineSampleRateHz
  return text.trim() === '' ? [] : [{ id: 0, start: 0, end, text: text.trim() }]
}

interface Timed {
  readonly start: number
  readonly end: number
}

function shifted<Item extends Timed>(items: readonly Item[], { startSeconds }: Piece): Item[] {
  return items.map((item) => ({
    ...item,
    start: inMilliseconds(item.start + startSeconds),
    end: inMilliseconds(item.end + startSeconds),
  }))
}

/** Rounds away digits below the precision of the measurement, which sums of seconds have. */
function inMilliseconds(seconds: number): number {
  return Math.round(seconds * 1000) / 1000
}

function before<Item extends Timed>(items: readonly Item[], seam: number): Item[] {
  return items.filter(({ start, end }) => (start + end) / 2 < seam)
}

function after<Item extends Timed>(items: readonly Item[], seam: number): Item[] {
  return items.filter(({ start, end }) => (start + end) / 2 >= seam)
}

/** Maximum number of compared words of each text; an overlap has fewer. */
const maxWords = 24
/** Length of the end of a text in which its last words are searched, far above that of so many words. */
const tailLength = 4_000

interface Word {
  readonly folded: string
  /** Offset of the character after the word. */
  readonly end: number
}

/** Joins the texts before and after a cut with a single space. */
export function joinTexts(before: string, after: string): string {
  return [before.trim(), after.trim()].filter((text) => text !== '').join(' ')
}

/**
 * Joins two texts of overlapping audio: the end of the first recurs at the beginning of the second. The
 * longest run of shared words is the seam. The rest of the first text after it, and the second before it, was
 * cut within a word and is dropped.
 *
 *   before  … and then the mouse ran u
 *   after              a mouse ran up the clock
 *   joined  … and then the mouse ran up the clock
 *
 * @returns both texts in sequence where they share no word
 */
export function joinOverlapping(before: string, after: string): string {
  // A long recording has hundreds of pieces, and all of its text would be segmented for each of them.
  const tailStart = Math.max(0, before.length - tailLength)
  const left = segmentWords(before.slice(tailStart)).slice(-maxWords)
  const seam = findSeam(left, segmentWords(after).slice(0, maxWords))
  if (seam === null) return joinTexts(before, after)
  return `${before.slice(0, tailStart + seam.leftEnd)}${after.slice(seam.rightEnd)}`.trim()
}

/**
 * The end of the seam in both texts, in characters: of the longest run of shared words, and among equals of
 * the one that drops the fewest words. A run may drop at most two words for each of its own, because short
 * runs may match by chance.
 */
function findSeam(left: readonly Word[], right: readonly Word[]) {
  const runs = left.flatMap((_word, leftAt) =>
    right.flatMap((_other, rightAt) => {
      const differing = left
        .slice(leftAt)
        .findIndex(({ folded }, index) => folded !== right[rightAt + index]?.folded)
      const length = differing === -1 ? left.length - leftAt : differing
      const leftOut = left.length - leftAt - length + rightAt
      const [leftEnd, rightEnd] = [left[leftAt + length - 1]?.end ?? 0, right[rightAt + length - 1]?.end ?? 0]
      return length === 0 || leftOut > 2 * length ? [] : [{ length, leftOut, leftEnd, rightEnd }]
    }),
  )
  return runs.toSorted((one, other) => other.length - one.length || one.leftOut - other.leftOut)[0] ?? null
}

/** Words with their offsets, also in languages without spaces. */
function segmentWords(text: string): Word[] {
  const segmenter = new Intl.Segmenter('en', { granularity: 'word' })
  return [...segmenter.segment(text)]
    .filter(({ isWordLike }) => isWordLike === true)
    .map(({ segment, index }) => ({
      folded: segment.normalize('NFKC').toLowerCase(),
      end: index + segment.length,
    }))
}

const program = ownProgram(import.meta.url, 'piece-program')

/** Reads the pieces of one long recording. */
export type PieceReader = ReturnType<typeof readPieces>

/** Starts a process that cuts the recording, and moves the bytes to it. Disposing kills it, even in native code. */
export function readPieces(
  bytes: Uint8Array<ArrayBuffer>,
  work: Omit<Extract<PieceQuestion, { kind: 'recording' }>, 'kind'>,
) {
  const worker = startWorkerProcess<PieceQuestion, PieceAnswer>(program)
  void worker.send({ kind: 'recording', ...work }, bytes).then(() => freeBytes(bytes))
  return {
    /**
     * The next piece; after the last one the duration of the recording. It must not be called before the
     * previous call has resolved, nor after the duration or a failure.
     */
    async next(): Promise<Outcome<Piece | { readonly durationSeconds: number }, EngineFailure>> {
      const answer = await worker.ask({ kind: 'next' })
      if ('lost' in answer) return failed(decoderLost(answer))
      const { head, body } = answer
      if (!head.ok) return failed(undecodable(head.failure.reason))
      const { value } = head
      if ('durationSeconds' in value) return succeeded(value)
      return succeeded({ ...value, samples: new Float32Array(body.buffer) })
    },
    [Symbol.asyncDispose]: () => worker.kill(),
  }
}

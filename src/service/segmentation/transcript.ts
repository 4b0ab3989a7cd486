import type { TimedSegment, TimedWord } from '#contract'
import { engineSampleRateHz, type Spoken } from '../engines/engine.ts'
import type { Piece } from './cutter.ts'
import { joinOverlapping, joinTexts } from './join-texts.ts'

/** What the pieces of a recording come to. */
export interface Transcript {
  add(piece: Piece, spoken: Spoken): void
  /**
   * The whole text, with the engine's own segments, or else one for each piece in which something was said.
   * Words only where the engine gave them.
   */
  result(): Spoken
}

export function createTranscript(): Transcript {
  let text = ''
  let language: string | null = null
  let segments: readonly TimedSegment[] = []
  let words: readonly TimedWord[] | undefined
  let heardUntil = 0

  return {
    add(piece, spoken) {
      const endSeconds = piece.startSeconds + piece.samples.length / engineSampleRateHz
      text = piece.overlaps ? joinOverlapping(text, spoken.text) : joinTexts(text, spoken.text)
      language ??= spoken.language
      // In an overlap, each piece contributes the half that is farther from its own end.
      const seam = piece.overlaps ? (piece.startSeconds + heardUntil) / 2 : piece.startSeconds
      const own = spoken.segments ?? wholePiece(piece, spoken.text)
      segments = before(segments, seam).concat(after(shifted(own, piece), seam))
      if (spoken.words !== undefined) {
        words = before(words ?? [], seam).concat(after(shifted(spoken.words, piece), seam))
      }
      heardUntil = endSeconds
    },
    result: () => ({
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

/** Adding seconds leaves digits below the precision of the measurement. */
export function inMilliseconds(seconds: number): number {
  return Math.round(seconds * 1000) / 1000
}

function before<Item extends Timed>(items: readonly Item[], seam: number): Item[] {
  return items.filter(({ start, end }) => (start + end) / 2 < seam)
}

function after<Item extends Timed>(items: readonly Item[], seam: number): Item[] {
  return items.filter(({ start, end }) => (start + end) / 2 >= seam)
}

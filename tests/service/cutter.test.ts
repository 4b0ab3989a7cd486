import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createCutter, type Piece, type Speech } from '../../src/service/segmentation/cutter.ts'

const rate = 16_000

/** A recording whose samples say where they stand, so that a piece shows what it was cut from. */
function recording(durationSeconds: number): Float32Array {
  const samples = new Float32Array(Math.round(durationSeconds * rate))
  for (let index = 0; index < samples.length; index += 1) samples[index] = index
  return samples
}

const spans = (...seconds: readonly (readonly [number, number])[]): Speech[] =>
  seconds.map(([start, end]) => ({ start: start * rate, end: end * rate }))

/** Cuts with everything known that has begun, as a detector would report it. */
function cut(durationSeconds: number, longest: number, speech: readonly Speech[]): Piece[] {
  const samples = recording(durationSeconds)
  const cutter = createCutter(longest)
  const pieces: Piece[] = []
  for (let at = 0; at < samples.length; at += rate) {
    const heard = Math.min(at + rate, samples.length)
    const known = speech
      .filter(({ start }) => start < heard)
      .map(({ start, end }) => ({ start, end: end > heard ? Number.POSITIVE_INFINITY : end }))
    pieces.push(...cutter.push(samples.subarray(at, heard), known))
  }
  pieces.push(...cutter.finish(speech))
  for (const piece of pieces) {
    expect(piece.samples[0]).toBe(Math.round(piece.startSeconds * rate))
    expect(piece.samples.at(-1)).toBe((piece.samples[0] ?? 0) + piece.samples.length - 1)
  }
  return pieces
}

const edges = (pieces: readonly Piece[]) =>
  pieces.map(({ startSeconds, samples }) => [startSeconds, startSeconds + samples.length / rate])

describe('a recording', () => {
  test('without speech has no pieces', () => {
    expect(cut(100, 10, [])).toEqual([])
  })

  test('that fits is one piece, without the silence around its speech', () => {
    expect(edges(cut(20, 30, spans([4, 6], [9, 12])))).toEqual([[3.5, 12.5]])
  })

  test('is cut in the middle of a short silence', () => {
    expect(edges(cut(14, 10, spans([0, 7], [7.5, 14])))).toEqual([
      [0, 7.25],
      [7.25, 14],
    ])
  })

  test('is cut at the longest silence of the second half, not at the last', () => {
    const speech = spans([0, 2], [4, 6], [6.75, 9], [9.25, 16])
    expect(edges(cut(16, 10, speech))[0]).toEqual([0, 6.375])
  })

  test('is cut at the last silence of the first half where the second has none', () => {
    expect(edges(cut(12, 10, spans([0, 1], [2, 3], [3.5, 12])))[0]).toEqual([0, 3.25])
  })

  test('shortens a long silence between two pieces', () => {
    expect(edges(cut(40, 10, spans([0, 7], [30, 36])))).toEqual([
      [0, 7.5],
      [29.5, 36.5],
    ])
  })

  test('without any silence is cut with an overlap', () => {
    const pieces = cut(24, 10, spans([0, 24]))
    expect(edges(pieces)).toEqual([
      [0, 10],
      [7, 17],
      [14, 24],
    ])
    expect(pieces.map(({ overlaps }) => overlaps)).toEqual([false, true, true])
  })
})

const someSpeech = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 200 })), { maxLength: 12 })
  .map((pairs) => {
    let at = 0
    return pairs.map(([silence, voice]) => {
      const start = at + (silence * rate) / 10
      at = start + (voice * rate) / 10
      return { start, end: at }
    })
  })

describe('whatever is said', () => {
  test('every piece is short enough, all speech is in one, and cuts without overlap are in silences', () => {
    fc.assert(
      fc.property(someSpeech, fc.integer({ min: 2, max: 12 }), (speech, longest) => {
        const duration = (speech.at(-1)?.end ?? 0) / rate + 1
        const pieces = cut(duration, longest, speech)
        let heardUntil = 0
        for (const [index, piece] of pieces.entries()) {
          const start = Math.round(piece.startSeconds * rate)
          expect(piece.samples.length).toBeLessThanOrEqual(longest * rate)
          expect(piece.overlaps).toBe(start < heardUntil)
          const lost = speech.some((span) => Math.max(span.start, heardUntil) < Math.min(span.end, start))
          expect(lost, `speech before piece ${index}`).toBe(false)
          heardUntil = start + piece.samples.length
          const isInSpeech = speech.some((span) => span.start < heardUntil && heardUntil < span.end)
          if (isInSpeech) expect(pieces[index + 1]?.overlaps).toBe(true)
        }
        expect(heardUntil).toBeGreaterThanOrEqual(speech.at(-1)?.end ?? 0)
      }),
      { numRuns: 100 },
    )
  })
})

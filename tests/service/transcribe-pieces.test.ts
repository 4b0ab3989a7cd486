import { expect, test } from 'vitest'
import { engineSampleRateHz } from '#service/engines/engine'
import { type PieceReader, transcribePieces } from '../../src/service/segmentation/transcribe-pieces.ts'

/** A recording of so many pieces of a second, and how many of them were asked for. */
function recordingOf(pieceCount: number): { readonly pieces: PieceReader; asked(): number } {
  let asked = 0
  const pieces: PieceReader = {
    async next() {
      asked += 1
      const samples = new Float32Array(engineSampleRateHz)
      const value =
        asked > pieceCount
          ? { durationSeconds: pieceCount }
          : { startSeconds: asked - 1, samples, overlaps: false }
      return { ok: true, value }
    },
    [Symbol.asyncDispose]: async () => undefined,
  }
  return { pieces, asked: () => asked }
}

const unnamed = { fileName: null }

test('every piece of a recording is heard once, in order, the first one as the first', async () => {
  const heard: boolean[] = []
  const outcome = await transcribePieces(
    { ...unnamed, pieces: recordingOf(3).pieces },
    { signal: new AbortController().signal },
    async (_piece, isFirst) => {
      heard.push(isFirst)
      const spoken = { text: `part ${heard.length}`, language: null }
      return { ok: true, value: { spoken, durationSeconds: 1, loadMs: isFirst ? 5 : 0, decodeMs: 2 } }
    },
  )
  expect(heard).toEqual([true, false, false])
  expect(outcome).toMatchObject({
    ok: true,
    value: { spoken: { text: 'part 1 part 2 part 3' }, durationSeconds: 3, loadMs: 5, decodeMs: 6 },
  })
})

test('a client that leaves half-way stops the recording before its next piece, also where the engine cannot be interrupted', async () => {
  const leaving = new AbortController()
  const recording = recordingOf(100)
  let heardCount = 0
  const outcome = await transcribePieces(
    { ...unnamed, pieces: recording.pieces },
    { signal: leaving.signal },
    async () => {
      heardCount += 1
      if (heardCount === 50) leaving.abort()
      const spoken = { text: 'as if nobody had left', language: null }
      return { ok: true, value: { spoken, durationSeconds: 1, loadMs: 0, decodeMs: 0 } }
    },
  )
  expect(outcome).toEqual({ ok: false, failure: 'abandoned' })
  expect(heardCount).toBe(50)
  // The one that was cut meanwhile, and no more.
  expect(recording.asked()).toBe(51)
})

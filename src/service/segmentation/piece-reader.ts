import { ownProgram } from '#installation'
import { failed, type Outcome, succeeded } from '#prelude'
import type { Frame } from '../workers/frames.ts'
import { freeBytes } from '../workers/free-bytes.ts'
import { startWorkerProcess } from '../workers/worker-process.ts'
import type { Piece } from './cutter.ts'
import type { PieceAnswer, PieceQuestion } from './piece-program.ts'

/** The next piece, or after the last one how long the whole recording is. */
type PieceResult = Outcome<Piece | { readonly durationSeconds: number }, { readonly reason: string }>

/** The pieces of one long recording, one after the other. */
export interface PieceReader extends AsyncDisposable {
  /** The next piece, or the end. Not to be asked before it has answered, nor after an end or a failure. */
  next(): Promise<PieceResult>
}

const program = ownProgram(import.meta.url, 'piece-program')

/** Starts a process that cuts the recording, and takes its bytes away. Disposing ends it, whatever native code it is in. */
export function readPieces(
  bytes: Uint8Array<ArrayBuffer>,
  work: Omit<Extract<PieceQuestion, { kind: 'recording' }>, 'kind'>,
): PieceReader {
  let answer: (frame: Frame<PieceAnswer>) => void = () => undefined
  const worker = startWorkerProcess<PieceQuestion, PieceAnswer>(program, (frame) => answer(frame))
  let lost: string | null = null
  let onLost: () => void = () => undefined
  void worker.ended.then((reason) => {
    lost = reason
    onLost()
  })
  void worker.send({ kind: 'recording', ...work }, bytes).then(() => freeBytes(bytes))
  return {
    next: () =>
      new Promise((resolve) => {
        onLost = () => resolve(failed({ reason: `it ended its decoder (${lost})` }))
        if (lost !== null) return onLost()
        answer = (frame) => resolve(resultOf(frame))
        void worker.send({ kind: 'next' })
      }),
    [Symbol.asyncDispose]: () => worker.kill(),
  }
}

function resultOf({ head, body }: Frame<PieceAnswer>): PieceResult {
  if (!head.ok || 'durationSeconds' in head.value) return head as PieceResult
  return succeeded({ ...head.value, samples: new Float32Array(body.buffer) })
}

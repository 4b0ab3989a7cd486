import { Worker } from 'node:worker_threads'
import { failed, ownProgram } from '#prelude'
import type { PieceResult, PieceWork } from './piece-worker.ts'

/** The pieces of one long recording, one after the other. */
export interface PieceReader extends AsyncDisposable {
  /** The next piece, or the end. Not to be asked before it has answered, nor after an end or a failure. */
  next(): Promise<PieceResult>
}

const program = ownProgram(import.meta.url, 'piece-worker')

/** Starts a thread that cuts the recording. The bytes are gone afterwards: their memory moves to the thread. */
export function readPieces(work: PieceWork & { readonly bytes: Uint8Array<ArrayBuffer> }): PieceReader {
  const thread = new Worker(program.url, {
    execArgv: [...program.execArgv],
    workerData: work,
    transferList: [work.bytes.buffer],
  })
  let lost: string | null = null
  thread.once('error', (error) => {
    lost = error instanceof Error ? error.message : String(error)
  })
  thread.once('exit', () => {
    lost ??= 'the decoder ended'
  })
  return {
    next: () =>
      new Promise((resolve) => {
        const finish = (result: PieceResult): void => {
          thread.off('message', finish).off('exit', onExit)
          resolve(result)
        }
        const onExit = (): void => finish(failed({ reason: lost ?? 'the decoder ended' }))
        if (lost !== null) return onExit()
        thread.once('message', finish).once('exit', onExit)
        thread.postMessage('next')
      }),
    async [Symbol.asyncDispose]() {
      await thread.terminate()
    },
  }
}

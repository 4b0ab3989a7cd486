import { Worker } from 'node:worker_threads'
import { ownProgram } from '#installation/installation'
import type { LockOrder } from './lock-thread.ts'

const program = ownProgram(import.meta.url, 'lock-thread')

/** Renews the lock of a job in a separate thread until it is disposed. */
export function keepLock(order: LockOrder): AsyncDisposable {
  const thread = new Worker(program.url, { execArgv: [...program.execArgv] })
  // A block whose lock is lost is measured again; the first complete copy counts.
  thread.on('error', () => undefined)
  thread.postMessage(order)
  return {
    async [Symbol.asyncDispose]() {
      await thread.terminate()
    },
  }
}

import { Worker } from 'node:worker_threads'
import { ownProgram } from '#installation/installation'
import type { LockOrder } from './lock-thread.ts'

const program = ownProgram(import.meta.url, 'lock-thread')

/** One for all blocks of this process: it loads the packages of the queue once. */
let thread: Worker | null = null

/** Renews the lock of a job in a separate thread until it is disposed. */
export function keepLock(order: LockOrder): Disposable {
  thread ??= startThread()
  const keeper = thread
  keeper.postMessage(order)
  return { [Symbol.dispose]: () => keeper.postMessage(null) }
}

function startThread(): Worker {
  const started = new Worker(program.url, { execArgv: [...program.execArgv] })
  // A block whose lock is lost is measured again; the first complete copy counts.
  started.on('error', () => {
    thread = null
  })
  // It does not keep the agent running.
  started.unref()
  return started
}

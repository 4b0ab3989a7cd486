import { Worker } from 'node:worker_threads'
import { ownProgram } from '#installation/installation'
import type { LockOrder } from './lock-thread.ts'

const program = ownProgram(import.meta.url, 'lock-thread')

/** One thread for all blocks of this process, so that it loads the packages of the queue once. */
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
  // If the lock is lost, the block is measured again, and the first complete copy counts.
  started.on('error', () => {
    thread = null
  })
  // The thread must not keep the agent running.
  started.unref()
  return started
}

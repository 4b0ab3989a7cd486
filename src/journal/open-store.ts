import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { ownProgram } from '#prelude'
import { runFiles } from './run-writer.ts'
import type { StoreTask } from './store-worker.ts'
import { readStore, type Stores } from './stores.ts'

const program = ownProgram(import.meta.url, 'store-worker')

/** From here on a thread of its own, which takes a tenth of a second to start, is worth it. */
const largeBytes = 32 * 2 ** 20

/**
 * Begins to read a file of a run: a large one in a thread, so that the files of a run are read beside each other.
 *
 * @returns what gives the file's content, and where no thread was started, reads it first
 */
export async function openStore<Name extends keyof Stores>(
  name: Name,
  folder: string,
): Promise<() => Promise<Stores[Name]>> {
  const size = await stat(join(folder, runFiles[name])).then(
    (found) => found.size,
    // Whoever reads it says what is wrong with it.
    () => 0,
  )
  if (size < largeBytes) return () => readStore[name](folder)
  const store = readInThread<Name>({ name, folder })
  // It may fail before anybody waits for it.
  store.catch(() => undefined)
  return () => store
}

async function readInThread<Name extends keyof Stores>(task: StoreTask): Promise<Stores[Name]> {
  const thread = new Worker(program.url, { workerData: task, execArgv: [...program.execArgv] })
  const [store] = await once(thread, 'message')
  await thread.terminate()
  return store
}

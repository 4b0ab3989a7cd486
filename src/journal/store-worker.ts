/** The program of a thread that reads one large file of a run: `workerData` says which, the one message is what it holds. */
import { parentPort, workerData } from 'node:worker_threads'
import { buffersOf, readStore, type Stores } from './stores.ts'

export interface StoreTask {
  readonly name: keyof Stores
  readonly folder: string
}

const { name, folder }: StoreTask = workerData
const store = await readStore[name](folder)
parentPort?.postMessage(store, buffersOf(store))

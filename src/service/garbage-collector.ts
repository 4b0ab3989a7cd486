import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * The collector of the thread that asks for it, for native memory that V8 knows nothing of and so sees no reason to
 * free: `minor` looks at young objects only and takes about 3 ms, `major` at the whole heap, in 20 to 30 ms.
 *
 * Node hands it out under `--expose-gc` only, to contexts made after the flag was set: to this one only
 * in the process.
 *
 * @see https://nodejs.org/api/v8.html#v8setflagsfromstringflags
 */
export function garbageCollector(type: 'minor' | 'major'): () => void {
  return collectorWith(`{ type: '${type}' }`)
}

/**
 * Collects young objects whenever native memory of this size may wait for the collector.
 *
 * @returns to be called with the size of what is not needed any more
 */
export function collectEvery(maxWaitingBytes: number): (sizeBytes: number) => void {
  const collect = garbageCollector('minor')
  let waitingBytes = 0
  return (sizeBytes) => {
    waitingBytes += sizeBytes
    if (waitingBytes < maxWaitingBytes) return
    waitingBytes = 0
    collect()
  }
}

/**
 * Gives back to the system what this process does not need any more: after it has started, that is half of what it
 * takes. Holds the event loop for some 100 ms.
 */
export function trimMemory(): void {
  collectorWith("{ type: 'major', flavor: 'last-resort' }")()
}

function collectorWith(options: string): () => void {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext(`() => gc(${options})`)
  return typeof collect === 'function' ? () => collect() : () => undefined
}

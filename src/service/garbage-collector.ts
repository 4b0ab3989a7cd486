import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * The garbage collector of the calling thread, for native memory that V8 does not count and so does not free.
 * `minor` collects young objects in about 3 ms, `major` the whole heap in 20 to 30 ms.
 *
 * Node offers it under `--expose-gc` only, to contexts created after the flag was set: here, to this one
 * alone.
 *
 * @see https://nodejs.org/api/v8.html#v8setflagsfromstringflags
 */
export function garbageCollector(type: 'minor' | 'major'): () => void {
  return collectorWith(`{ type: '${type}' }`)
}

/**
 * Collects young objects whenever unused native memory has reached a size.
 *
 * @returns a function to call with the size of memory that is no longer used, in bytes
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
 * Returns unused memory to the system, which halves the process's memory after its start. Blocks the event
 * loop for about 100 ms.
 */
export function trimMemory(): void {
  collectorWith("{ type: 'major', flavor: 'last-resort' }")()
}

function collectorWith(options: string): () => void {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext(`() => gc(${options})`)
  return typeof collect === 'function' ? () => collect() : () => undefined
}

import { fileURLToPath } from 'node:url'
import { Tinypool } from 'tinypool'
import { failed, type Outcome } from '#prelude'
import { engineSampleRateHz } from '../engines/engine.ts'
import type { DecodedClip, DecodeTask } from './decode-worker.ts'

/** Decodes audio in worker threads. */
export interface Decoder {
  /** The bytes are gone afterwards: their memory moves to the worker. */
  decode(
    bytes: Uint8Array<ArrayBuffer>,
    signal: AbortSignal,
  ): Promise<Outcome<DecodedClip, { readonly reason: string } | 'abandoned'>>
  close(): Promise<void>
}

/** In the checkout the sources run as they are, and the worker has to find the rooms' sources as well. */
const runsFromSource = import.meta.url.endsWith('.ts')

/** @param threads at most; they start when they are needed, and the first one at once */
export function createDecoder(threads: number): Decoder {
  const pool = new Tinypool({
    filename: fileURLToPath(new URL(`./decode-worker.${runsFromSource ? 'ts' : 'js'}`, import.meta.url)),
    name: 'decodeClip',
    minThreads: 1,
    maxThreads: threads,
    idleTimeout: 60_000,
    execArgv: runsFromSource ? ['--conditions=asrbench:source', '--disable-warning=ExperimentalWarning'] : [],
  })
  return {
    async decode(bytes, signal) {
      try {
        const task: DecodeTask = { bytes, sampleRateHz: engineSampleRateHz }
        return await pool.run(task, { signal, transferList: [bytes.buffer] })
      } catch (error) {
        if (signal.aborted) return failed('abandoned')
        // A decoder that runs out of memory or traps takes its thread with it; the next task gets a new one.
        return failed({ reason: error instanceof Error ? error.message : String(error) })
      }
    },
    close: () => pool.destroy(),
  }
}

/**
 * The program of a decoding thread. WebAssembly decoders and the resampler would hold the event loop; here
 * they hold nobody up.
 */
import { createHash } from 'node:crypto'
import { parentPort } from 'node:worker_threads'
import { decodeAudio, toMono } from '#audio'
import { failed, type Outcome, succeeded } from '#prelude'

export interface DecodeTask {
  readonly bytes: Uint8Array
  readonly sampleRateHz: number
}

/** Samples for an engine, and the name of the bytes that they came from. */
export interface DecodedClip {
  readonly samples: Float32Array<ArrayBuffer>
  readonly sha256: string
}

export type DecodeResult = Outcome<DecodedClip, { readonly reason: string }>

// What is thrown ends the thread, and the one who asked hears of it.
parentPort?.on('message', async (task: DecodeTask) => {
  const result = await decodeClip(task)
  // The samples move to the other thread, they are not copied.
  parentPort?.postMessage(result, result.ok ? [result.value.samples.buffer] : [])
})

async function decodeClip({ bytes, sampleRateHz }: DecodeTask): Promise<DecodeResult> {
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const decoded = await decodeAudio(bytes)
  if (!decoded.ok) return decoded
  const samples = await toMono(decoded.value, sampleRateHz)
  if (samples.length === 0) return failed({ reason: 'no samples' })
  // A view of a larger buffer would take all of it along.
  return succeeded({ samples: new Float32Array(samples), sha256 })
}

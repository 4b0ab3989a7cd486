import { createHash } from 'node:crypto'
import { kTransferable, kValue, Tinypool } from 'tinypool'
import { decodeAudio, toMono } from '#audio'
import { failed, type Outcome, succeeded } from '#prelude'

/** What the worker thread hands back: samples for an engine, and the name of the bytes. */
export interface DecodedClip {
  readonly samples: Float32Array
  readonly sha256: string
}

export interface DecodeTask {
  readonly bytes: Uint8Array
  readonly sampleRateHz: number
}

type DecodeResult = Outcome<DecodedClip, { readonly reason: string }>

/** Decodes and resamples in a thread of its own: WebAssembly would hold the event loop. */
export async function decodeClip({ bytes, sampleRateHz }: DecodeTask): Promise<unknown> {
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const decoded = await decodeAudio(bytes)
  if (!decoded.ok) return decoded
  const samples = await toMono(decoded.value, sampleRateHz)
  if (samples.length === 0) return failed({ reason: 'no samples' })
  const result: DecodeResult = succeeded({ samples, sha256 })
  // Moved to the other thread, not copied.
  return Tinypool.move({ [kValue]: result, [kTransferable]: [samples.buffer] })
}

/**
 * The program of a decoding thread. WebAssembly decoders and the resampler would hold the event loop; here
 * they hold nobody up.
 */
import { createHash } from 'node:crypto'
import { parentPort } from 'node:worker_threads'
import { monoStream } from '#audio'
import { failed, type Outcome, succeeded } from '#prelude'

/** Nine hours of samples at 16 kHz are 2 GiB. */
const longestWhole = 2 ** 29

export interface DecodeTask {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly sampleRateHz: number
  /** A longer recording comes back as it is, to be decoded piece by piece. */
  readonly longestClipSeconds: number | null
}

/** Samples for an engine, and the name of the bytes that they came from. */
export interface DecodedClip {
  readonly samples: Float32Array<ArrayBuffer>
  readonly sha256: string
}

/** A recording that is too long to be decoded in one piece. */
export interface UndecodedClip {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly sha256: string
}

export type DecodeResult = Outcome<DecodedClip | UndecodedClip, { readonly reason: string }>

// What is thrown ends the thread, and the one who asked hears of it.
parentPort?.on('message', async (task: DecodeTask) => {
  const result = await decodeClip(task)
  // What was decoded moves to the other thread, it is not copied.
  const moving = !result.ok
    ? []
    : ['samples' in result.value ? result.value.samples.buffer : task.bytes.buffer]
  parentPort?.postMessage(result, moving)
})

async function decodeClip({ bytes, sampleRateHz, longestClipSeconds }: DecodeTask): Promise<DecodeResult> {
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const mostSamples = longestClipSeconds === null ? longestWhole : longestClipSeconds * sampleRateHz
  const blocks: Float32Array[] = []
  let sampleCount = 0
  for await (const block of monoStream(bytes, sampleRateHz)) {
    if (!block.ok) return block
    blocks.push(block.value)
    sampleCount += block.value.length
    if (sampleCount <= mostSamples) continue
    if (longestClipSeconds !== null) return succeeded({ bytes, sha256 })
    return failed({ reason: 'it is longer than nine hours' })
  }
  const samples = new Float32Array(sampleCount)
  let offset = 0
  for (const block of blocks) {
    samples.set(block, offset)
    offset += block.length
  }
  return succeeded({ samples, sha256 })
}

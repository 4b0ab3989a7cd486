/** A process that decodes recordings one after the other, so that a malicious file can crash only this process. */
import { monoStream } from '#audio/sound-stream'
import { failed, type Outcome, succeeded } from '#prelude'

import { boundMemory, garbageCollector, serveParent } from '../worker-process.ts'

/** A question to the process; the recording's bytes are the frame's body. */
export interface DecodeQuestion {
  readonly sampleRateHz: number
  /** Maximum duration; a longer recording is not decoded to its end, and answered without samples. */
  readonly maxSeconds: number
}

/** The answer; the samples are the frame's body, as 32-bit floats. */
export interface DecodeAnswer {
  readonly outcome: Outcome<{ readonly isWhole: boolean }, { readonly reason: string }>
  /** Resident memory of the process. */
  readonly residentBytes: number
}

/** Memory limit in bytes: the file, half an hour of samples, and the memory of the decoders. */
const maxBytes = 450 * 2 ** 20

const largeBytes = 4 * 2 ** 20
const collect = garbageCollector('major')

async function decode(
  bytes: Uint8Array,
  { sampleRateHz, maxSeconds }: DecodeQuestion,
): Promise<{ readonly outcome: DecodeAnswer['outcome']; readonly blocks: readonly Float32Array[] }> {
  const blocks: Float32Array[] = []
  let sampleCount = 0
  for await (const block of monoStream(bytes, sampleRateHz)) {
    if (!block.ok) return { outcome: block, blocks: [] }
    blocks.push(block.value)
    sampleCount += block.value.length
    if (sampleCount > maxSeconds * sampleRateHz) {
      return { outcome: succeeded({ isWhole: false }), blocks: [] }
    }
  }
  return { outcome: succeeded({ isWhole: true }), blocks }
}

boundMemory(maxBytes)
serveParent<DecodeQuestion, DecodeAnswer>(async ({ head, body }, reply) => {
  const { outcome, blocks } = await decode(body, head).catch((error: unknown) => ({
    outcome: failed({ reason: error instanceof Error ? error.message : String(error) }),
    blocks: [],
  }))
  const parts = blocks.map((block) => new Uint8Array(block.buffer, block.byteOffset, block.byteLength))
  await reply({ outcome, residentBytes: process.memoryUsage.rss() }, ...parts)
  // The memory of large files is collected now, because the collector would not run soon otherwise.
  if (body.length > largeBytes) collect()
})

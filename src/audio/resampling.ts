import { setImmediate } from 'node:timers/promises'
import loadSpeex from '@echogarden/speex-resampler-wasm/simd'
import { isConstant } from './structure.ts'

/**
 * Quality, 0 to 10. From 48 to 16 kHz, 8 is flat to 7 kHz and 0.3 dB down at 7.5 kHz. Distortion is below -130 dB and
 * aliases below -100 dB, at 1,000 times real time. 10 gains 300 Hz at four times the cost.
 */
const quality = 8
const blockFrames = 1 << 16

/**
 * Resamples one channel with the Speex resampler (windowed sinc), without delay. The event loop gets a turn after
 * every 65,536 samples.
 *
 * @param toHz target rate, a whole number
 * @returns `round(samples · toHz / sampleRateHz)` samples, at least 1. Equal rates return the samples themselves, not
 *   a copy.
 */
export async function resample(
  { samples, sampleRateHz: fromHz }: { readonly samples: Float32Array; readonly sampleRateHz: number },
  toHz: number,
): Promise<Float32Array> {
  if (fromHz === toHz) return samples
  const stream = await startResampling(fromHz, toHz)
  const result = new Float32Array(lengthAt(samples.length, fromHz, toHz))
  let written = 0
  const keep = (blocks: Iterable<Float32Array>): void => {
    for (const block of blocks) {
      result.set(block, written)
      written += block.length
    }
  }
  for (let read = 0; read < samples.length; read += blockFrames) {
    keep(stream.push(samples.subarray(read, read + blockFrames)))
    await setImmediate()
  }
  keep(stream.finish())
  return result
}

/** Resamples a recording that arrives in parts. */
export interface ResampledStream {
  /** Takes any number of samples and returns the blocks that are ready, each with at least one sample. */
  push(samples: Float32Array): Iterable<Float32Array>
  /** Returns the remaining blocks, once, so that the total is the length of the whole recording at the new rate. */
  finish(): Iterable<Float32Array>
}

/** Starts to resample one channel. The result does not depend on the sizes of the parts. */
export async function startResampling(fromHz: number, toHz: number): Promise<ResampledStream> {
  const pushBlock = await createResampler(fromHz, toHz)
  const waiting = new Float32Array(blockFrames)
  let [waitingCount, read, written] = [0, 0, 0]
  return {
    *push(samples) {
      let offset = 0
      while (offset < samples.length) {
        const part = samples.subarray(offset, offset + blockFrames - waitingCount)
        waiting.set(part, waitingCount)
        waitingCount += part.length
        offset += part.length
        read += part.length
        if (waitingCount < blockFrames) continue
        waitingCount = 0
        const output = pushBlock(waiting)
        written += output.length
        if (output.length > 0) yield output
      }
    },

    *finish() {
      const length = lengthAt(read, fromHz, toHz)
      // Silence follows the last sample, to get the filter's delay out, until the length is reached.
      while (written < length) {
        const output = pushBlock(waiting.subarray(0, waitingCount)).subarray(0, length - written)
        waitingCount = 0
        written += output.length
        if (output.length > 0) yield output
      }
    },
  }
}

function lengthAt(frameCount: number, fromHz: number, toHz: number): number {
  return Math.max(1, Math.round((frameCount * toHz) / fromHz))
}

/** Number of samples at the start of a block whose repetition is searched; fewer recur by chance in faint noise. */
const comparedFrames = 1024

/**
 * Returns the period with which a block repeats to its end: 1 for silence, the length of a packet where a decoder
 * renders the same noise for each; null for other blocks.
 */
function periodOf(block: Float32Array): number | null {
  const compared = block.subarray(0, comparedFrames)
  // Sound before silence is excluded, because searching for it takes 1 s: in silence all but its first bytes match.
  if (isConstant(compared.subarray(-64)) && !isConstant(compared)) return null
  const bytes = Buffer.from(block.buffer, block.byteOffset, block.byteLength)
  const again = bytes.indexOf(bytes.subarray(0, comparedFrames * 4), 4)
  if (again === -1 || again % 4 !== 0) return null
  return bytes.subarray(again).equals(bytes.subarray(0, -again)) ? again / 4 : null
}

function commonDivisor(left: number, right: number): number {
  return right === 0 ? left : commonDivisor(right, left % right)
}

/** @returns resamples a block of at most `blockFrames` samples, padded with silence */
async function createResampler(fromHz: number, toHz: number): Promise<(block: Float32Array) => Float32Array> {
  const speex = await loadSpeex()
  const errorAt = speex._malloc(4)
  const state = speex._speex_resampler_init(1, fromHz, toHz, quality, errorAt)
  if (state === 0) throw new RangeError(`cannot resample from ${fromHz} Hz to ${toHz} Hz`)
  speex._speex_resampler_skip_zeros(state)
  const outputFrames = Math.ceil((blockFrames * toHz) / fromHz) + 1
  /** Longer than the filter, which has 160 samples of the lower rate. */
  const memoryFrames = 256 * Math.ceil(Math.max(1, fromHz / toHz))
  const cycleFrames = fromHz / commonDivisor(fromHz, toHz)
  const [inputAt, outputAt] = [speex._malloc(blockFrames * 4), speex._malloc(outputFrames * 4)]
  const [inputCountAt, outputCountAt] = [speex._malloc(4), speex._malloc(4)]
  /** Resamples the block in the memory of the WebAssembly module. */
  const resample = (frameCount: number): Float32Array => {
    speex.HEAP32[inputCountAt / 4] = frameCount
    speex.HEAP32[outputCountAt / 4] = outputFrames
    speex._speex_resampler_process_float(state, 0, inputAt, inputCountAt, outputAt, outputCountAt)
    return speex.HEAPF32.subarray(outputAt / 4, outputAt / 4 + (speex.HEAP32[outputCountAt / 4] ?? 0))
  }
  return (block) => {
    const input = speex.HEAPF32.subarray(inputAt / 4, inputAt / 4 + blockFrames)
    input.fill(0)
    input.set(block)
    const period = periodOf(input)
    if (period === null) return resample(blockFrames).slice()
    // After the length of the filter the output repeats as well, where samples of both rates coincide.
    const repeatFrames = (period / commonDivisor(period, cycleFrames)) * cycleFrames
    const repeats = Math.max(0, Math.floor((blockFrames - 2 * memoryFrames) / repeatFrames) - 1)
    const repeated = (repeatFrames * toHz) / fromHz
    const heard = resample(blockFrames - repeats * repeatFrames)
    const output = new Float32Array(heard.length + repeats * repeated)
    output.set(heard)
    // Each copy doubles the repeated length.
    for (let at = heard.length, length = repeated; at < output.length; at += length, length *= 2) {
      output.copyWithin(at, at - length, Math.min(at, at - length + output.length - at))
    }
    return output
  }
}

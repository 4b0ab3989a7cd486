import { setImmediate } from 'node:timers/promises'
import loadSpeex from '@echogarden/speex-resampler-wasm/simd'
import { isConstant } from './structure.ts'

/**
 * Of 0 to 10. From 48 to 16 kHz: flat to 7 kHz, 0.3 dB down at 7.5 kHz, distortion below -130 dB, aliases
 * below -100 dB, 1,000 times faster than real time. 10 gains 300 Hz and costs four times as much.
 */
const quality = 8
const blockFrames = 1 << 16

/**
 * Changes the rate of one channel by the Speex resampler (windowed sinc), without delay. Gives the event loop a turn after every
 * 65,536 samples.
 *
 * @param toHz the rate to come out, a whole number
 * @returns `round(samples · toHz / sampleRateHz)` samples, at least 1. Where nothing is to do, the samples themselves, not a copy.
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

/** A recording on its way to another rate. */
export interface ResampledStream {
  /** Takes samples in any number, and gives what is ready; blocks of at least one sample. */
  push(samples: Float32Array): Iterable<Float32Array>
  /** Gives the rest, once, so that the length is that of the whole recording at the new rate. */
  finish(): Iterable<Float32Array>
}

/** Starts to change the rate of one channel. What comes out does not depend on how the samples were parted. */
export async function startResampling(fromHz: number, toHz: number): Promise<ResampledStream> {
  const pushBlock = await createResampler(fromHz, toHz)
  const waiting = new Float32Array(blockFrames)
  let [waitingCount, read, written] = [0, 0, 0]
  return {
    *push(samples) {
      let offset = 0
      while (offset < samples.length) {
        const taken = samples.subarray(offset, offset + blockFrames - waitingCount)
        waiting.set(taken, waitingCount)
        waitingCount += taken.length
        offset += taken.length
        read += taken.length
        if (waitingCount < blockFrames) continue
        waitingCount = 0
        const output = pushBlock(waiting)
        written += output.length
        if (output.length > 0) yield output
      }
    },

    *finish() {
      const length = lengthAt(read, fromHz, toHz)
      // Behind the last sample comes silence, as much as the filter's delay, until the length is reached.
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

/** So many samples at the beginning of a block are looked for again in it: fewer come again by chance in faint noise. */
const comparedFrames = 1024

/**
 * After how many samples a block repeats itself to its end: 1 for silence, the length of a packet where a decoder makes the same
 * noise of each; null where it does not.
 */
function periodOf(block: Float32Array): number | null {
  const compared = block.subarray(0, comparedFrames)
  // A search for sound with silence behind it takes a second in a block of silence: all but the first bytes are compared each time.
  if (isConstant(compared.subarray(-64)) && !isConstant(compared)) return null
  const bytes = Buffer.from(block.buffer, block.byteOffset, block.byteLength)
  const again = bytes.indexOf(bytes.subarray(0, comparedFrames * 4), 4)
  if (again === -1 || again % 4 !== 0) return null
  return bytes.subarray(again).equals(bytes.subarray(0, -again)) ? again / 4 : null
}

function commonDivisor(left: number, right: number): number {
  return right === 0 ? left : commonDivisor(right, left % right)
}

/** @returns takes a block of at most `blockFrames`, filled up with silence, and gives what came out of it */
async function createResampler(fromHz: number, toHz: number): Promise<(block: Float32Array) => Float32Array> {
  const speex = await loadSpeex()
  const errorAt = speex._malloc(4)
  const state = speex._speex_resampler_init(1, fromHz, toHz, quality, errorAt)
  if (state === 0) throw new RangeError(`cannot resample from ${fromHz} Hz to ${toHz} Hz`)
  speex._speex_resampler_skip_zeros(state)
  const outputFrames = Math.ceil((blockFrames * toHz) / fromHz) + 1
  /** More than the filter is long, which is 160 samples of the lower rate. */
  const memoryFrames = 256 * Math.ceil(Math.max(1, fromHz / toHz))
  const cycleFrames = fromHz / commonDivisor(fromHz, toHz)
  const [inputAt, outputAt] = [speex._malloc(blockFrames * 4), speex._malloc(outputFrames * 4)]
  const [inputCountAt, outputCountAt] = [speex._malloc(4), speex._malloc(4)]
  /** Of the block in its memory. */
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
    // Past the length of the filter what comes out repeats itself as well, where whole samples of both rates lie upon each other.
    const repeatFrames = (period / commonDivisor(period, cycleFrames)) * cycleFrames
    const repeats = Math.max(0, Math.floor((blockFrames - 2 * memoryFrames) / repeatFrames) - 1)
    const repeated = (repeatFrames * toHz) / fromHz
    const heard = resample(blockFrames - repeats * repeatFrames)
    const output = new Float32Array(heard.length + repeats * repeated)
    output.set(heard)
    // Twice as many each time: what is copied is as long as what was copied before.
    for (let at = heard.length, length = repeated; at < output.length; at += length, length *= 2) {
      output.copyWithin(at, at - length, Math.min(at, at - length + output.length - at))
    }
    return output
  }
}

import { setImmediate } from 'node:timers/promises'
import loadSpeex from '@echogarden/speex-resampler-wasm/simd'
import type { DecodedAudio } from './decoding.ts'

/**
 * Of 0 to 10. From 48 to 16 kHz: flat to 7 kHz, 0.3 dB down at 7.5 kHz, distortion below -130 dB, aliases
 * below -100 dB, 1,000 times faster than real time. 10 gains 300 Hz and costs four times as much.
 */
const quality = 8
const blockFrames = 1 << 16

/**
 * Makes one channel at the rate an engine wants. Channels are averaged; the rate is changed by the Speex
 * resampler (windowed sinc), without delay. Gives the event loop a turn after every 65,536 samples.
 *
 * @param sampleRateHz the rate to come out, a whole number
 * @returns `round(frames · sampleRateHz / audio.sampleRateHz)` samples, at least 1. Where nothing is to do, the
 *   only channel itself, not a copy.
 */
export async function toMono(audio: DecodedAudio, sampleRateHz: number): Promise<Float32Array> {
  const mono = downmix(audio.channels)
  return audio.sampleRateHz === sampleRateHz ? mono : await resample(mono, audio.sampleRateHz, sampleRateHz)
}

function downmix(channels: readonly Float32Array[]): Float32Array {
  const [first] = channels
  if (first === undefined) return new Float32Array()
  if (channels.length === 1) return first
  const mono = new Float32Array(first.length)
  for (const channel of channels) {
    for (let index = 0; index < mono.length; index += 1) {
      mono[index] = (mono[index] ?? 0) + (channel[index] ?? 0) / channels.length
    }
  }
  return mono
}

async function resample(samples: Float32Array, fromHz: number, toHz: number): Promise<Float32Array> {
  const speex = await loadSpeex()
  const errorAt = speex._malloc(4)
  const state = speex._speex_resampler_init(1, fromHz, toHz, quality, errorAt)
  if (state === 0) throw new RangeError(`cannot resample from ${fromHz} Hz to ${toHz} Hz`)
  speex._speex_resampler_skip_zeros(state)
  const room = Math.ceil((blockFrames * toHz) / fromHz) + 1
  const [inputAt, outputAt] = [speex._malloc(blockFrames * 4), speex._malloc(room * 4)]
  const [inputCountAt, outputCountAt] = [speex._malloc(4), speex._malloc(4)]

  const result = new Float32Array(Math.max(1, Math.round((samples.length * toHz) / fromHz)))
  let [read, written] = [0, 0]
  // Behind the last sample comes silence, as much as the filter's delay, until the result is full.
  while (written < result.length) {
    const block = samples.subarray(read, read + blockFrames)
    speex.HEAPF32.fill(0, inputAt / 4, inputAt / 4 + blockFrames)
    speex.HEAPF32.set(block, inputAt / 4)
    speex.HEAP32[inputCountAt / 4] = blockFrames
    speex.HEAP32[outputCountAt / 4] = room
    speex._speex_resampler_process_float(state, 0, inputAt, inputCountAt, outputAt, outputCountAt)
    const output = speex.HEAPF32.subarray(outputAt / 4, outputAt / 4 + (speex.HEAP32[outputCountAt / 4] ?? 0))
    result.set(output.subarray(0, result.length - written), written)
    read += speex.HEAP32[inputCountAt / 4] ?? 0
    written += output.length
    await setImmediate()
  }
  return result
}

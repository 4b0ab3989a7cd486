import { writeText } from './formats/riff/riff.ts'

const headerBytes = 44

/** What -1 and 1 are in 16 bits: the decoder of WAV maps -32768 to -1 and 32767 to 1. */
export const wavFullScale: { readonly negative: number; readonly positive: number } = {
  negative: 32768,
  positive: 32767,
}

/**
 * Writes mono samples as a WAV file of 16-bit PCM: what `decodeAudio` reads back, to half a step.
 *
 * @param samples nominally in -1..1; what lies outside is clipped, what is not a number becomes 0. 16-bit samples are
 *   written as they are.
 * @param sampleRateHz a whole number
 */
export function encodeWav(samples: Float32Array | Int16Array, sampleRateHz: number): Uint8Array {
  const bytes = new Uint8Array(headerBytes + samples.length * 2)
  const view = new DataView(bytes.buffer)
  writeText(bytes, 0, 'RIFF')
  view.setUint32(4, bytes.length - 8, true)
  writeText(bytes, 8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, 1, true)
  view.setUint32(24, sampleRateHz, true)
  view.setUint32(28, sampleRateHz * 2, true)
  view.setUint16(32, 2, true)
  view.setUint16(34, 16, true)
  writeText(bytes, 36, 'data')
  view.setUint32(40, samples.length * 2, true)
  const isPcm = samples instanceof Int16Array
  for (let index = 0; index < samples.length; index += 1) {
    const sample = samples[index] as number
    view.setInt16(headerBytes + index * 2, isPcm ? sample : quantise(sample), true)
  }
  return bytes
}

function quantise(sample: number): number {
  const clipped = Math.max(-1, Math.min(1, Number.isNaN(sample) ? 0 : sample))
  return Math.round(clipped < 0 ? clipped * wavFullScale.negative : clipped * wavFullScale.positive)
}

import { writeText } from './formats/riff/riff.ts'

const headerBytes = 44

/**
 * Writes mono samples as a WAV file of 16-bit PCM: what `decodeAudio` reads back, to half a step.
 *
 * @param samples nominally in -1..1; what lies outside is clipped, what is not a number becomes 0
 * @param sampleRateHz a whole number
 */
export function encodeWav(samples: Float32Array, sampleRateHz: number): Uint8Array {
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
  samples.forEach((sample, index) => {
    view.setInt16(headerBytes + index * 2, quantise(sample), true)
  })
  return bytes
}

/** The decoder maps -32768 to -1 and 32767 to 1; this is its inverse. */
function quantise(sample: number): number {
  const clipped = Math.max(-1, Math.min(1, Number.isNaN(sample) ? 0 : sample))
  return Math.round(clipped < 0 ? clipped * 32768 : clipped * 32767)
}

import type { Outcome } from '#prelude'
import { succeeded } from '#prelude'
import { type AudioFailure, decodeParts } from './decoding.ts'
import { downmix, type ResampledStream, startResampling } from './resampling.ts'

/**
 * Decodes a recording part by part into one channel at the rate an engine wants: the samples of `decodeAudio`
 * and `toMono`, bit for bit, without ever holding all of them. Two hours of Opus or MP3 need a few megabytes;
 * MP4 alone is decoded in one piece.
 *
 * @param file all bytes of a file
 * @param sampleRateHz the rate to come out, a whole number
 * @returns blocks with at least one sample each; a file that cannot be used, or not to its end, yields the
 *   reason last. Never throws over bad audio.
 */
export async function* monoStream(
  file: Uint8Array,
  sampleRateHz: number,
): AsyncGenerator<Outcome<Float32Array, AudioFailure>, void> {
  let resampling: ResampledStream | null = null
  for await (const part of decodeParts(file)) {
    if (!part.ok) return yield part
    const mono = downmix(part.value.channels)
    if (part.value.sampleRateHz === sampleRateHz) {
      yield succeeded(mono)
      continue
    }
    resampling ??= await startResampling(part.value.sampleRateHz, sampleRateHz)
    for (const block of resampling.push(mono)) yield succeeded(block)
  }
  for (const block of resampling?.finish() ?? []) yield succeeded(block)
}

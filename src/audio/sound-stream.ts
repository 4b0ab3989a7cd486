import type { Outcome } from '#prelude'
import { failed, succeeded } from '#prelude'
import { decodeParts, openAudio } from './decoding.ts'
import { formats } from './format.ts'
import { mixer, type ResampledStream, startResampling } from './resampling.ts'
import type { AudioFailure } from './structure.ts'
import { wavFullScale } from './wav-encoding.ts'

/** A stretch of one channel at the recording's own rate. */
export interface SoundPart<Samples = Float32Array> {
  readonly sampleRateHz: number
  /** At least one. */
  readonly samples: Samples
  /** One channel is the other upside down, so far: their mean is silence, and the first one was taken alone. */
  readonly isInverted: boolean
}

/**
 * Decodes a recording part by part into one channel. It holds a few megabytes at a time, however long the recording is; MP4 alone is
 * decoded in one piece.
 *
 * @param file all bytes of a file
 * @param channel from 0; null for the mean of all, see `mixer`
 * @returns parts; a file that cannot be used, or not to its end, yields the reason last. Never throws over bad audio.
 */
export async function* soundStream(
  file: Uint8Array,
  channel: number | null = null,
): AsyncGenerator<Outcome<SoundPart, AudioFailure>, void> {
  const mix = mixer()
  for await (const part of decodeParts(file)) {
    if (!part.ok) return yield part
    const { channels, sampleRateHz } = part.value
    if (channel === null) {
      yield succeeded({ sampleRateHz, ...mix(channels) })
      continue
    }
    const samples = channels[channel]
    if (samples === undefined) {
      return yield failed({
        reason: `this has ${channels.length} channels, and channel ${channel} is asked for`,
      })
    }
    yield succeeded({ sampleRateHz, samples, isInverted: false })
  }
}

/** `soundStream` in one piece. */
export async function decodeSound(file: Uint8Array): Promise<Outcome<SoundPart, AudioFailure>> {
  const parts: SoundPart[] = []
  for await (const part of soundStream(file)) {
    if (!part.ok) return part
    parts.push(part.value)
  }
  const samples = new Float32Array(parts.reduce((sum, part) => sum + part.samples.length, 0))
  let offset = 0
  for (const part of parts) {
    samples.set(part.samples, offset)
    offset += part.samples.length
  }
  return succeeded({ sampleRateHz: 0, isInverted: false, ...parts.at(-1), samples })
}

/**
 * `soundStream` at the rate an engine wants.
 *
 * @param sampleRateHz the rate to come out, a whole number
 * @returns blocks with at least one sample each; the reason as `soundStream`
 */
export async function* monoStream(
  file: Uint8Array,
  sampleRateHz: number,
): AsyncGenerator<Outcome<Float32Array, AudioFailure>, void> {
  let resampling: ResampledStream | null = null
  for await (const part of soundStream(file)) {
    if (!part.ok) return yield part
    const { samples, sampleRateHz: ownRateHz } = part.value
    if (ownRateHz === sampleRateHz) {
      yield succeeded(samples)
      continue
    }
    resampling ??= await startResampling(ownRateHz, sampleRateHz)
    for (const block of resampling.push(samples)) yield succeeded(block)
  }
  for (const block of resampling?.finish() ?? []) yield succeeded(block)
}

/** What each decoder of the library maps to -1 and 1. The WAV decoder scales the two sides of zero differently. */
const fullScales: Readonly<
  Partial<Record<string, { readonly negative: number; readonly positive: number }>>
> = {
  flac: { negative: 32767, positive: 32767 },
  caf: { negative: 32768, positive: 32768 },
}

/**
 * `soundStream` in samples of 16 bits. Those of a lossless mono recording of 16 bits come out as they are, whichever format holds
 * them.
 */
export async function* pcmStream(
  file: Uint8Array,
  channel: number | null,
): AsyncGenerator<Outcome<SoundPart<Int16Array>, AudioFailure>, void> {
  const opened = openAudio(file)
  if (!opened.ok) return yield opened
  const { negative, positive } = fullScales[formats[opened.value.format].decoder] ?? wavFullScale
  const quantise = (sample: number): number =>
    Math.max(-32768, Math.min(32767, Math.round(sample * (sample < 0 ? negative : positive))))
  for await (const part of soundStream(file, channel)) {
    if (!part.ok) return yield part
    yield succeeded({ ...part.value, samples: Int16Array.from(part.value.samples, quantise) })
  }
}

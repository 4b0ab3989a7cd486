import { failed, type Outcome, succeeded } from '#prelude'
import { decodeParts, openAudio } from './decoding.ts'
import { formats } from './format.ts'
import { writeText } from './formats/wav.ts'
import { type ResampledStream, startResampling } from './resampling.ts'
import { type AudioFailure, isConstant } from './structure.ts'

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

/** The mean of two channels that is so much weaker than they are has lost the sound: 20 dB. */
const cancelledShare = 0.01

/**
 * Makes one channel of all: their mean. A telephone line or a wrong plug may turn one of two channels upside down, and the mean is then
 * silence: the first channel is taken alone where that is so for the recording as far as it was read.
 *
 * @returns takes the parts of one recording in order
 */
export function mixer(): (channels: readonly Float32Array[]) => {
  readonly samples: Float32Array
  readonly isInverted: boolean
} {
  let [mixed, single] = [0, 0]
  return (channels) => {
    const [left = new Float32Array(), right] = channels
    if (right === undefined) return { samples: left, isInverted: mixed < single * cancelledShare }
    if (channels.length > 2) {
      const samples = new Float32Array(left.length)
      for (const channel of channels) {
        for (let index = 0; index < samples.length; index += 1) {
          samples[index] = (samples[index] as number) + (channel[index] as number) / channels.length
        }
      }
      return { samples, isInverted: false }
    }
    // Local variables: those around a function are numbers on the heap, and each sum would be another one.
    const samples = new Float32Array(left.length)
    let [sumOfMean, sumOfBoth] = [mixed, single]
    // Of what stays the same, as digital silence does, one sample stands for all.
    const isSteady = isConstant(left) && isConstant(right)
    for (let index = 0; index < (isSteady ? Math.min(1, left.length) : left.length); index += 1) {
      const [one, other] = [left[index] as number, right[index] as number]
      samples[index] = one / 2 + other / 2
      const mean = samples[index] as number
      sumOfMean += mean * mean
      sumOfBoth += (one * one + other * other) / 2
    }
    if (isSteady) samples.fill(samples[0] ?? 0)
    mixed = sumOfMean
    single = sumOfBoth
    const isInverted = mixed < single * cancelledShare
    return { samples: isInverted ? left : samples, isInverted }
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

interface FullScale {
  readonly negative: number
  readonly positive: number
}

/** What -1 and 1 are in 16 bits: the decoder of WAV maps -32768 to -1 and 32767 to 1. */
const wavFullScale: FullScale = { negative: 32768, positive: 32767 }

/** What each decoder of the library maps to -1 and 1. The WAV decoder scales the two sides of zero differently. */
const fullScales: Readonly<Partial<Record<string, FullScale>>> = {
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
  const fullScale = fullScales[formats[opened.value.format].decoder] ?? wavFullScale
  for await (const part of soundStream(file, channel)) {
    if (!part.ok) return yield part
    const { samples } = part.value
    // A loop takes a tenth of the time of `Int16Array.from`.
    const pcm = new Int16Array(samples.length)
    for (let index = 0; index < pcm.length; index += 1) {
      pcm[index] = quantise(samples[index] as number, fullScale)
    }
    yield succeeded({ ...part.value, samples: pcm })
  }
}

function quantise(sample: number, { negative, positive }: FullScale): number {
  return Math.max(-32768, Math.min(32767, Math.round(sample * (sample < 0 ? negative : positive))))
}

const headerBytes = 44

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
    view.setInt16(headerBytes + index * 2, isPcm ? sample : quantise(sample, wavFullScale), true)
  }
  return bytes
}

import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import type { AudioData, StreamDecoder } from 'audio-decode'
import decode from 'audio-decode'
import { failed, type Outcome, succeeded } from '#prelude'
import { type AudioFormat, describeNonAudio, detectFormat, formats, withoutTags } from './format.ts'
import { writeText } from './formats/wav.ts'
import { type ResampledStream, startResampling } from './resampling.ts'
import {
  type AudioFailure,
  type AudioStructure,
  checkLength,
  isConstant,
  isPlausibleRate,
  UnusableAudio,
} from './structure.ts'

/** Samples of a recording as the file has them: not resampled, not downmixed. */
export interface DecodedAudio {
  readonly sampleRateHz: number
  /** At least one channel. All have the same length, at least one sample; values are finite, nominally in -1..1. */
  readonly channels: readonly Float32Array[]
}

/** Format of a file, with the structure that its headers and packets describe. */
export interface OpenedAudio extends AudioStructure {
  readonly format: AudioFormat
}

/** 128 MiB: four times the memory of the largest decoder for files that are not malicious. */
const maxWasmPages = 2_048

/** Tolerance for rounding, where a duration is exact. */
const looseSeconds = 0.001

/**
 * Reads and checks a file's structure without decoding it.
 *
 * @returns the reason where the file is damaged or unsupported
 */
export function openAudio(file: Uint8Array): Outcome<OpenedAudio, AudioFailure> {
  // `slice` of a Buffer is a view, but the decoders rely on the copy that `slice` of a Uint8Array makes.
  const bytes = withoutTags(new Uint8Array(file.buffer, file.byteOffset, file.byteLength))
  const format = detectFormat(bytes)
  if (format === null) return failed(describeNonAudio(bytes))
  const { name, read } = formats[format]
  try {
    const structure = read(bytes)
    checkLength(structure.seconds.min)
    return succeeded({ ...structure, format })
  } catch (error) {
    return failed(explainDecodeError(name, error))
  }
}

/**
 * Yields the samples in parts as they are decoded, with a turn of the event loop after every 64 KiB. A recording of
 * any length takes a few megabytes in addition to its bytes, because the size of each part is limited before it is
 * decoded.
 *
 * @param file all bytes of a file
 * @returns parts of one sample rate, each with at least one sample. A file that is unusable, damaged, or of another
 *   length than it declares yields the reason last. Never throws.
 */
export async function* decodeParts(
  file: Uint8Array,
): AsyncGenerator<Outcome<DecodedAudio, AudioFailure>, void> {
  const opened = openAudio(file)
  if (!opened.ok) return yield opened
  const { format } = opened.value
  try {
    yield* checkParts(opened.value, decodeSteps(opened.value))
  } catch (error) {
    yield failed(explainDecodeError(formats[format].name, error))
  }
}

/** Hides errors of a decoder, which are about its code and do not help the owner of the file. */
function explainDecodeError(name: string, error: unknown): AudioFailure {
  const isOurs = error instanceof UnusableAudio
  const reason = `this ${name} file ${isOurs ? error.message : 'cannot be decoded: it is damaged'}`
  return isOurs && error.isForeign ? { reason, isForeign: true } : { reason }
}

async function* decodeSteps({ format, steps }: OpenedAudio): AsyncGenerator<DecodedAudio, void> {
  // The decoders are WebAssembly, and allocate as much memory as a file requests.
  setFlagsFromString(`--wasm-max-mem-pages=${maxWasmPages}`)
  const decoder: StreamDecoder = await decode[formats[format].decoder]()
  try {
    for (const bytes of steps()) {
      yield* toParts(await decoder(bytes))
      await setImmediate()
    }
    yield* toParts(await decoder())
  } finally {
    decoder.free()
  }
}

function toParts({ sampleRate, channelData }: AudioData): DecodedAudio[] {
  return (channelData[0]?.length ?? 0) === 0 ? [] : [{ sampleRateHz: sampleRate, channels: channelData }]
}

/** Checks that samples are numbers, of one rate, and of the length that the structure declares. */
async function* checkParts(
  { format, seconds }: OpenedAudio,
  parts: AsyncIterable<DecodedAudio>,
): AsyncGenerator<Outcome<DecodedAudio, AudioFailure>, void> {
  const { name } = formats[format]
  const fails = (reason: string): Outcome<never, AudioFailure> =>
    failed({ reason: `this ${name} file ${reason}` })
  let [rateHz, frameCount] = [0, 0]
  for await (const part of parts) {
    const { sampleRateHz, channels } = part
    if (!isPlausibleRate(sampleRateHz)) return yield fails(`declares a sample rate of ${sampleRateHz} Hz`)
    if (rateHz !== 0 && sampleRateHz !== rateHz)
      return yield fails('cannot be decoded: its sample rate changes')
    rateHz = sampleRateHz
    if (!channels.every(areNumbers)) {
      return yield fails('holds samples that are not numbers')
    }
    frameCount += channels[0]?.length ?? 0
    if (frameCount / rateHz > seconds.max + looseSeconds) {
      return yield fails(`is damaged: it says that it lasts ${shown(seconds.max)}, and there is more`)
    }
    yield succeeded(part)
  }
  if (frameCount === 0) return yield fails('holds no samples')
  if (frameCount / rateHz < seconds.min - looseSeconds) {
    const promised = format === 'flac' ? `${Math.round(seconds.min * rateHz)} samples` : shown(seconds.min)
    yield fails(
      `is cut short or damaged: its header promises ${promised}, ${shown(frameCount / rateHz)} could be decoded`,
    )
  }
}

/** Checks a sum, because calling a function for each sample would take as long as decoding. */
function areNumbers(samples: Float32Array): boolean {
  if (isConstant(samples)) return Number.isFinite(samples[0] ?? 0)
  let sum = 0
  for (let index = 0; index < samples.length; index += 1) sum += (samples[index] as number) * 0
  return sum === 0
}

function shown(seconds: number): string {
  return `${seconds.toFixed(2)} s`
}

/** A part of one channel, at the recording's own rate. */
export interface SoundPart<Samples = Float32Array> {
  readonly sampleRateHz: number
  /** Samples, at least one. */
  readonly samples: Samples
  /** True if the channels were inverse so far: their mean is silence, so only the first one is used. */
  readonly isInverted: boolean
}

/**
 * A channel of a recording, counted from 0. A recording with one channel need not have the channel of `unlessMono`. Null is
 * the mean of all channels: see `mixer`.
 */
export type ChannelChoice = number | { readonly unlessMono: number } | null

/**
 * Decodes a recording in parts into one channel. It needs a few megabytes for any length, except for MP4, which is
 * decoded at once.
 *
 * @param file all bytes of a file
 * @returns parts; a file that is unusable or damaged yields the reason last. Never throws for bad audio.
 */
export async function* soundStream(
  file: Uint8Array,
  channel: ChannelChoice = null,
): AsyncGenerator<Outcome<SoundPart, AudioFailure>, void> {
  const mix = mixer()
  for await (const part of decodeParts(file)) {
    if (!part.ok) return yield part
    const { channels, sampleRateHz } = part.value
    if (channel === null || (typeof channel === 'object' && channels.length === 1)) {
      yield succeeded({ sampleRateHz, ...mix(channels) })
      continue
    }
    const index = typeof channel === 'object' ? channel.unlessMono : channel
    const samples = channels[index]
    if (samples === undefined) {
      return yield failed({
        reason: `this has ${channels.length} channels, and channel ${index} is asked for`,
      })
    }
    yield succeeded({ sampleRateHz, samples, isInverted: false })
  }
}

/** Share of power, 20 dB down, below which the mean of two channels has lost the sound. */
const cancelledShare = 0.01

/**
 * Mixes all channels into one: their mean. A telephone line or a wrong plug may invert one of two channels, so that
 * the mean is silence. The first channel is then used alone, if this holds for the recording so far.
 *
 * @returns a function that takes the parts of one recording in order
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
    // Local variables are faster: those of a closure are numbers on the heap, and each sum would allocate.
    const samples = new Float32Array(left.length)
    let [sumOfMean, sumOfBoth] = [mixed, single]
    // One sample represents all where they are equal, as in digital silence.
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

/** Decodes a whole recording like `soundStream`. */
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
 * Decodes like `soundStream`, at the rate that an engine wants.
 *
 * @param sampleRateHz target rate, a whole number
 * @returns blocks with at least one sample each, or the reason as `soundStream`
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

/** Full scale of the WAV decoder, which maps -32768 to -1 and 32767 to 1. */
const wavFullScale: FullScale = { negative: 32768, positive: 32767 }

/** Values that each decoder maps to -1 and 1. The WAV decoder scales negative and positive samples differently. */
const fullScales: Readonly<Partial<Record<string, FullScale>>> = {
  flac: { negative: 32767, positive: 32767 },
  caf: { negative: 32768, positive: 32768 },
}

/** Decodes to 16-bit samples like `soundStream`. Those of a lossless 16-bit mono recording are unchanged. */
export async function* pcmStream(
  file: Uint8Array,
  channel: ChannelChoice,
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
 * Writes mono samples as a WAV file of 16-bit PCM, accurate to half a step.
 *
 * @param samples nominally in -1..1; values outside are clipped, and NaN becomes 0. 16-bit samples are written as
 *   they are.
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

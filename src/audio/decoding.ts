import { setImmediate } from 'node:timers/promises'
import type { AudioData, StreamDecoder } from 'audio-decode'
import decode from 'audio-decode'
import type { Outcome } from '#prelude'
import { failed, succeeded } from '#prelude'
import type { AudioFormat } from './format.ts'
import { audioStart, describeNonAudio, detectFormat, formats, hasText, isPlausibleRate } from './format.ts'
import { readWavLayout } from './riff.ts'
import { findTruncation } from './truncation.ts'

/** Samples of one recording, as the file holds them: not resampled, not downmixed. */
export interface DecodedAudio {
  readonly sampleRateHz: number
  /** At least one; all of the same length, at least one sample; finite, nominally in -1..1. */
  readonly channels: readonly Float32Array[]
}

/** Why bytes are not usable audio, in words for a person, to stand behind a file's name and a colon. */
export interface AudioFailure {
  readonly reason: string
}

/** 2 GiB of samples: 3.1 hours of mono at 48 kHz, 9.3 hours at 16 kHz. Few bytes of silence can ask for more. */
const mostSamples = 2 ** 29
const sliceBytes = 1 << 16

/**
 * Turns the bytes of an audio file into samples. Gives the event loop a turn after every 64 KiB.
 *
 * Reads WAV (8 to 32 bit, float, A-law, mu-law, ADPCM, extensible, RF64), FLAC, MP3, Ogg (Vorbis, Opus),
 * MP4/M4A, AAC, WebM and AIFF. The format is told from the bytes. Encoder delay and padding are cut away where
 * the file declares them. A stereo MP3 or AAC file with equal channels may come back as mono.
 *
 * @param file all bytes of a file
 * @returns the samples, or why there are none: not audio, empty, cut short, damaged, longer than 2^29 samples.
 *   Never throws.
 */
export async function decodeAudio(file: Uint8Array): Promise<Outcome<DecodedAudio, AudioFailure>> {
  const parts: DecodedAudio[] = []
  let sampleCount = 0
  for await (const part of decodeParts(file)) {
    if (!part.ok) return part
    parts.push(part.value)
    sampleCount += part.value.channels.reduce((sum, channel) => sum + channel.length, 0)
    if (sampleCount > mostSamples) {
      return failed({ reason: `it holds more than ${mostSamples} samples; cut it into shorter files` })
    }
  }
  return succeeded(join(parts))
}

/**
 * The same samples part by part, as they are decoded, so that a recording of any length needs little memory
 * (but for MP4, whose parts come all at once).
 *
 * @param file all bytes of a file
 * @returns parts of one sample rate, each with at least one sample. A file that cannot be used, or not to its
 *   end, yields the reason last. Never throws.
 */
export async function* decodeParts(
  file: Uint8Array,
): AsyncGenerator<Outcome<DecodedAudio, AudioFailure>, void> {
  // A Buffer's `slice` is a view where an array's is a copy, and the decoders count on the copy.
  const bytes = new Uint8Array(file.buffer, file.byteOffset, file.byteLength)
  const format = detectFormat(bytes)
  if (format === null) {
    yield failed({ reason: describeNonAudio(bytes) })
    return
  }
  const truncation = findTruncation(format, bytes)
  if (truncation !== null) {
    yield failed({ reason: `this ${formats[format].name} file is cut short or damaged: ${truncation}` })
    return
  }
  const slices = sliceForDecoder(format, bytes)
  if (!slices.ok) {
    yield slices
    return
  }
  try {
    yield* checkParts(format, bytes, decodeSlices(format, slices.value))
  } catch (error) {
    yield failed({ reason: `this ${formats[format].name} file cannot be decoded: ${describeError(error)}` })
  }
}

/** What a decoder throws when it trips over bytes that it did not expect; the words are about its own code. */
const tripNames = new Set(['TypeError', 'ReferenceError', 'RuntimeError'])

function describeError(error: unknown): string {
  return error instanceof Error && !tripNames.has(error.name) ? error.message : 'it is damaged'
}

/** MP4 goes in whole: its index may come last, and the decoder would copy all before it for every slice. */
function sliceForDecoder(
  format: AudioFormat,
  bytes: Uint8Array,
): Outcome<readonly Uint8Array[], AudioFailure> {
  if (format === 'mp4') return succeeded([bytes])
  if (format !== 'wav') return succeeded(slice(bytes))
  const layout = readWavLayout(bytes)
  if (!layout.ok) return layout
  const { header, dataStart, dataBytes } = layout.value
  return succeeded([header, ...slice(bytes.subarray(dataStart, dataStart + dataBytes))])
}

function slice(bytes: Uint8Array): Uint8Array[] {
  const count = Math.ceil(bytes.length / sliceBytes)
  return Array.from({ length: count }, (_, index) =>
    bytes.subarray(index * sliceBytes, (index + 1) * sliceBytes),
  )
}

async function* decodeSlices(
  format: AudioFormat,
  slices: readonly Uint8Array[],
): AsyncGenerator<DecodedAudio, void> {
  const decoder: StreamDecoder = await decode[formats[format].decoder]()
  try {
    for (const bytes of slices) {
      yield* spoken(await decoder(bytes))
      await setImmediate()
    }
    yield* spoken(await decoder())
  } finally {
    decoder.free()
  }
}

function spoken({ sampleRate, channelData }: AudioData): DecodedAudio[] {
  return (channelData[0]?.length ?? 0) === 0 ? [] : [{ sampleRateHz: sampleRate, channels: channelData }]
}

/** Parts differ in width where a decoder tells mono from stereo by the samples: mono then stands for both. */
function join(parts: readonly DecodedAudio[]): DecodedAudio {
  const sampleRateHz = parts[0]?.sampleRateHz ?? 0
  const channelCount = Math.max(...parts.map((part) => part.channels.length))
  const frameCount = parts.reduce((sum, part) => sum + (part.channels[0]?.length ?? 0), 0)
  const channels = Array.from({ length: channelCount }, (_, index) => {
    const joined = new Float32Array(frameCount)
    let offset = 0
    for (const { channels } of parts) {
      const part = channels[index % channels.length] ?? new Float32Array()
      joined.set(part, offset)
      offset += part.length
    }
    return joined
  })
  return { sampleRateHz, channels }
}

async function* checkParts(
  format: AudioFormat,
  bytes: Uint8Array,
  parts: AsyncIterable<DecodedAudio>,
): AsyncGenerator<Outcome<DecodedAudio, AudioFailure>, void> {
  const { name } = formats[format]
  let rateHz: number | null = null
  let frameCount = 0
  for await (const part of parts) {
    const { sampleRateHz, channels } = part
    rateHz ??= sampleRateHz
    if (!isPlausibleRate(sampleRateHz)) {
      return yield failed({ reason: `this ${name} file declares a sample rate of ${sampleRateHz} Hz` })
    }
    if (sampleRateHz !== rateHz) throw new RangeError('its sample rate changes')
    if (!channels.every((channel) => channel.every(Number.isFinite))) {
      return yield failed({ reason: `this ${name} file holds samples that are not numbers` })
    }
    frameCount += channels[0]?.length ?? 0
    yield succeeded(part)
  }
  if (frameCount === 0) return yield failed({ reason: `this ${name} file holds no samples` })
  const declared = format === 'flac' ? readFlacFrameCount(bytes) : null
  if (declared !== null && frameCount < declared) {
    yield failed({
      reason: `this ${name} file is cut short or damaged: its header promises ${declared} samples, ${frameCount} could be decoded`,
    })
  }
}

/**
 * @returns samples per channel as STREAMINFO declares them; null where the encoder could not know
 * @see RFC 9639 section 8.2
 */
function readFlacFrameCount(bytes: Uint8Array): number | null {
  const start = audioStart(bytes)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (!hasText(bytes, start, 'fLaC') || start + 26 > bytes.length) return null
  const count = (view.getUint8(start + 21) & 0x0f) * 2 ** 32 + view.getUint32(start + 22)
  return count === 0 ? null : count
}

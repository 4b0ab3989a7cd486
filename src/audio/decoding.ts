import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import type { AudioData, StreamDecoder } from 'audio-decode'
import decode from 'audio-decode'
import type { Outcome } from '#prelude'
import { failed, succeeded } from '#prelude'
import { UnusableAudio, unreadable } from './damage.ts'
import type { AudioFormat } from './format.ts'
import { describeNonAudio, detectFormat, formats } from './format.ts'
import { type AudioStructure, isPlausibleRate } from './structure.ts'

/** Samples of one recording, as the file holds them: not resampled, not downmixed. */
export interface DecodedAudio {
  readonly sampleRateHz: number
  /** At least one; all of the same length, at least one sample; finite, nominally in -1..1. */
  readonly channels: readonly Float32Array[]
}

/** Why bytes are not usable audio, in words for a user, to follow a file's name and a colon. */
export interface AudioFailure {
  readonly reason: string
}

/** What a file is, and what its headers and packets say of its sound. */
export interface OpenedAudio extends AudioStructure {
  readonly format: AudioFormat
}

/** 512 MiB of samples: 46 minutes of mono at 48 kHz. What is longer is read part by part. */
const maxSamples = 2 ** 27

/** A few bytes of silence can say that they are days. */
const maxHours = 9

/** 128 MiB: four times what the largest decoder takes over files that are none of an attacker's. */
const maxWasmPages = 2_048

/** Rounding, where a duration is exact. */
const looseSeconds = 0.001

/**
 * Turns the bytes of an audio file into samples. Gives the event loop a turn after every 64 KiB.
 *
 * Reads WAV (8 to 32 bit, float, A-law, mu-law, ADPCM, extensible, RF64), Wave64, FLAC, MP3, Ogg (Vorbis, Opus,
 * FLAC), MP4/M4A, AAC, WebM, AIFF, AU and CAF. The format is recognised by the bytes. Encoder delay and padding are cut
 * away where the file declares them. A stereo MP3 or AAC file with equal channels may come back as mono.
 *
 * @param file all bytes of a file
 * @returns the samples, or why there are none: not audio, empty, cut short, damaged, of another length than it says,
 *   longer than 2^27 samples. Never throws.
 */
export async function decodeAudio(file: Uint8Array): Promise<Outcome<DecodedAudio, AudioFailure>> {
  const parts: DecodedAudio[] = []
  let sampleCount = 0
  for await (const part of decodeParts(file)) {
    if (!part.ok) return part
    parts.push(part.value)
    sampleCount += part.value.channels.reduce((sum, channel) => sum + channel.length, 0)
    if (sampleCount > maxSamples) {
      return failed({ reason: `it holds more than ${maxSamples} samples; cut it into shorter files` })
    }
  }
  return succeeded(join(parts))
}

/**
 * Reads and checks a file's structure; nothing is decoded.
 *
 * @returns why the file cannot be right, or be read
 */
export function openAudio(file: Uint8Array): Outcome<OpenedAudio, AudioFailure> {
  // A Buffer's `slice` is a view where an array's is a copy, and the decoders count on the copy.
  const bytes = new Uint8Array(file.buffer, file.byteOffset, file.byteLength)
  const format = detectFormat(bytes)
  if (format === null) return failed({ reason: describeNonAudio(bytes) })
  const { name, read } = formats[format]
  try {
    const structure = read(bytes)
    if (structure.seconds.min > maxHours * 3600) {
      unreadable(`it lasts ${(structure.seconds.min / 3600).toFixed(1)} hours, and ${maxHours} are the most`)
    }
    return succeeded({ ...structure, format })
  } catch (error) {
    return failed({ reason: `this ${name} file ${describeError(error)}` })
  }
}

/**
 * The samples part by part, as they are decoded. A recording of any length takes a few megabytes in addition to its bytes: each
 * step's part is bounded before it is decoded.
 *
 * @param file all bytes of a file
 * @returns parts of one sample rate, each with at least one sample. A file that cannot be used, or not to its
 *   end, or that comes to another length than it says, yields the reason last. Never throws.
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
    yield failed({ reason: `this ${formats[format].name} file ${describeError(error)}` })
  }
}

/** What a decoder throws is about its code, and does not help the owner of the file. */
function describeError(error: unknown): string {
  return error instanceof UnusableAudio ? error.message : 'cannot be decoded: it is damaged'
}

async function* decodeSteps({ format, steps }: OpenedAudio): AsyncGenerator<DecodedAudio, void> {
  boundWasmMemory()
  const decoder: StreamDecoder = await decode[formats[format].decoder]()
  try {
    for (const bytes of steps()) {
      yield* partsOf(await decoder(bytes))
      await setImmediate()
    }
    yield* partsOf(await decoder())
  } finally {
    decoder.free()
  }
}

/** The decoders are WebAssembly, and make as much room as a file asks them to. */
function boundWasmMemory(): void {
  setFlagsFromString(`--wasm-max-mem-pages=${maxWasmPages}`)
}

function partsOf({ sampleRate, channelData }: AudioData): DecodedAudio[] {
  return (channelData[0]?.length ?? 0) === 0 ? [] : [{ sampleRateHz: sampleRate, channels: channelData }]
}

/** Parts differ in width where a decoder detects mono by the samples: mono is then used for both channels. */
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

/** What comes out has to be numbers, of one rate, and as long as the structure says. */
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
    if (!channels.every((channel) => channel.every(Number.isFinite))) {
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

function shown(seconds: number): string {
  return `${seconds.toFixed(2)} s`
}

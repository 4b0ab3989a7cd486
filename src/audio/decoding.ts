import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import type { AudioData, StreamDecoder } from 'audio-decode'
import decode from 'audio-decode'
import { failed, type Outcome, succeeded } from '#prelude'
import { type AudioFormat, describeNonAudio, detectFormat, formats, withoutTags } from './format.ts'
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

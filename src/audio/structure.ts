/** Structure of the sound in a file, from its headers and packets, checked before anything is decoded. */
export interface AudioStructure {
  /** Such as `PCM, 16 bit`; null where the container does not say. */
  readonly codec: string | null
  /** Range of the sound's length that the structure allows. The decoded length must be within it. */
  readonly seconds: DurationRange
  /** Exact length of the sound as decoded; absent where only decoding shows it. */
  readonly statedSeconds?: number
  /** Absent where `statedSeconds` is. */
  readonly channelCount?: number
  /**
   * Yields the input of the decoder, in order: a header of checked fields, then the parts with sound. The output of
   * one step is a few megabytes at most, for any bytes.
   */
  steps(): Iterable<Uint8Array>
}

/** Reason why bytes are not usable audio, as text that follows a file's name and a colon. */
export interface AudioFailure {
  readonly reason: string
  /** True for valid audio that another program may be able to convert. */
  readonly isForeign?: true
}

export interface DurationRange {
  readonly min: number
  readonly max: number
}

/** Max number of samples per step, all channels together: 16 MiB. */
export const maxStepSamples: number = 2 ** 22

/** Max number of channels: codecs define positions for eight, and speech does not have more. */
export const maxCodecChannels = 8

/** Max number of channels of PCM files, for microphone arrays. */
export const maxPcmChannels = 64

/** Max length of a file, because a larger one does not fit into memory. */
export const maxFileBytes: number = 2 ** 31 - 1

/** Max length in hours, because a few bytes of silence can declare days. */
const maxHours = 9

/** Rejects a file that lasts too long, in every reader. */
export function checkLength(seconds: number): void {
  if (seconds <= maxHours * 3600) return
  throw new UnusableAudio(
    `lasts ${Math.ceil(seconds)} s, and ${maxHours * 3600} s (${maxHours} hours) are the most`,
  )
}

const sliceBytes = 1 << 16

/** Cuts PCM samples into steps of whole frames. */
export function* slices(bytes: Uint8Array, frameBytes: number): Generator<Uint8Array> {
  const size = Math.max(1, Math.floor(sliceBytes / frameBytes)) * frameBytes
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}

export function exactly(seconds: number): DurationRange {
  return { min: seconds, max: seconds }
}

/** Whether a rate is between slow telemetry and the fastest converters; any other rate means a damaged header. */
export function isPlausibleRate(sampleRateHz: number): boolean {
  return sampleRateHz >= 1_000 && sampleRateHz <= 768_000
}

/** Whether all samples are equal, as in digital silence. Comparing the memory with itself takes hardly any time. */
export function isConstant(samples: Float32Array): boolean {
  const bytes = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength)
  return bytes.subarray(4).equals(bytes.subarray(0, -4))
}

/** Reason why a file cannot be used. Only this module catches it. */
export class UnusableAudio extends Error {
  override readonly name = 'UnusableAudio'
  /** True for valid audio that another program may read. */
  readonly isForeign: boolean

  constructor(message: string, isForeign = false) {
    super(message)
    this.isForeign = isForeign
  }
}

/** Rejects a damaged file. @param reason follows "this WAV file is cut short or damaged: " */
export function damaged(reason: string): never {
  throw new UnusableAudio(`is cut short or damaged: ${reason}`)
}

/** Rejects a valid but unsupported file. @param reason follows "this WAV file cannot be read: " */
export function unreadable(reason: string): never {
  throw new UnusableAudio(`cannot be read: ${reason}`, true)
}

/** Rejects a file that is shorter than it declares. @param reason follows "this WAV file is cut short: " */
export function cutShort(reason: string): never {
  throw new UnusableAudio(`is cut short: ${reason}`)
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

export function hasText(bytes: Uint8Array, offset: number, text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    if (bytes[offset + index] !== text.charCodeAt(index)) return false
  }
  return true
}

export function hasBytes(bytes: Uint8Array, offset: number, expected: readonly number[]): boolean {
  return expected.every((byte, index) => bytes[offset + index] === byte)
}

/** Reads ASCII text for display; other bytes become question marks. */
export function textAt(bytes: Uint8Array, offset: number, length: number): string {
  let text = ''
  for (let index = offset; index < offset + length && index < bytes.length; index += 1) {
    const byte = bytes[index] as number
    text += byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '?'
  }
  return text
}

/** Returns the start of the sound, after tags of ID3v2. It is after the end of the bytes if a tag is cut short. */
export function soundStart(bytes: Uint8Array): number {
  let start = 0
  while (hasText(bytes, start, 'ID3')) {
    const at = (offset: number): number => (bytes[start + offset] ?? 0) & 0x7f
    const size = (at(6) << 21) | (at(7) << 14) | (at(8) << 7) | at(9)
    const footer = ((bytes[start + 5] ?? 0) & 0x10) === 0 ? 0 : 10
    start += 10 + size + footer
  }
  return start
}

/** Removes tags of MP3 that some programs write after any file: APE's, which ends with its own size, then ID3v1. */
export function withoutEndTags(bytes: Uint8Array): Uint8Array {
  const rest = hasText(bytes, bytes.length - 128, 'TAG') ? bytes.subarray(0, -128) : bytes
  const footer = rest.length - 32
  if (!hasText(rest, footer, 'APETAGEX')) return rest
  const view = viewOf(rest)
  const headBytes = view.getUint32(footer + 20, true) >>> 31 === 1 ? 32 : 0
  return rest.subarray(0, Math.max(0, rest.length - view.getUint32(footer + 12, true) - headBytes))
}

/** What a file's headers and packets say of the sound in it, read and checked before anything is decoded. */
export interface AudioStructure {
  /** Such as `PCM, 16 bit`; null where the container does not say. */
  readonly codec: string | null
  /** How long the sound is, as far as the structure shows it. What is decoded has to lie between the two. */
  readonly seconds: DurationRange
  /** How long the sound is exactly, as it will be decoded; left out where only decoding shows it. */
  readonly statedSeconds?: number
  /** Left out where the length is. */
  readonly channelCount?: number
  /**
   * What the decoder is given, in order: the parts that hold sound, behind a header that says nothing but what was
   * checked. What comes out of one step is a few megabytes at the most, whatever its bytes are.
   */
  steps(): Iterable<Uint8Array>
}

/** Why bytes are not usable audio, in words for a user, to follow a file's name and a colon. */
export interface AudioFailure {
  readonly reason: string
  /** It is sound that another program may be able to convert. */
  readonly isForeign?: true
}

export interface DurationRange {
  readonly min: number
  readonly max: number
}

/** Samples that one step may come to, all channels together: 16 MiB of them. */
export const maxStepSamples: number = 2 ** 22

/** Codecs know eight channels by their places; more do not occur in speech. */
export const maxCodecChannels = 8

/** PCM files of microphone arrays. */
export const maxPcmChannels = 64

/** What a program can hold of a file. */
export const maxFileBytes: number = 2 ** 31 - 1

/** A few bytes of silence can say that they are days. */
const maxHours = 9

/** Ends the reading of a file that lasts too long, in every reader. */
export function checkLength(seconds: number): void {
  if (seconds <= maxHours * 3600) return
  throw new UnusableAudio(`lasts ${(seconds / 3600).toFixed(1)} hours, and ${maxHours} are the most`)
}

const sliceBytes = 1 << 16

/** Cuts samples of PCM into steps, each of whole frames. */
export function* slices(bytes: Uint8Array, frameBytes: number): Generator<Uint8Array> {
  const size = Math.max(1, Math.floor(sliceBytes / frameBytes)) * frameBytes
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}

export function exactly(seconds: number): DurationRange {
  return { min: seconds, max: seconds }
}

/** From slow telemetry to the fastest converters; outside of it a header is damaged. */
export function isPlausibleRate(sampleRateHz: number): boolean {
  return sampleRateHz >= 1_000 && sampleRateHz <= 768_000
}

/** Whether all samples are the same, as in digital silence. Memory is compared with itself, which takes next to no time. */
export function isConstant(samples: Float32Array): boolean {
  const bytes = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength)
  return bytes.subarray(4).equals(bytes.subarray(0, -4))
}

/** Why a file cannot be used. Never leaves this module. */
export class UnusableAudio extends Error {
  override readonly name = 'UnusableAudio'
  /** The file is sound, and another program may read it. */
  readonly isForeign: boolean

  constructor(message: string, isForeign = false) {
    super(message)
    this.isForeign = isForeign
  }
}

/** Ends the reading of a file. @param reason fits behind "this WAV file is cut short or damaged: " */
export function damaged(reason: string): never {
  throw new UnusableAudio(`is cut short or damaged: ${reason}`)
}

/** Ends the reading of a file that is sound, but not for us. @param reason fits behind "this WAV file cannot be read: " */
export function unreadable(reason: string): never {
  throw new UnusableAudio(`cannot be read: ${reason}`, true)
}

/** Ends the reading of a file that promises more than there is. @param reason fits behind "this WAV file is cut short: " */
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

/** Letters of one byte each; what is none is a question mark, so that the text can be shown. */
export function textAt(bytes: Uint8Array, offset: number, length: number): string {
  let text = ''
  for (let index = offset; index < offset + length && index < bytes.length; index += 1) {
    const byte = bytes[index] as number
    text += byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '?'
  }
  return text
}

/** Where the sound starts: after tags of ID3v2. Behind the end where one is cut short. */
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

/** Tags of MP3 that some programs write behind every file: APE's, which ends in its own size, then ID3v1. */
export function withoutEndTags(bytes: Uint8Array): Uint8Array {
  const rest = hasText(bytes, bytes.length - 128, 'TAG') ? bytes.subarray(0, -128) : bytes
  const footer = rest.length - 32
  if (!hasText(rest, footer, 'APETAGEX')) return rest
  const view = viewOf(rest)
  const headBytes = view.getUint32(footer + 20, true) >>> 31 === 1 ? 32 : 0
  return rest.subarray(0, Math.max(0, rest.length - view.getUint32(footer + 12, true) - headBytes))
}

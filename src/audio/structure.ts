import { UnusableAudio } from './damage.ts'

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

/** Ends the reading of a file that lasts too long, whoever reads it. */
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

import type { Outcome } from '#prelude'
import { failed, succeeded } from '#prelude'
import { detectFormat, formats } from './format.ts'
import { openEnded, readWavLayout } from './formats/wav.ts'
import { decodeParts, mixer, openAudio, soundStream } from './sound-stream.ts'
import { type AudioFailure, checkLength } from './structure.ts'

/** Length of an audio file. */
export interface AudioLength {
  /** Number of samples / sample rate, as decoded; exact, never estimated from a bit rate. */
  readonly durationSeconds: number
  /** Such as `audio/wav`. */
  readonly mimeType: string
  /** Absent where only decoding shows it. */
  readonly channelCount?: number
}

/** The properties of an audio file, detected from its bytes. */
export interface AudioProbe extends AudioLength {
  readonly sampleRateHz: number
  readonly channelCount: number
  /** Such as `WAV` or `Ogg Opus`. */
  readonly container: string
  /** Such as `PCM, 16 bit`; null where the container does not say. */
  readonly codec: string | null
  /** True if one channel is the inverse of the other, in the part that was decoded: see `mixer`. */
  readonly isInverted: boolean
}

/**
 * Measures an audio file. It decodes the file (300 to 2,700 times faster than real time), because headers of MP3 and
 * MP4 count the encoder's padding as sound. It needs a few megabytes of memory for any length. A WAV file is not
 * decoded, because its header has all facts.
 *
 * @param bytes a whole file
 * @param isFull decodes WAV as well, to check that its samples are numbers
 * @returns the facts, or the reason why the file cannot be decoded. Never throws.
 */
export async function probeAudio(
  bytes: Uint8Array,
  isFull = false,
): Promise<Outcome<AudioProbe, AudioFailure>> {
  const opened = openAudio(bytes)
  if (!opened.ok) return opened
  const { format, codec } = opened.value
  const { name: container, mimeType } = formats[format]
  if (format === 'wav' && !isFull) return probeWav(bytes, bytes.length)
  const mix = mixer()
  let [sampleRateHz, channelCount, frameCount, isInverted] = [0, 0, 0, false]
  for await (const part of decodeParts(bytes)) {
    if (!part.ok) return part
    sampleRateHz = part.value.sampleRateHz
    channelCount = Math.max(channelCount, part.value.channels.length)
    frameCount += part.value.channels[0]?.length ?? 0
    isInverted = mix(part.value.channels).isInverted
  }
  return succeeded({
    durationSeconds: frameCount / sampleRateHz,
    mimeType,
    sampleRateHz,
    channelCount,
    container,
    codec,
    isInverted,
  })
}

/**
 * Returns the exact length of FLAC, Ogg Vorbis, Ogg Opus and Ogg FLAC files from all headers of their frames and
 * pages, without decoding. Ogg files that were cut or joined have no exact length.
 *
 * @param bytes a whole file
 * @returns null where only decoding shows the length; the reason where the structure is damaged
 */
export function statedLength(bytes: Uint8Array): Outcome<AudioLength, AudioFailure> | null {
  const opened = openAudio(bytes)
  if (!opened.ok) return opened
  const { format, statedSeconds, channelCount } = opened.value
  if (statedSeconds === undefined) return null
  return succeeded({
    durationSeconds: statedSeconds,
    mimeType: formats[format].mimeType,
    ...(channelCount === undefined ? {} : { channelCount }),
  })
}

const listenedSeconds = 30

/**
 * Whether one of two channels is the inverse of the other, in the first 30 seconds.
 *
 * @param bytes a file; the first bytes are enough for a WAV file
 * @param fileBytes length of the whole file
 */
export async function startsInverted(bytes: Uint8Array, fileBytes: number): Promise<boolean> {
  let [seconds, isInverted] = [0, false]
  for await (const part of soundStream(bytes.length < fileBytes ? openEnded(bytes, fileBytes) : bytes)) {
    if (!part.ok) break
    isInverted = part.value.isInverted
    seconds += part.value.samples.length / part.value.sampleRateHz
    if (seconds > listenedSeconds) break
  }
  return isInverted
}

/**
 * Returns `probeAudio` of a file from its first bytes, where they suffice, as the header of a WAV file of any length
 * does.
 *
 * @param head first bytes of the file; 64 KiB are enough
 * @param fileBytes length of the whole file
 * @returns null where the whole file is needed
 */
export function probeAudioHead(head: Uint8Array, fileBytes: number): AudioProbe | null {
  if (detectFormat(head) !== 'wav') return null
  const probe = probeWav(head, fileBytes)
  return probe.ok ? probe.value : null
}

function probeWav(bytes: Uint8Array, fileBytes: number): Outcome<AudioProbe, AudioFailure> {
  try {
    const { sampleRateHz, channelCount, frameCount, codec } = readWavLayout(bytes, fileBytes)
    if (frameCount === 0) return failed({ reason: 'this WAV file holds no samples' })
    checkLength(frameCount / sampleRateHz)
    return succeeded({
      durationSeconds: frameCount / sampleRateHz,
      mimeType: formats.wav.mimeType,
      sampleRateHz,
      channelCount,
      container: formats.wav.name,
      codec,
      isInverted: false,
    })
  } catch {
    // The caller then reads the whole file, which shows the reason.
    return failed({ reason: 'its header does not say enough' })
  }
}

import type { Outcome } from '#prelude'
import { failed, succeeded } from '#prelude'
import { decodeParts, openAudio } from './decoding.ts'
import { detectFormat, formats } from './format.ts'
import { openEnded, readWavLayout } from './formats/wav.ts'
import { mixer, soundStream } from './sound-stream.ts'
import { type AudioFailure, checkLength } from './structure.ts'

/** How long an audio file is. */
export interface AudioLength {
  /** Samples over sample rate, as `decodeAudio` gives them: exact, never estimated from a bit rate. */
  readonly durationSeconds: number
  /** Such as `audio/wav`. */
  readonly mimeType: string
  /** Left out where only decoding shows it. */
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
  /** One channel is the other upside down, as far as the file was decoded: see `mixer`. */
  readonly isInverted: boolean
}

/**
 * Measures an audio file. It is decoded (300 to 2,700 times faster than real time), because headers of MP3 and MP4
 * count the encoder's padding as sound, and in a few megabytes of memory, however long it is. A WAV file's header says
 * it all.
 *
 * @param bytes a whole file
 * @param isFull decodes WAV as well, which shows whether its samples are numbers
 * @returns the facts, or the reason that `decodeAudio` would give. Never throws.
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
 * The length that frames and pages of FLAC, Ogg Vorbis, Ogg Opus and Ogg FLAC state exactly. Every one of their headers is
 * looked at, and nothing is decoded. Ogg files that were cut or joined state none.
 *
 * @param bytes a whole file
 * @returns null where the length is not exact before it is decoded; the reason where the structure cannot be right
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
 * Whether one of two channels is the other upside down, by the first half minute.
 *
 * @param bytes a file; of a WAV file the first bytes are enough
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
 * `probeAudio` for a file whose first bytes are at hand, where they say enough: a WAV file's header does, however long
 * the file.
 *
 * @param head the first bytes of the file; 64 KiB are plenty
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
    // The whole file is read for the reason.
    return failed({ reason: 'its header does not say enough' })
  }
}

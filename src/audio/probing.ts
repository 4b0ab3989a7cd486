import type { Outcome } from '#prelude'
import { failed, succeeded } from '#prelude'
import type { AudioFailure } from './decoding.ts'
import { decodeParts, openAudio } from './decoding.ts'
import { detectFormat, formats } from './format.ts'
import { readWavLayout } from './formats/riff/riff.ts'

/** How long an audio file is. */
export interface AudioLength {
  /** Samples over sample rate, as `decodeAudio` gives them: exact, never estimated from a bit rate. */
  readonly durationSeconds: number
  /** Such as `audio/wav`. */
  readonly mimeType: string
}

/** The properties of an audio file, detected from its bytes. */
export interface AudioProbe extends AudioLength {
  readonly sampleRateHz: number
  readonly channelCount: number
  /** Such as `WAV` or `Ogg Opus`. */
  readonly container: string
  /** Such as `PCM, 16 bit`; null where the container does not say. */
  readonly codec: string | null
}

/**
 * Measures an audio file. It is decoded (300 to 2,700 times faster than real time), because headers of MP3 and MP4
 * count the encoder's padding as sound, and in a few megabytes of memory, however long it is. A WAV file's header says
 * it all.
 *
 * @param bytes a whole file
 * @returns the facts, or the reason that `decodeAudio` would give. Never throws.
 */
export async function probeAudio(bytes: Uint8Array): Promise<Outcome<AudioProbe, AudioFailure>> {
  const opened = openAudio(bytes)
  if (!opened.ok) return opened
  const { format, codec } = opened.value
  const { name: container, mimeType } = formats[format]
  if (format === 'wav') return probeWav(bytes, bytes.length)
  let [sampleRateHz, channelCount, frameCount] = [0, 0, 0]
  for await (const part of decodeParts(bytes)) {
    if (!part.ok) return part
    sampleRateHz = part.value.sampleRateHz
    channelCount = Math.max(channelCount, part.value.channels.length)
    frameCount += part.value.channels[0]?.length ?? 0
  }
  return succeeded({
    durationSeconds: frameCount / sampleRateHz,
    mimeType,
    sampleRateHz,
    channelCount,
    container,
    codec,
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
  const { format, statedSeconds } = opened.value
  if (statedSeconds === undefined) return null
  return succeeded({ durationSeconds: statedSeconds, mimeType: formats[format].mimeType })
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
    return succeeded({
      durationSeconds: frameCount / sampleRateHz,
      mimeType: formats.wav.mimeType,
      sampleRateHz,
      channelCount,
      container: formats.wav.name,
      codec,
    })
  } catch {
    // The whole file is read for the reason.
    return failed({ reason: 'its header does not say enough' })
  }
}

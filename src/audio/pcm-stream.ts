import type { Outcome } from '#prelude'
import { failed, succeeded } from '#prelude'
import { type AudioFailure, decodeParts, openAudio } from './decoding.ts'
import { type AudioFormat, formats } from './format.ts'
import { downmix } from './resampling.ts'
import { wavFullScale } from './wav-encoding.ts'

/** A stretch of 16-bit samples of one channel. */
export interface PcmPart {
  readonly sampleRateHz: number
  /** At least one. */
  readonly samples: Int16Array
}

/** What each decoder of the library maps to -1 and 1. The WAV decoder scales the two sides of zero differently. */
const fullScales: Readonly<
  Partial<Record<string, { readonly negative: number; readonly positive: number }>>
> = {
  flac: { negative: 32767, positive: 32767 },
  caf: { negative: 32768, positive: 32768 },
}

/**
 * Decodes a recording part by part into 16-bit samples at its own rate. The samples of a lossless mono recording of
 * 16 bits come out as they are, whichever format holds them.
 *
 * @param file all bytes of a file
 * @param channel from 0; null for the mean of all
 * @returns parts; a file that cannot be used, or not to its end, yields the reason last. Never throws over bad audio.
 */
export async function* pcmStream(
  file: Uint8Array,
  channel: number | null,
): AsyncGenerator<Outcome<PcmPart, AudioFailure>, void> {
  const opened = openAudio(file)
  if (!opened.ok) return yield opened
  const quantise = quantiser(opened.value.format)
  for await (const part of decodeParts(file)) {
    if (!part.ok) return yield part
    const { channels, sampleRateHz } = part.value
    const chosen = channel === null ? downmix(channels) : channels[channel]
    if (chosen === undefined) {
      return yield failed({
        reason: `this has ${channels.length} channels, and channel ${channel} is asked for`,
      })
    }
    yield succeeded({ sampleRateHz, samples: Int16Array.from(chosen, quantise) })
  }
}

function quantiser(format: AudioFormat): (sample: number) => number {
  const { negative, positive } = fullScales[formats[format].decoder] ?? wavFullScale
  return (sample) =>
    Math.max(-32768, Math.min(32767, Math.round(sample * (sample < 0 ? negative : positive))))
}

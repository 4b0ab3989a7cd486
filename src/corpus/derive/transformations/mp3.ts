import { z } from 'zod'
import { decodeSound, resample } from '#audio'
import { defineTransformation, onEachSound, type Transformation } from '../transformation.ts'

const bitrates = [32, 40, 48, 64, 80, 96, 112, 128] as const
const parameters = z.strictObject({
  'mp3-bitrate': z.coerce
    .number()
    .refine((rate): rate is (typeof bitrates)[number] => bitrates.some((each) => each === rate), {
      message: `has to be one of ${bitrates.join(', ')}`,
    })
    .default(32)
    .describe(`kbit/s, mono: ${bitrates.join(', ')}`),
})

/** The lowest rate of MPEG-1, which all of the bitrates belong to. */
const codecHz = 32_000
/** LAME adds 576 samples at the start, and every decoder 529. @see LAME technical FAQ, "Why is a decoded MP3 longer" */
const delay = 576 + 529

/** Encodes with LAME and decodes; what encoder and decoder add at both ends is taken off again. */
export const mp3: Transformation = defineTransformation({
  name: 'mp3',
  summary: 'encode and decode as MP3',
  parameters,
  ladders: [{ parameter: 'mp3-bitrate', unit: 'kbit/s', harder: 'lower' }],
  apply: onEachSound(async ({ samples, sampleRateHz }, chosen) => {
    const wide = await resample({ samples, sampleRateHz }, codecHz)
    const decoded = await decodeSound(await encode(wide, chosen['mp3-bitrate']))
    if (!decoded.ok) {
      throw new Error(`an MP3 file that was just encoded cannot be decoded: ${decoded.failure.reason}`)
    }
    // At its lowest bitrates LAME lowers the rate, and both delays are samples of that one.
    const { samples: late, sampleRateHz: ownHz } = decoded.value
    const back = await resample({ samples: late.subarray(delay), sampleRateHz: ownHz }, sampleRateHz)
    if (back.length < samples.length) throw new Error('an MP3 file that was just encoded lost its end')
    return { samples: back.subarray(0, samples.length), sampleRateHz }
  }),
})

async function encode(samples: Float32Array, bitrate: (typeof bitrates)[number]): Promise<Uint8Array> {
  const { createMp3Encoder } = await import('wasm-media-encoders')
  const encoder = await createMp3Encoder()
  encoder.configure({ sampleRate: codecHz, channels: 1, bitrate })
  const parts: Uint8Array[] = []
  for (let from = 0; from < samples.length; from += codecHz) {
    // What the encoder returns is its own memory, and overwritten by the next call.
    parts.push(encoder.encode([samples.subarray(from, from + codecHz)]).slice())
  }
  parts.push(encoder.finalize().slice())
  return Buffer.concat(parts)
}

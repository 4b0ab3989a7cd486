import { z } from 'zod'
import { resample } from '#audio'
import { defineTransformation, onEachSound, type Transformation } from '../transformation.ts'
import { codecFrames, toSigned16 } from './codec-frames.ts'

const parameters = z.strictObject({
  'opus-bitrate': z.coerce.number().int().min(6).max(128).default(16).describe('kbit/s, mono'),
})

const codecHz = 48_000
/** 20 ms, the common length. */
const frameLength = codecHz / 50
/** Look-ahead of libopus at 48 kHz in the mode for speech. @see RFC 7845, 4.2, pre-skip */
const delay = 312

/** Encodes and decodes with libopus, in its mode for speech. */
export const opus: Transformation = defineTransformation({
  name: 'opus',
  summary: 'encode and decode as Opus, in its mode for speech',
  parameters,
  ladders: [{ parameter: 'opus-bitrate', unit: 'kbit/s', harder: 'lower' }],
  apply: onEachSound(async ({ samples, sampleRateHz }, chosen) => {
    const wide = toSigned16(await resample({ samples, sampleRateHz }, codecHz))
    // Codecs are loaded where they are used: every command reads corpora.
    const { default: OpusScript } = await import('opusscript')
    const codec = new OpusScript(codecHz, 1, OpusScript.Application.VOIP)
    try {
      codec.setBitrate(chosen['opus-bitrate'] * 1000)
      const decoded = codecFrames(wide, { frameLength, delay }, (frame) =>
        codec.decode(codec.encode(frame, frameLength)),
      )
      const back = await resample({ samples: decoded, sampleRateHz: codecHz }, sampleRateHz)
      return { samples: back.subarray(0, samples.length), sampleRateHz }
    } finally {
      codec.delete()
    }
  }),
})

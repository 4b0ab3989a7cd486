import { z } from 'zod'
import { resample } from '#audio'
import { defineTransformation, onEachSound, type Transformation } from '../transformation.ts'
import { fromSigned16, toSigned16 } from './codec-frames.ts'

const parameters = z.strictObject({})

const telephoneHz = 8000

/** ITU-T G.711 at 8 kHz. The file keeps 8 kHz, as a recording of a call has. */
export const mulaw: Transformation = defineTransformation({
  name: 'mulaw',
  summary: 'telephone: 8 kHz, mu-law (G.711); the files have 8 kHz',
  parameters,
  apply: onEachSound(async ({ samples, sampleRateHz }) => {
    const narrow = toSigned16(await resample({ samples, sampleRateHz }, telephoneHz))
    const { mulaw: codec } = (await import('alawmulaw/dist/alawmulaw.js')).default
    return { samples: fromSigned16(codec.decode(codec.encode(narrow))), sampleRateHz: telephoneHz }
  }),
})

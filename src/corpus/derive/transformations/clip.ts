import { z } from 'zod'
import { peakOf } from '#audio'
import { gainOf } from '../sound.ts'
import { defineTransformation, onEachSound, type Transformation } from '../transformation.ts'

const parameters = z.strictObject({
  clip: z.coerce.number().min(0).max(60).default(12).describe('dB below the peak at which the wave is cut'),
})

export const clip: Transformation = defineTransformation({
  name: 'clip',
  summary: 'cut the peaks of the wave, as an overdriven microphone does',
  parameters,
  ladders: [{ parameter: 'clip', unit: 'dB', harder: 'higher' }],
  apply: onEachSound(({ samples, sampleRateHz }, chosen) => {
    const limit = peakOf(samples) * gainOf(-chosen.clip)
    return { samples: samples.map((sample) => Math.max(-limit, Math.min(limit, sample))), sampleRateHz }
  }),
})

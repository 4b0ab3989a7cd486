import { z } from 'zod'
import { resample } from '#audio'
import { defineTransformation, onEachSound, type Transformation } from '../transformation.ts'

const parameters = z.strictObject({
  speed: z.coerce.number().min(0.25).max(4).default(1.1).describe('1.1 is 10% faster and higher; a ratio'),
})

/** Plays faster or slower, which moves the pitch too. @see Ko et al. 2015, doi:10.21437/Interspeech.2015-711 */
export const speed: Transformation = defineTransformation({
  name: 'speed',
  summary: 'play faster or slower, pitch included',
  parameters,
  ladders: [{ parameter: 'speed', unit: '', harder: null }],
  apply: (drafts, chosen, context) =>
    changeSpeed(drafts, chosen, context).map((draft) => ({
      ...draft,
      durationSeconds: draft.durationSeconds / chosen.speed,
      times: draft.times.map(({ text, startSeconds, endSeconds }) => ({
        text,
        startSeconds: startSeconds / chosen.speed,
        endSeconds: endSeconds / chosen.speed,
      })),
    })),
})

const changeSpeed = onEachSound<z.infer<typeof parameters>>(async ({ samples, sampleRateHz }, chosen) => ({
  samples: await resample({ samples, sampleRateHz: Math.round(sampleRateHz * chosen.speed) }, sampleRateHz),
  sampleRateHz,
}))

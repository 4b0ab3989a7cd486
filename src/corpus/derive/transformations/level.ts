import { z } from 'zod'
import { activeLevel } from '#audio'
import { gainOf, scaled } from '../sound.ts'
import { defineTransformation, onEachSound, type Transformation } from '../transformation.ts'

const parameters = z.strictObject({
  level: z.coerce.number().min(-90).max(0).default(-40).describe('active speech level in dBov (ITU-T P.56)'),
})

/** Sets the active speech level; what exceeds full scale at a high level is clipped, as a converter does. */
export const level: Transformation = defineTransformation({
  name: 'level',
  summary: 'set the level of the speech; written with 16 bits',
  parameters,
  ladders: [{ parameter: 'level', unit: 'dBov', harder: 'lower' }],
  apply: onEachSound((sound, chosen) => {
    const found = activeLevel(sound.samples, sound.sampleRateHz)
    return found === null ? sound : scaled(sound, gainOf(chosen.level - found.levelDbov))
  }),
})

import { z } from 'zod'
import { rmsLevel } from '#audio'
import { makeNoise, noiseFiles, noiseSources } from '../noise-sources.ts'
import { gainOf, withinFullScale } from '../sound.ts'
import { defineTransformation, onEachSound, type Transformation } from '../transformation.ts'

const parameters = z.strictObject({
  background: z.string().min(1).default('silence').describe(`silence, ${noiseSources}`),
  floor: z.coerce.number().min(-120).max(0).default(-50).describe('RMS level of the noise, in dBov'),
})

/** Puts silence or noise in the place of the speech, as long as it was: what is answered is hallucinated. */
export const noSpeech: Transformation = defineTransformation({
  name: 'no-speech',
  summary: 'silence or noise alone, as long as the utterance: for hallucinations',
  parameters,
  ladders: [{ parameter: 'floor', unit: 'dBov', harder: 'higher' }],
  files: ({ background }) => noiseFiles(background),
  problems: ({ background }) =>
    background === 'babble' ? ['background=babble has words, so its reference cannot be empty'] : [],
  apply: (drafts, chosen, context) =>
    replace(drafts, chosen, context).map((draft) => ({
      ...draft,
      text: '',
      alternatives: [],
      hasChoices: false,
      keywords: [],
      isDraft: false,
      entities: [],
      times: [],
      speaker: null,
      tags: [chosen.background === 'silence' ? 'silence' : 'no-speech'],
    })),
})

const replace = onEachSound<z.infer<typeof parameters>>(
  async ({ samples, sampleRateHz }, { background, floor }, context, draft) => {
    const { length } = samples
    if (background === 'silence') return { samples: new Float32Array(length), sampleRateHz }
    const random = context.randomFor(draft, 'no-speech')
    const made = await makeNoise(background, { sampleRateHz, length }, random, context)
    const level = rmsLevel(made)
    const gain = level === -Infinity ? 0 : gainOf(floor - level)
    return withinFullScale({ samples: made.map((sample) => sample * gain), sampleRateHz })
  },
)

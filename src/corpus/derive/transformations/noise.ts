import { z } from 'zod'
import { activeLevel, resample, rmsLevel } from '#audio'
import type { DeriveContext, Draft } from '../draft.ts'
import { babble, babbleCandidates, makeNoise, noiseFiles, noiseSources } from '../noise-sources.ts'
import { gainOf, type Sound, withinFullScale } from '../sound.ts'
import { defineTransformation, onEachSound, type Transformation } from '../transformation.ts'

const parameters = z.strictObject({
  snr: z.coerce
    .number()
    .min(-30)
    .max(100)
    .default(10)
    .describe('active speech level less noise level, in dB'),
  noise: z.string().min(1).default('white').describe(`babble (other utterances), ${noiseSources}`),
  voices: z.coerce.number().int().min(1).max(100).default(6).describe('utterances that babble at once'),
})
type Parameters = z.infer<typeof parameters>

/**
 * Adds noise at a signal-to-noise ratio:
 *
 *   SNR = L_speech − L_noise, with L_speech the active speech level of ITU-T P.56 and L_noise the RMS level of the noise.
 *
 * @see Hirsch and Pearce 2000, The Aurora experimental framework, ISCA ITRW ASR2000, 2: SNR over the level by ITU-T P.56
 */
export const noise: Transformation = defineTransformation({
  name: 'noise',
  summary: 'add noise at a signal-to-noise ratio',
  parameters,
  ladders: [{ parameter: 'snr', unit: 'dB', harder: 'lower' }],
  files: ({ noise: source }) => noiseFiles(source),
  problems: (chosen, utterances) => {
    const spoken = utterances.filter(({ text }) => text !== '')
    return chosen.noise === 'babble' && spoken.length < 2
      ? ['noise=babble needs at least two utterances with words; use noise=white, pink or a file']
      : []
  },
  apply: onEachSound(async (sound, chosen: Parameters, context, draft) => {
    const speech = activeLevel(sound.samples, sound.sampleRateHz)
    // In digital silence there is no speech that noise could be measured against.
    if (speech === null) return sound
    const added = await noiseFor(sound, chosen, context, draft)
    const level = rmsLevel(added)
    if (level === -Infinity) return sound
    const gain = gainOf(speech.levelDbov - chosen.snr - level)
    const samples = sound.samples.map((sample, index) => sample + gain * (added[index] as number))
    return withinFullScale({ ...sound, samples })
  }),
})

async function noiseFor(
  sound: Sound,
  chosen: Parameters,
  context: DeriveContext,
  draft: Draft,
): Promise<Float32Array> {
  const random = context.randomFor(draft, 'noise')
  const shape = { sampleRateHz: sound.sampleRateHz, length: sound.samples.length }
  if (chosen.noise !== 'babble') return await makeNoise(chosen.noise, shape, random, context)
  const voices = random.shuffled(babbleCandidates(draft, context.utterances)).slice(0, chosen.voices)
  return await babble(voices, shape, random, async (voice, sampleRateHz) => {
    const { samples, sampleRateHz: ownHz } = await voice.sound()
    return await resample({ samples, sampleRateHz: ownHz }, sampleRateHz)
  })
}

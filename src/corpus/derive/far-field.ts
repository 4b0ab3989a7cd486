import { z } from 'zod'
import { activeLevel } from '#audio/active-level'
import type { Random } from '#prelude'
import { convolve } from '../convolve.ts'
import { whiteNoise } from './noise.ts'
import {
  defineTransformation,
  gainFor,
  onEachSound,
  type Sound,
  scaled,
  type Transformation,
  withinFullScale,
} from './transformation.ts'

const parameters = z.strictObject({
  rt60: z.coerce.number().min(0.05).max(10).default(0.6).describe('reverberation time of the room, in s'),
  drr: z.coerce.number().min(-30).max(40).default(0).describe('direct-to-reverberant energy ratio, in dB'),
  impulse: z
    .string()
    .min(1)
    .optional()
    .describe('file with an impulse response, in place of the synthetic room'),
})

/** Convolves with an impulse response; keeps the level of the speech, and the reverberation after its end. */
export const farField: Transformation = defineTransformation({
  name: 'far-field',
  summary: 'put the speaker far from the microphone, in a room',
  parameters,
  ladders: [
    { parameter: 'rt60', unit: 's', harder: 'higher' },
    { parameter: 'drr', unit: 'dB', harder: 'lower' },
  ],
  files: ({ impulse }) => (impulse === undefined ? [] : [impulse]),
  apply: onEachSound(async (sound, { rt60, drr, impulse }, context, draft) => {
    const { sampleRateHz } = sound
    const response =
      impulse === undefined
        ? syntheticRoom({ rt60, drr, sampleRateHz }, context.randomFor(draft, 'far-field'))
        : fromDirectSound((await context.readSound(impulse, sampleRateHz)).samples)
    return matchLevel(sound, { samples: convolve(sound.samples, response), sampleRateHz })
  }),
})

/**
 * Impulse response of direct sound, and noise that decays by 60 dB within the reverberation time.
 *
 * @see Polack 1988, La transmission de l'énergie sonore dans les salles: reverberation as exponentially decaying noise
 */
function syntheticRoom(
  { rt60, drr, sampleRateHz }: { readonly rt60: number; readonly drr: number; readonly sampleRateHz: number },
  random: Random,
): Float32Array {
  const length = Math.ceil(rt60 * sampleRateHz)
  const decay = (3 * Math.LN10) / length
  const response = whiteNoise(length, random).map((value, index) => value * Math.exp(-decay * index))
  response[0] = 0
  const reverberant = response.reduce((sum, value) => sum + value * value, 0)
  const gain = gainFor(-drr) / Math.sqrt(reverberant)
  const scaledResponse = response.map((value) => value * gain)
  scaledResponse[0] = 1
  return scaledResponse
}

/** Removes the delay from speaker to microphone at the beginning of a measured response. */
function fromDirectSound(response: Float32Array): Float32Array {
  let strongest = 0
  response.forEach((value, index) => {
    if (Math.abs(value) > Math.abs(response[strongest] as number)) strongest = index
  })
  return response.subarray(strongest)
}

function matchLevel(original: Sound, changed: Sound): Sound {
  const [before, after] = [original, changed].map(({ samples, sampleRateHz }) =>
    activeLevel(samples, sampleRateHz),
  )
  if (before == null || after == null) return changed
  return withinFullScale(scaled(changed, gainFor(before.levelDbov - after.levelDbov)))
}

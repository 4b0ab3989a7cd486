import { z } from 'zod'
import { activeLevel, rmsLevel } from '#audio/active-level'
import { resample } from '#audio/resampling'
import type { Random } from '#prelude'
import {
  type DeriveContext,
  type Draft,
  defineTransformation,
  gainFor,
  onEachSound,
  type Sound,
  type Transformation,
  withinFullScale,
} from './transformation.ts'

const noiseSources = 'white, pink, or the path of a recording of noise'

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
 *   SNR = L_speech − L_noise, where L_speech is the active speech level of ITU-T P.56 and L_noise the RMS level of the noise.
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
    // Digital silence has no speech level that the SNR could refer to.
    if (speech === null) return sound
    const added = await noiseFor(sound, chosen, context, draft)
    const level = rmsLevel(added)
    if (level === -Infinity) return sound
    const gain = gainFor(speech.levelDbov - chosen.snr - level)
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

const noSpeechParameters = z.strictObject({
  background: z.string().min(1).default('silence').describe(`silence, ${noiseSources}`),
  floor: z.coerce.number().min(-120).max(0).default(-50).describe('RMS level of the noise, in dBov'),
})

/** Replaces the speech by silence or noise of the same length, so that any recognised text is a hallucination. */
export const noSpeech: Transformation = defineTransformation({
  name: 'no-speech',
  summary: 'silence or noise alone, as long as the utterance: for hallucinations',
  parameters: noSpeechParameters,
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
      entities: [],
      times: [],
      speaker: null,
      tags: [chosen.background === 'silence' ? 'silence' : 'no-speech'],
    })),
})

const replace = onEachSound<z.infer<typeof noSpeechParameters>>(
  async ({ samples, sampleRateHz }, { background, floor }, context, draft) => {
    const { length } = samples
    if (background === 'silence') return { samples: new Float32Array(length), sampleRateHz }
    const random = context.randomFor(draft, 'no-speech')
    const noiseSamples = await makeNoise(background, { sampleRateHz, length }, random, context)
    const level = rmsLevel(noiseSamples)
    const gain = level === -Infinity ? 0 : gainFor(floor - level)
    return withinFullScale({ samples: noiseSamples.map((sample) => sample * gain), sampleRateHz })
  },
)

/** Names of sources that are not paths. */
const words: readonly string[] = ['white', 'pink', 'babble', 'silence']

/** The file that a source names, if any. */
function noiseFiles(source: string): readonly string[] {
  return words.includes(source) ? [] : [source]
}

/**
 * Makes noise of a source in the given length; its level is arbitrary.
 *
 * @param source `white`, `pink`, or a path
 */
async function makeNoise(
  source: string,
  { sampleRateHz, length }: { readonly sampleRateHz: number; readonly length: number },
  random: Random,
  context: DeriveContext,
): Promise<Float32Array> {
  if (source === 'white') return whiteNoise(length, random)
  if (source === 'pink') return pinkNoise(length, random)
  const { samples } = await context.readSound(source, sampleRateHz)
  return repeated(samples, random.below(samples.length), length)
}

/** White noise with normal distribution. @see Box and Muller 1958, doi:10.1214/aoms/1177706645 */
export function whiteNoise(length: number, random: Random): Float32Array {
  const noise = new Float32Array(length)
  for (let index = 0; index < length; index += 2) {
    const radius = Math.sqrt(-2 * Math.log(1 - random.unit()))
    const angle = 2 * Math.PI * random.unit()
    noise[index] = radius * Math.cos(angle)
    if (index + 1 < length) noise[index + 1] = radius * Math.sin(angle)
  }
  return noise
}

/**
 * Pink noise: white noise through a filter of −3 dB per octave, accurate to 0.05 dB above 9 Hz at 44.1 kHz;
 * the frequencies scale with the sample rate.
 *
 * @see Paul Kellet's refined method, https://www.firstpr.com.au/dsp/pink-noise/
 */
function pinkNoise(length: number, random: Random): Float32Array {
  const poles = [0.99886, 0.99332, 0.969, 0.8665, 0.55, -0.7616]
  const gains = [0.0555179, 0.0750759, 0.153852, 0.3104856, 0.5329522, -0.016898]
  const states = poles.map(() => 0)
  let delayed = 0
  return whiteNoise(length, random).map((white) => {
    let sum = delayed + white * 0.5362
    for (let pole = 0; pole < poles.length; pole += 1) {
      const state = (poles[pole] as number) * (states[pole] as number) + white * (gains[pole] as number)
      states[pole] = state
      sum += state
    }
    delayed = white * 0.115926
    return sum
  })
}

function repeated(samples: Float32Array, from: number, length: number): Float32Array {
  return Float32Array.from({ length }, (_, index) => samples[(from + index) % samples.length] as number)
}

/** Candidates for babble: other utterances with words, by other speakers if speakers are known. */
function babbleCandidates(draft: Draft, utterances: readonly Draft[]): readonly Draft[] {
  const [parent] = draft.parents
  const others = utterances.filter(({ parents, text }) => parents[0] !== parent && text !== '')
  const byOthers = others.filter(({ speaker }) => speaker !== draft.speaker)
  return draft.speaker !== null && byOthers.length > 0 ? byOthers : others
}

/** Mixes voices of other utterances at equal active levels, each looped from a random position. */
async function babble(
  voices: readonly Draft[],
  { sampleRateHz, length }: { readonly sampleRateHz: number; readonly length: number },
  random: Random,
  toRate: (draft: Draft, sampleRateHz: number) => Promise<Float32Array>,
): Promise<Float32Array> {
  const noise = new Float32Array(length)
  for (const voice of voices) {
    const samples = await toRate(voice, sampleRateHz)
    const level = activeLevel(samples, sampleRateHz)?.levelDbov ?? rmsLevel(samples)
    const part = repeated(samples, random.below(samples.length), length)
    const gain = level === -Infinity ? 0 : gainFor(-level)
    for (let index = 0; index < length; index += 1) {
      noise[index] = (noise[index] as number) + gain * (part[index] as number)
    }
  }
  return noise
}

import { activeLevel, rmsLevel } from '#audio'
import type { Random } from '#prelude'
import type { DeriveContext, Draft } from './draft.ts'
import { gainOf } from './sound.ts'

const generated = ['white', 'pink'] as const
type Generated = (typeof generated)[number]

function isGenerated(source: string): source is Generated {
  return generated.some((name) => name === source)
}

export const noiseSources = `${generated.join(', ')}, or the path of a recording of noise`

/** Words for a source that are no path. */
const words: readonly string[] = [...generated, 'babble', 'silence']

/** The recordings that a source names. */
export function noiseFiles(source: string): readonly string[] {
  return words.includes(source) ? [] : [source]
}

/**
 * Noise of any source, as long as is wanted. Its level is arbitrary.
 *
 * @param source `white`, `pink`, or a path
 */
export async function makeNoise(
  source: string,
  { sampleRateHz, length }: { readonly sampleRateHz: number; readonly length: number },
  random: Random,
  context: DeriveContext,
): Promise<Float32Array> {
  if (isGenerated(source)) return source === 'white' ? whiteNoise(length, random) : pinkNoise(length, random)
  const { samples } = await context.readSound(source, sampleRateHz)
  return repeated(samples, random.below(samples.length), length)
}

/** Normally distributed samples. @see Box and Muller 1958, doi:10.1214/aoms/1177706645 */
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
 * White noise through a filter that falls by 3 dB an octave, to 0.05 dB above 9 Hz at 44.1 kHz; the frequencies scale
 * with the sample rate.
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

/** What may babble behind an utterance: others that have words, by other speakers where speakers are known. */
export function babbleCandidates(draft: Draft, utterances: readonly Draft[]): readonly Draft[] {
  const [own] = draft.parents
  const others = utterances.filter(({ parents, text }) => parents[0] !== own && text !== '')
  const byOthers = others.filter(({ speaker }) => speaker !== draft.speaker)
  return draft.speaker !== null && byOthers.length > 0 ? byOthers : others
}

/** Voices of other utterances at the same active level, each repeated from a random position on. */
export async function babble(
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
    const gain = level === -Infinity ? 0 : gainOf(-level)
    for (let index = 0; index < length; index += 1) {
      noise[index] = (noise[index] as number) + gain * (part[index] as number)
    }
  }
  return noise
}

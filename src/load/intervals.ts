import { randomExponential, randomGamma } from 'd3-random'
import { z } from 'zod'
import { type DeepReadonly, fingerprint, type Random, seededRandom } from '#prelude'

export const intervals = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z
        .literal('even')
        .describe(
          'All alike. Real arrivals never are: as load, this flatters a server by up to a factor of two.',
        ),
    }),
    z.strictObject({
      kind: z
        .literal('exponential')
        .describe('Independent of each other, which makes them Poisson arrivals.'),
    }),
    z.strictObject({
      kind: z.literal('gamma').describe('Gamma-distributed.'),
      shape: z.number().describe('Above 1: more even than Poisson; 1: Poisson; below 1: in bursts.'),
    }),
  ])
  .meta({ id: 'Intervals', description: 'How intervals vary around their mean.' })
export type Intervals = DeepReadonly<z.infer<typeof intervals>>

/**
 * Returns the random numbers for the arrivals of one round. They are independent of those that the same seed gives
 * for another purpose, such as the order of the utterances.
 */
export function arrivalRandom(seed: number, round: number): Random {
  return seededRandom(Number.parseInt(fingerprint({ purpose: 'arrivals', seed, round }).slice(0, 8), 16))
}

/**
 * @returns a function that draws the next interval, in units of the mean interval
 * @see Marsaglia and Tsang 2000, "A simple method for generating gamma variables", doi:10.1145/358407.358414
 */
export function drawIntervals(intervals: Intervals, random: Random): () => number {
  switch (intervals.kind) {
    case 'even':
      return () => 1
    case 'exponential':
      return randomExponential.source(random.unit)(1)
    case 'gamma':
      return randomGamma.source(random.unit)(intervals.shape, 1 / intervals.shape)
  }
}

/** Below this shape nearly all intervals are 0 in floating point, so that arrivals never reach the end of a schedule. */
const minShape = 0.001

/** @throws RangeError when the shape is no number, or too small */
export function checkIntervals(intervals: Intervals): void {
  if (intervals.kind !== 'gamma') return
  checkPositive('the shape of gamma intervals', intervals.shape)
  if (intervals.shape < minShape)
    throw new RangeError(`the shape of gamma intervals is ${minShape} or more, not ${intervals.shape}`)
}

/** @throws RangeError unless the value is a finite number above 0 */
export function checkPositive(name: string, value: number): void {
  if (!(value > 0 && value < Number.POSITIVE_INFINITY))
    throw new RangeError(`${name} is a number above 0, not ${value}`)
}

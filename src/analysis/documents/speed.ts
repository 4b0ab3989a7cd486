import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import { intervalSchema } from '#rates/documents'
import { absentSchema } from './figure.ts'
import { crossoverSchema } from './latency.ts'
import { count, nullableText, number, text } from './scalars.ts'

/** Audio seconds transcribed per second, over the steady part of every block of one contender. */
export const systemSpeedSchema = z
  .union([
    z.strictObject({
      value: number.describe('Sum of audio seconds / sum of window seconds.'),
      audioSeconds: number.describe('Audio seconds transcribed inside the windows.'),
      windowSeconds: number.describe('Length of the windows in seconds.'),
      blockCount: count.describe('Blocks with a steady window.'),
      shortBlockCount: count.describe('Blocks too short for one; they are in no sum above.'),
      meanInFlight: number.describe(
        'Mean number of requests in flight, added up exactly over the windows; near N for a closed load of N.',
      ),
      completedCount: count.describe('Answers and failures inside the windows.'),
      predictedInFlight: number.describe(
        'The number that a closed load keeps in flight; of other loads nothing fixes it, and it is `meanInFlight`.',
      ),
    }),
    absentSchema.extend({
      moreAnswers: count
        .nullable()
        .describe('Answers that the blocks lack for a steady window each; null where more would not help.'),
    }),
  ])
  .meta({
    id: 'SystemSpeed',
    description:
      'Audio seconds transcribed per second over the steady part of every block, or why there is no figure.',
  })
export type SystemSpeed = DeepReadonly<z.infer<typeof systemSpeedSchema>>

/** How much faster one contender was than another one, within one run. */
const speedDifferenceSchema = z
  .strictObject({
    faster: text.describe('The contender that was faster in the measurement.'),
    slower: text.describe('The other one.'),
    basis: z
      .enum(['speed', 'latency'])
      .describe(
        '`speed`: the ratio of the two system speeds. `latency`: the geometric mean over the requests of the latency of the ' +
          'slower one over that of the faster one, for loads under which everything that is offered is done.',
      ),
    ratio: number.describe('How many times faster, 1 or more.'),
    interval: intervalSchema
      .nullable()
      .describe(
        'Interval of the ratio: the spread between pairs of turns of this run, over the same utterances. It does not include ' +
          'what a further run would differ by. Null with too few turns.',
      ),
    verdict: z
      .enum(['faster', 'alike', 'unresolved'])
      .describe(
        'Certainly by more than the margin, certainly by less, or neither. Holds together with all other pairs.',
      ),
    reason: nullableText.describe('Why it is unresolved, where the interval does not show it; else null.'),
  })
  .meta({
    id: 'SpeedDifference',
    description: 'How much faster one contender was than another one, within one run.',
  })
export type SpeedDifference = DeepReadonly<z.infer<typeof speedDifferenceSchema>>

/** Every two contenders of a run by their speed. */
export const speedDifferencesSchema = z
  .strictObject({
    withheld: nullableText.describe(
      'Why latency and speed of this run say nothing of the contenders, which are then marked `~` and not compared; `pairs` is empty. Null where they do.',
    ),
    margin: number.describe('A ratio within 1 + margin counts as no difference.'),
    turnCount: count.describe('Turns that the contenders took, each with a block of every one.'),
    roundsNeeded: count
      .nullable()
      .describe(
        'Rounds after which there are enough turns for an interval; null where there are, or unknown.',
      ),
    pairs: z.array(speedDifferenceSchema).describe('Every two contenders of which both have a figure.'),
    crossovers: z
      .array(
        z.strictObject({
          first: text.describe('One contender.'),
          second: text.describe('The other one.'),
          crossover: crossoverSchema.describe('Where their fitted latencies cross.'),
        }),
      )
      .describe('At which length of the audio the faster one changes; empty with more than four contenders.'),
  })
  .meta({ id: 'SpeedDifferences', description: 'Every two contenders of a run by their speed.' })
export type SpeedDifferences = DeepReadonly<z.infer<typeof speedDifferencesSchema>>

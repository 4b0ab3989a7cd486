import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import { intervals } from './intervals.ts'
import { type OfferedRate, offeredRate } from './offered-load.ts'
import { pauses } from './schedules/speakers-schedule.ts'
import { traceEntry } from './trace.ts'

const number = z.number()
const forSeconds = number
  .nullable()
  .describe('Duration of a round in seconds; null: until each utterance was sent.')
const rate = offeredRate.describe('Offered rate.')
const spacing = intervals.describe('How the arrivals vary around their mean.')

/** Parser of a load in a document. Whether its figures make a load is for `makeSchedule` to say. */
export const loadShape = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('closed').describe('A number of requests is kept in flight.'),
      concurrency: z.int().min(1).describe('Requests in flight.'),
    }),
    z.strictObject({
      kind: z.enum(['constant', 'poisson']).describe('Even intervals, or Poisson arrivals.'),
      rate,
      forSeconds,
    }),
    z.strictObject({
      kind: z.literal('gamma').describe('Gamma-distributed intervals.'),
      rate,
      burstiness: number.describe('Shape of the intervals: 1 is Poisson, below 1 comes in bursts.'),
      forSeconds,
    }),
    z.strictObject({
      kind: z.literal('ramp').describe('A rate that changes evenly.'),
      from: offeredRate.describe('Rate at the start.'),
      to: offeredRate.describe('Rate at the end.'),
      forSeconds: number.describe('Duration in seconds.'),
      intervals: spacing,
    }),
    z.strictObject({
      kind: z.literal('steps').describe('One rate after the other.'),
      steps: z
        .array(z.strictObject({ rate, forSeconds: number.describe('Duration in seconds.') }))
        .describe('In order of time.'),
      intervals: spacing,
    }),
    z.strictObject({
      kind: z.literal('trace').describe('Recorded arrivals.'),
      entries: z.array(traceEntry).describe('In order of time.'),
      speed: number.describe('Speed of the replay: 2 puts two hours into one.'),
    }),
    z.strictObject({
      kind: z.literal('speakers').describe('People who speak, send, wait for the text and pause.'),
      speakers: z.int().min(1).describe('Number of people.'),
      pauses: pauses.describe('Pauses of a speaker.'),
    }),
  ])
  .meta({ id: 'LoadShape', description: 'When requests leave.' })
export type LoadShape = DeepReadonly<z.infer<typeof loadShape>>

/** Whether a load can only be made where the length of what is sent is known, and is not 0. */
export function isMadeOfSpeech(shape: LoadShape): boolean {
  const inSpeech = (rate: OfferedRate): boolean => 'audioSecondsPerSecond' in rate
  switch (shape.kind) {
    case 'closed':
      return false
    case 'constant':
    case 'poisson':
    case 'gamma':
      return inSpeech(shape.rate)
    case 'ramp':
      return inSpeech(shape.from) || inSpeech(shape.to)
    case 'steps':
      return shape.steps.some(({ rate }) => inSpeech(rate))
    case 'trace':
    case 'speakers':
      return true
  }
}

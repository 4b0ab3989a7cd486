import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import { count, load, positive, share } from './loads.ts'

const number = z.number()
const nullableText = z.string().nullable()

const reproduction = z
  .strictObject({
    perSecond: positive.describe('Requests per second.'),
    requests: count.describe('Requests that were measured.'),
    measuredP50Ms: number.describe('Measured median of the response time in milliseconds.'),
    simulatedP50Ms: number.describe('Simulated median in milliseconds.'),
    measuredP95Ms: number.describe('Measured 95th percentile of the response time in milliseconds.'),
    simulatedP95Ms: number.describe('Simulated 95th percentile in milliseconds.'),
    isReproduced: z.boolean().describe('Whether both are within a factor of 1.25.'),
  })
  .meta({ id: 'Reproduction', description: 'A measured load next to its simulation.' })
export type Reproduction = DeepReadonly<z.infer<typeof reproduction>>

const whatIf = z
  .strictObject({
    question: z.string().describe('In words: "only the shorter half of the recordings".'),
    meanAudioSeconds: positive.describe('Mean length of the recordings in seconds.'),
    capacity: load.nullable().describe('Null where even a request alone violates the objective.'),
    check: nullableText.describe('The command that measures it; null where there is none.'),
  })
  .meta({ id: 'FoundWhatIf', description: 'The capacity in a use that was not measured, by simulation.' })
export type FoundWhatIf = DeepReadonly<z.infer<typeof whatIf>>

export const simulation = z
  .strictObject({
    fixedMs: number.describe('Fixed part of the service time of a request alone, in milliseconds.'),
    perAudioSecondMs: number.describe(
      'Service time per second of audio of a request alone, in milliseconds.',
    ),
    ratios: z
      .array(positive)
      .describe('Service times of single requests over that line, ascending; a sample of at most a hundred.'),
    workers: count.describe('Requests that the server works on at once.'),
    atWorkShare: share.describe('Part of the service time alone in which a request holds a worker, 0..1.'),
    slowdowns: z
      .array(positive)
      .describe('Service time over that alone while k requests are at work, from k = 1 to `workers`.'),
    idleSlowdown: positive.describe(
      'Service time of a request to an idle server over that of one sent back to back.',
    ),
    queueBound: count
      .nullable()
      .optional()
      .describe(
        'Requests that may wait; further ones are refused. Null: no bound was seen; absent in older documents.',
      ),
    reproductions: z.array(reproduction).describe('Measured loads next to their simulations.'),
    silentBecause: nullableText.describe(
      'Why no forecast is made: fewer than two measured loads were reproduced, or refusals go by no queue; null where one is.',
    ),
    whatIfs: z.array(whatIf).describe('Forecasts.'),
  })
  .meta({ id: 'FoundSimulation', description: 'A queue model of the server, fitted to what was measured.' })
export type FoundSimulation = DeepReadonly<z.infer<typeof simulation>>

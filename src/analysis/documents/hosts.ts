import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import { errorRateSchema, intervalSchema } from '#rates/documents'
import { nullableNumber, nullableText, text } from './scalars.ts'

const pooledFigureSchema = z
  .strictObject({
    value: nullableNumber.describe('From the requests of all hosts; null for the reason that follows.'),
    interval: intervalSchema
      .nullable()
      .describe('By resampling hosts with all their requests; null for the reason that follows.'),
    reason: nullableText.describe('Why there is no value or no interval; null where there are both.'),
  })
  .meta({ id: 'PooledFigure', description: 'A figure over several hosts.' })
export type PooledFigure = DeepReadonly<z.infer<typeof pooledFigureSchema>>

/** A contender over all hosts that measured it. */
export const pooledContenderSchema = z
  .strictObject({
    contenderId: text.describe('Contender as each host called it.'),
    hosts: z.array(text).describe('Names of the hosts that measured it.'),
    words: errorRateSchema.describe('Word errors over all hosts; hosts are resampled as a whole.'),
    characters: errorRateSchema.describe('Character errors, in the same way.'),
    latencyP50Ms: pooledFigureSchema.describe(
      'Median latency in milliseconds, over the requests of all hosts.',
    ),
    latencyP95Ms: pooledFigureSchema.describe('95th percentile in milliseconds, in the same way.'),
    speedPerHost: pooledFigureSchema.describe(
      'Audio seconds transcribed per second on one host: the sum over all hosts / the sum of their steady times.',
    ),
    totalSpeed: nullableNumber.describe(
      'Audio seconds transcribed per second by all hosts together; where they shared the plan, over the time that it took, ' +
        'waiting and warm-up included. Null where one has no speed.',
    ),
  })
  .meta({ id: 'PooledContender', description: 'A contender over all hosts that measured it.' })
export type PooledContender = DeepReadonly<z.infer<typeof pooledContenderSchema>>

import { z } from 'zod'
import type { DeepReadonly } from '#prelude'

/** Two ends of an interval in the unit of what they bound. */
export const boundsSchema = z
  .strictObject({
    low: z.number().describe('Lower end, in the unit of the bounded value.'),
    high: z.number().describe('Upper end, in the unit of the bounded value.'),
  })
  .meta({ id: 'Bounds', description: 'The two ends of an interval.' })
export type Bounds = DeepReadonly<z.infer<typeof boundsSchema>>

/** A fitted coefficient with its interval. */
export const fittedValueSchema = z
  .strictObject({
    value: z.number().describe('Fitted value.'),
    interval: boundsSchema
      .nullable()
      .describe(
        'Its 95 % interval; null without degrees of freedom and where the points pull the line in several directions.',
      ),
  })
  .meta({ id: 'FittedValue', description: 'A fitted value with its interval, both in the same unit.' })
export type FittedValue = DeepReadonly<z.infer<typeof fittedValueSchema>>

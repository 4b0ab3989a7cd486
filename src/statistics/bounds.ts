import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import { part } from '#prelude/document-fields'

export const boundsSchema = part('Bounds', 'The two ends of an interval.', {
  low: z.number().describe('Lower end, in the unit of the bounded value.'),
  high: z.number().describe('Upper end, in the unit of the bounded value.'),
})
export type Bounds = DeepReadonly<z.infer<typeof boundsSchema>>

export const fittedValueSchema = part(
  'FittedValue',
  'A fitted value with its interval, both in the same unit.',
  {
    value: z.number().describe('Fitted value.'),
    interval: boundsSchema
      .nullable()
      .describe(
        'Its 95 % interval; null without degrees of freedom and where the points pull the line in several directions.',
      ),
  },
)
export type FittedValue = DeepReadonly<z.infer<typeof fittedValueSchema>>

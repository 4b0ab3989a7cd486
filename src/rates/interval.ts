import { z } from 'zod'
import type { DeepReadonly } from '#prelude'

/** A two-sided interval and how it was made. */
export const intervalSchema = z
  .strictObject({
    low: z.number().describe('Lower end, in the unit of the figure.'),
    high: z.number().describe('Upper end, in the unit of the figure.'),
    confidence: z.number().min(0).max(1).describe('Confidence level, 0..1: 0.95 for 95 %.'),
    method: z
      .enum([
        'bootstrap-by-utterance',
        'bootstrap-by-speaker',
        'bootstrap-by-host',
        'order-statistics',
        'wilson',
        'runs',
        'pairs-of-turns',
        'paired-shares',
      ])
      .describe('How the interval was computed.'),
  })
  .meta({ id: 'Interval', description: 'A two-sided confidence interval and how it was computed.' })
export type Interval = DeepReadonly<z.infer<typeof intervalSchema>>

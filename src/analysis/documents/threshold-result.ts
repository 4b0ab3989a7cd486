import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import { intervalSchema } from '#rates/documents'
import { nullableNumber, nullableText, number, text } from './scalars.ts'

/** The result of one threshold for one contender. */
export const thresholdResultSchema = z
  .strictObject({
    threshold: text.describe('As written.'),
    metric: text.describe('Id of the metric.'),
    contenderId: text.describe('The contender.'),
    group: nullableText.describe(
      'The group that the limit was checked for, as `noisy`; null for all together.',
    ),
    measured: nullableNumber.describe("In the metric's own unit; null where there is no figure to check."),
    interval: intervalSchema.nullable().describe('Interval of the figure; null where there is none.'),
    limit: number.describe("In the metric's own unit."),
    outcome: z
      .enum(['passed', 'failed', 'invalid'])
      .describe('`invalid` counts as failed: there was no figure to check.'),
    isResolved: z
      .boolean()
      .describe(
        'False where the limit is inside the interval of a regression: neither met nor violated for certain.',
      ),
    reason: nullableText.describe(
      'Why it failed or is invalid, where the numbers alone do not show it; else null.',
    ),
  })
  .meta({ id: 'ThresholdResult', description: 'The result of one threshold for one contender.' })
export type ThresholdResult = DeepReadonly<z.infer<typeof thresholdResultSchema>>

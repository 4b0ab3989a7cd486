import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import { errorRateSchema } from '#rates/documents'
import { count, nullableNumber, text } from '../scalars.ts'

const rungSchema = z
  .strictObject({
    value: nullableNumber.describe('Value of the parameter; null for the version without the step.'),
    utteranceCount: count.describe('Utterances of this value.'),
    askedCount: count.describe('Requests that were sent.'),
    scoredCount: count.describe('Requests that were scored.'),
    errors: errorRateSchema.describe('Error rate at this value, of words or of characters, whichever leads.'),
  })
  .meta({ id: 'RobustnessRung', description: 'The error rate at one value of a ladder.' })
export type RobustnessRung = DeepReadonly<z.infer<typeof rungSchema>>

const crossingSchema = z
  .strictObject({
    limitRate: z.number().describe('The limit, 0..1.'),
    position: z
      .enum(['within', 'before', 'beyond'])
      .describe('`before`: above the limit at every value; `beyond`: at none.'),
    value: nullableNumber.describe(
      'Where the rate crosses the limit; null unless it does within the ladder.',
    ),
    easierEnd: nullableNumber.describe(
      'End of the 95% interval to the easier values; null where it is not on the ladder.',
    ),
    harderEnd: nullableNumber.describe(
      'End of the 95% interval to the harder values; null where it is not on the ladder.',
    ),
  })
  .meta({
    id: 'RobustnessCrossing',
    description:
      'The value of the parameter at which the error rate crosses a limit, by linear interpolation, with a percentile bootstrap over ' +
      'parent utterances or speakers.',
  })
export type RobustnessCrossing = DeepReadonly<z.infer<typeof crossingSchema>>

/** Error rates along a ladder that `corpus derive` made. */
export const robustnessSchema = z
  .strictObject({
    parameter: text.describe('Parameter that the ladder varies, as `snr`.'),
    unit: text.describe('Unit of the values; empty for a ratio.'),
    harder: z
      .enum(['lower', 'higher'])
      .nullable()
      .describe('Which values are harder; null where both ends are.'),
    rungs: z
      .array(rungSchema)
      .describe('From the easiest to the hardest value; the version without the step first.'),
    crossings: z
      .array(crossingSchema)
      .describe('For limits of 5, 10, 20, 30 and 50 %; empty where both ends are hard.'),
  })
  .meta({ id: 'Robustness', description: 'Error rates of one contender along a ladder of a derived corpus.' })
export type Robustness = DeepReadonly<z.infer<typeof robustnessSchema>>

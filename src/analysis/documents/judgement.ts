import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import { count, number, share } from './scalars.ts'

/** Decided by the position of the interval of the difference against the margin. */
const verdictSchema = z.enum(['better', 'worse', 'equivalent', 'unresolved'])
export type Verdict = z.infer<typeof verdictSchema>

/** What is concluded of a difference, with everything that it rests on. */
export const judgementSchema = z.strictObject({
  verdict: verdictSchema
    .nullable()
    .describe('Null where there is no verdict. Verdicts are adjusted for multiple comparisons.'),
  judgedBy: z
    .strictObject({
      low: number.describe('Lower end.'),
      high: number.describe('Upper end.'),
      confidence: share.describe('Confidence level among all verdicts of the comparison.'),
    })
    .nullable()
    .describe(
      'The interval that the verdict rests on; null without a verdict. `interval` is at 95 % by itself.',
    ),
  direction: z
    .enum(['better', 'worse'])
    .nullable()
    .describe(
      'Of an unresolved difference, the direction that is certain; whether it exceeds the margin is open. Else null.',
    ),
  moreNeeded: count
    .nullable()
    .describe(
      'About how many more would resolve an unresolved difference, if what was measured is true: runs a side of a speed, ' +
        'utterances of a rate, requests of failures. Null where that is unknown, or more than a thousand.',
    ),
})
export type Judgement = DeepReadonly<z.infer<typeof judgementSchema>>

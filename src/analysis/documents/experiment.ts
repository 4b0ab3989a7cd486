import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import { number, part, text } from '#prelude/document-fields'
import { comparisonSchema } from './comparison.ts'

const driftSchema = part('Drift', 'A slow change of the machine over the time of several runs.', {
  utteranceId: text.describe('The reference utterance.'),
  relativeChange: number.describe(
    'Change of its latency from the first run to the last; 0.1 is 10 % slower at the end.',
  ),
  pValue: number.describe('Of the Mann-Kendall test of a trend.'),
})
export type Drift = DeepReadonly<z.infer<typeof driftSchema>>

/** Schema of the output of `transcribench experiment --json`. */
export const experimentSchema = z
  .strictObject({
    stopped: z
      .enum(['resolved', 'corpus', 'precision', 'budget', 'runs', 'interrupted'])
      .describe('Why it ended; `corpus`: what is unresolved needs more utterances, not more runs.'),
    sides: z
      .array(
        z.strictObject({
          name: z.string().describe('Name of the side.'),
          folders: z.array(z.string()).describe('Its run folders, in the order of time.'),
        }),
      )
      .describe('Two or more; the first one is the base.'),
    comparisons: z
      .array(comparisonSchema.meta({ id: 'Comparison' }))
      .describe(
        'Of every further side against the first, with the thresholds that were checked; empty where not one pass was completed.',
      ),
    drift: driftSchema
      .nullable()
      .describe(
        'How the machine changed meanwhile, by a reference utterance of the first side; null where it did not.',
      ),
  })
  .describe('Two or more sides, measured interleaved until the question was answered.')
export type Experiment = DeepReadonly<z.infer<typeof experimentSchema>>
export type ExperimentStop = Experiment['stopped']

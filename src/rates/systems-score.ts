import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import { intervalSchema } from './interval.ts'
import { scStatsSchema } from './sc-stats.ts'
import { textScoreSchema } from './text-score.ts'

const number = z.number()
const count = z.int().min(0)
const pValue = number.min(0).max(1).describe('Two-sided p.')

const tests = z
  .strictObject({
    matchedPairs: z
      .strictObject({
        segmentCount: count.describe('Segments.'),
        mean: number.describe('Mean difference of the errors in a segment, run - base.'),
        standardDeviation: number.describe('Standard deviation of the difference, in errors.'),
        z: number.nullable().describe('Test statistic; null where all segments differ by the same.'),
        pValue,
        adjustedPValue: pValue.describe('p among all pairs of systems that are compared (Holm).'),
      })
      .nullable()
      .describe('Matched pairs of sentence segments (MAPSSWE); null with fewer than two segments.'),
    unit: z
      .enum(['speakers', 'utterances'])
      .describe("Unit of the sign test and of Wilcoxon's: speakers where all are known, else utterances."),
    wilcoxon: z
      .strictObject({ count: count.describe('Units that differ.'), pValue })
      .nullable()
      .describe("Wilcoxon's test, exact up to 50 units that differ; null where none differs."),
    sign: z
      .strictObject({
        runBetter: count.describe('Units in which the run has fewer errors.'),
        baseBetter: count.describe('Units in which the base has fewer errors.'),
        pValue,
      })
      .describe('Sign test, exact.'),
    mcnemar: z
      .strictObject({
        runOnly: count.describe('Utterances that only the run has without an error.'),
        baseOnly: count.describe('Utterances that only the base has without an error.'),
        pValue,
      })
      .describe("McNemar's test, exact."),
    scStats: scStatsSchema.nullable().describe('Where the units are speakers; else null.'),
  })
  .meta({ id: 'SystemTests', description: 'The usual tests of "both systems make as many word errors".' })
export type SystemTests = DeepReadonly<z.infer<typeof tests>>

const comparison = z
  .strictObject({
    base: z.string().describe('Name of the first system.'),
    run: z.string().describe('Name of the second system.'),
    difference: number
      .nullable()
      .describe(
        'Word error rate of the run less that of the base, with unanswered utterances as empty; null without words.',
      ),
    interval: intervalSchema
      .nullable()
      .describe('Interval of the difference; null where resampling gives none.'),
    tests: tests.describe('Tests of the difference.'),
  })
  .meta({ id: 'SystemComparison', description: 'Two systems over the same utterances.' })
export type SystemComparison = DeepReadonly<z.infer<typeof comparison>>

/** Version of the document that `transcribench wer` prints of several systems. */
export const systemsScoreFormatVersion = 1

export const systemSchema = z.strictObject({
  name: z.string().describe('Name of the file; its path where two have the same name.'),
  file: z.string().describe('Path of the file.'),
  score: textScoreSchema.describe('Its texts compared with the references, without rows.'),
})

export const systemsScoreSchema = z.strictObject({
  formatVersion: z.int().describe('Version of this document.'),
  systems: z.array(systemSchema).describe('The systems, in the order in which they were named.'),
  comparisons: z.array(comparison).describe('Every system with every one after it.'),
})
/** Several systems over the same utterances, side by side. */
export type SystemsScore = DeepReadonly<z.infer<typeof systemsScoreSchema>>

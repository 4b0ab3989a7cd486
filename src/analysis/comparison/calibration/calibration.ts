import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import { detectableDifference, estimateMean, requiredPairs } from '#statistics'
import { type SpeedMetric, speedMetrics } from '../../documents/contender-comparison.ts'
import { decide } from '../../figures/ranking/verdicts.ts'
import { storedSpreadSchema } from '../run-difference.ts'

/** What equal runs of one contender differ by on a host. */
export const calibrationSchema = z
  .strictObject({
    measuredAt: z.string().describe('ISO 8601, UTC.'),
    contenderId: z.string().describe('The contender that was measured against itself.'),
    pairCount: z.int().min(2).describe('Pairs of runs.'),
    spreads: z
      .partialRecord(z.enum(speedMetrics), storedSpreadSchema)
      .describe('Of the logarithm of run / base, by metric, for those that the runs have.'),
    utteranceSpread: z
      .number()
      .nullable()
      .describe(
        "Of the logarithm of an utterance's latency around its own mean, between the runs; null where unknown.",
      ),
  })
  .meta({ id: 'Calibration', description: 'What equal runs of one contender differ by on a host.' })
export type Calibration = DeepReadonly<z.infer<typeof calibrationSchema>>
export type Spreads = Calibration['spreads']

/** The detectable difference of one metric on a host. */
export const resolutionSchema = z
  .strictObject({
    metric: z.enum(speedMetrics).describe('Id of the metric.'),
    standardDeviation: z.number().describe('Of the logarithm of run / base.'),
    margin: z.number().describe('Relative changes inside ± margin are equivalent.'),
    falseAlarmShare: z
      .number()
      .nullable()
      .describe(
        'Share of equal pairs, five at a time, that would be called better or worse at the margin; null with fewer than five pairs.',
      ),
    detectable: z
      .number()
      .describe(
        'Smallest difference beyond the margin that five pairs find in four of five cases; of a ratio, 0.05 is 5 %.',
      ),
    pairsNeeded: z
      .int()
      .nullable()
      .describe('Pairs that find a difference of twice the margin in nine of ten cases; null beyond 1,000.'),
  })
  .meta({ id: 'Resolution', description: 'What can be distinguished on a host, for one metric.' })
export type Resolution = DeepReadonly<z.infer<typeof resolutionSchema>>

const pairsUsual = 5

/**
 * What a calibration says about margins.
 *
 * @param differences by metric, the logarithms of run / base of the calibration's pairs
 * @param comparisons how many verdicts share the confidence
 * @see `detectableDifference` of #statistics
 */
export function resolutionOf(
  metric: SpeedMetric,
  differences: readonly number[],
  margin: number,
  comparisons = 1,
): Resolution | null {
  const estimate = estimateMean(differences)
  if (estimate === null) return null
  const { standardDeviation } = estimate
  const confidence = 1 - 0.05 / comparisons
  const reach = Math.log1p(margin)
  return {
    metric,
    standardDeviation,
    margin,
    falseAlarmShare: falseAlarms(differences, margin),
    detectable: Math.expm1(detectableDifference(standardDeviation, pairsUsual, { confidence })),
    pairsNeeded: requiredPairs(standardDeviation, Math.log1p(2 * margin) - reach, { power: 0.9, confidence }),
  }
}

/** Every five consecutive pairs of the calibration, compared with the margin as an experiment would. */
function falseAlarms(differences: readonly number[], margin: number): number | null {
  const groups = Array.from({ length: Math.max(0, differences.length - pairsUsual + 1) }, (_, from) =>
    differences.slice(from, from + pairsUsual),
  )
  const alarms = groups.filter((group) => {
    const estimate = estimateMean(group)
    const [verdict] = decide([
      {
        better: 'lower',
        margin,
        canDecideAt: () => true,
        intervalAt: (confidence) => {
          const interval = estimate?.intervalAt(confidence) ?? null
          return interval === null ? null : { low: Math.expm1(interval.low), high: Math.expm1(interval.high) }
        },
      },
    ])
    return verdict === 'better' || verdict === 'worse'
  })
  return groups.length === 0 ? null : alarms.length / groups.length
}

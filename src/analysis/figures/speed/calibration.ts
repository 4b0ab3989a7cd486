import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import { nullableNumber, number, oneOf, orNull, part, text } from '#prelude/document-fields'
import { mapBounds } from '#statistics/bounds'
import { estimateMean } from '#statistics/distributions'
import { detectableDifference, requiredPairs } from '#statistics/tests/required-runs'
import { comparedSpeeds, type SpeedMetric } from '../../documents/contender-comparison.ts'
import { decide } from '../ranking/claims.ts'
import { storedSpreadSchema } from './run-difference.ts'

export const calibrationSchema = part(
  'Calibration',
  'What equal runs of one contender differ by on a host.',
  {
    measuredAt: text.describe('ISO 8601, UTC.'),
    contenderId: text.describe('The contender that was measured against itself.'),
    pairCount: z.int().min(2).describe('Pairs of runs.'),
    spreads: z
      .partialRecord(oneOf(comparedSpeeds), storedSpreadSchema)
      .describe('Of the logarithm of run / base, by metric, for those that the runs have.'),
    utteranceSpread: nullableNumber.describe(
      "Of the logarithm of an utterance's latency, between the runs, without the spread of whole runs; null where unknown.",
    ),
  },
)
export type Calibration = DeepReadonly<z.infer<typeof calibrationSchema>>
export type Spreads = Calibration['spreads']

export const resolutionSchema = part('Resolution', 'What can be distinguished on a host, for one metric.', {
  metric: oneOf(comparedSpeeds).describe('Id of the metric.'),
  standardDeviation: number.describe('Of the logarithm of run / base.'),
  margin: number.describe('Relative changes inside ± margin are equivalent.'),
  falseAlarmShare: nullableNumber.describe(
    'Share of equal pairs, five at a time, that would be called better or worse at the margin; null with fewer than five pairs.',
  ),
  detectable: number.describe(
    'Smallest difference beyond the margin that five pairs find in four of five cases; of a ratio, 0.05 is 5 %.',
  ),
  pairsNeeded: orNull(z.int()).describe(
    'Pairs that find a difference of twice the margin in nine of ten cases; null beyond 1,000.',
  ),
})
export type Resolution = DeepReadonly<z.infer<typeof resolutionSchema>>

const pairsUsual = 5

/**
 * Finds which margins a calibration supports.
 *
 * @param differences logarithms of run / base of the calibration's pairs, for this metric
 * @see `detectableDifference` of #statistics
 */
export function findResolution(
  metric: SpeedMetric,
  differences: readonly number[],
  margin: number,
): Resolution | null {
  const estimate = estimateMean(differences)
  if (estimate === null) return null
  const { standardDeviation } = estimate
  const reach = Math.log1p(margin)
  return {
    metric,
    standardDeviation,
    margin,
    falseAlarmShare: falseAlarms(differences, margin),
    detectable: Math.expm1(detectableDifference(standardDeviation, pairsUsual)),
    pairsNeeded: requiredPairs(standardDeviation, Math.log1p(2 * margin) - reach, { power: 0.9 }),
  }
}

/** Compares every five consecutive pairs of the calibration with the margin, as an experiment would. */
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
        intervalAt: (confidence) => mapBounds(estimate?.intervalAt(confidence) ?? null, Math.expm1),
      },
    ])
    return verdict === 'better' || verdict === 'worse'
  })
  return groups.length === 0 ? null : alarms.length / groups.length
}

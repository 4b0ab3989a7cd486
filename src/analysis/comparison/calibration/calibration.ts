import { z } from 'zod'
import { detectableDifference, estimateMean, requiredPairs } from '#statistics'
import type { SpeedMetric } from '../../documents/comparison.ts'
import { decide } from '../../figures/verdicts.ts'
import type { StoredSpread } from '../run-difference.ts'

const spread = z.strictObject({ standardDeviation: z.number().min(0), pairCount: z.int().min(2) })

/** By metric, for those that the runs have. */
export type Spreads = { readonly [Metric in SpeedMetric]?: StoredSpread | undefined }

/** What equal runs of one contender differ by on a host. */
export interface Calibration {
  readonly measuredAt: string
  readonly contenderId: string
  readonly pairCount: number
  /** Of the logarithm of run / base, between two runs of the same. */
  readonly spreads: Spreads
  /** Of the logarithm of an utterance's latency around its own mean, between the runs. */
  readonly utteranceSpread: number | null
}

export const calibrationSchema: z.ZodType<Calibration> = z.strictObject({
  measuredAt: z.string(),
  contenderId: z.string(),
  pairCount: z.int().min(2),
  spreads: z
    .strictObject({
      latency: spread,
      'latency.p50': spread,
      'latency.p95': spread,
      'latency.fixed': spread,
      'latency.slope': spread,
      rtfx: spread,
    })
    .partial(),
  utteranceSpread: z.number().nullable(),
})

/** What can be told apart on a host, for one metric. */
export interface Resolution {
  readonly metric: SpeedMetric
  readonly standardDeviation: number
  readonly margin: number
  /**
   * Share of equal pairs, five at a time, that would be called better or worse at the margin: how it cries wolf. Null with
   * fewer than five pairs.
   */
  readonly falseAlarmShare: number | null
  /** Smallest difference beyond the margin that five pairs find in four of five cases; of a ratio, 0.05 is 5 %. */
  readonly detectable: number
  /** Pairs that find a difference of twice the margin in nine of ten cases; null beyond 1,000. */
  readonly pairsNeeded: number | null
}

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

/** Every five consecutive pairs of the calibration, held against the margin as an experiment would. */
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

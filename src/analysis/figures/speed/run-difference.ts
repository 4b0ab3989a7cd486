import { z } from 'zod'
import type { DeepReadonly } from '#prelude'
import { number, part } from '#prelude/document-fields'
import type { Bounds } from '#statistics/bounds'
import { estimateMean, type MeanEstimate, studentQuantile, welchDifference } from '#statistics/distributions'
import { mean } from '#statistics/quantiles'
import { confidenceSequence } from '#statistics/tests/required-runs'

/** Difference between the runs of two sides, as the logarithm of a ratio. */
export interface RunDifference {
  readonly estimate: number
  readonly basis: 'pairs of runs' | 'runs' | 'runs of one side' | 'calibration'
  /** Returns null with one run per side and no measured spread. */
  intervalAt(confidence: number): Bounds | null
}

export const storedSpreadSchema = part(
  'StoredSpread',
  'Spread of the difference of two runs of the same thing on this host.',
  {
    standardDeviation: number.min(0).describe('Of the logarithm of a ratio.'),
    pairCount: z.int().min(2).describe('Pairs of runs that it was measured with.'),
  },
)
export type StoredSpread = DeepReadonly<z.infer<typeof storedSpreadSchema>>

/**
 * Returns the mean difference of two sets of runs, with a t-interval whose unit is the run. Requests of one run are
 * correlated; treated as independent, they show differences in two of three pairs of equal runs.
 *
 * - Equal numbers of runs: paired in order of time, so that drift between the pairs cancels.
 * - Otherwise: Welch's interval; with a single run on one side, the spread of the other side's runs for both.
 * - One run per side: an interval only from a calibration's spread between runs of the same contender on this host.
 *
 * @param base logarithms of one figure per run, in the order of time; at least one
 * @param run the same for the other side
 * @param isSequential the number of pairs was not fixed beforehand, so the interval is valid at every look
 * @see Georges et al. 2007, doi:10.1145/1297027.1297033; Kalibera and Jones 2013, doi:10.1145/2464157.2464160
 */
export function runDifference(
  base: readonly number[],
  run: readonly number[],
  stored: StoredSpread | null,
  isSequential = false,
): RunDifference {
  const estimate = mean(run) - mean(base)
  if (base.length === 1 && run.length === 1) {
    return {
      estimate,
      basis: 'calibration',
      intervalAt: (confidence) => spreadAround(estimate, stored, confidence),
    }
  }
  if (base.length === run.length) {
    const differences = run.map((value, index) => value - (base[index] as number))
    const pairs = estimateMean(differences)
    return {
      estimate,
      basis: 'pairs of runs',
      intervalAt: (confidence) =>
        isSequential
          ? confidenceSequence(differences, { confidence, expectedCount: 10 })
          : (pairs?.intervalAt(confidence) ?? null),
    }
  }
  const alone = base.length === 1 || run.length === 1
  if (alone) {
    const many = estimateMean(base.length === 1 ? run : base)
    return {
      estimate,
      basis: 'runs of one side',
      intervalAt: (confidence) => (many === null ? null : aroundSingle(estimate, many, confidence)),
    }
  }
  const apart = welchDifference(base, run)
  return { estimate, basis: 'runs', intervalAt: (confidence) => apart?.intervalAt(confidence) ?? null }
}

/** The variance is that of a single run plus that of the mean of the others. */
function aroundSingle(
  estimate: number,
  { standardDeviation, count }: MeanEstimate,
  confidence: number,
): Bounds {
  const error = standardDeviation * Math.sqrt(1 + 1 / count)
  const half = studentQuantile((1 + confidence) / 2, count - 1) * error
  return { low: estimate - half, high: estimate + half }
}

function spreadAround(estimate: number, stored: StoredSpread | null, confidence: number): Bounds | null {
  if (stored === null || stored.pairCount < 2) return null
  const half = studentQuantile((1 + confidence) / 2, stored.pairCount - 1) * stored.standardDeviation
  return { low: estimate - half, high: estimate + half }
}

import type { ContenderComparison, SpeedMetric } from '../documents/contender-comparison.ts'
import type { ContenderEvaluation } from '../documents/contender-evaluation.ts'
import type { Evaluation, UtteranceEvaluation } from '../documents/evaluation.ts'
import type { Measurement, MetricMeaning } from '../documents/figure.ts'

/** Source of a metric. */
export type MetricSource =
  | { readonly of: 'contender'; measure(contender: ContenderEvaluation, evaluation: Evaluation): Measurement }
  /** A percentile is also a figure of a contender, but is compared with a limit by counting requests. */
  | {
      readonly of: 'percentile'
      readonly probability: number
      measure(contender: ContenderEvaluation): Measurement
      sample(row: UtteranceEvaluation): number | null
    }
  | { readonly of: 'comparison'; readonly rate: ContenderComparison['rates'][number]['metric'] }
  | { readonly of: 'speedComparison'; readonly speed: SpeedMetric }
  | { readonly of: 'failureComparison' }

/** Sources that exist only in comparisons. */
export type TwoSidedSource = Extract<
  MetricSource,
  { of: 'comparison' | 'speedComparison' | 'failureComparison' }
>

/** Whether a metric is a change between two sides, not a figure of a single run. */
export function isTwoSided(source: MetricSource): source is TwoSidedSource {
  return ['comparison', 'speedComparison', 'failureComparison'].includes(source.of)
}

/** A metric for tables, thresholds, `explain` and docs. */
export interface Metric extends MetricMeaning {
  /** Name of its column in `summary.csv`; a change between two sides has none. */
  readonly column?: string
  readonly from: MetricSource
}

/** Returns the common name of the percentiles of one quantity: `latency` for `latency.p95`. */
export function metricFamily(id: string): string {
  return id.replace(/\.p\d+$/, '')
}

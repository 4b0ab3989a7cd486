import type { Interval } from '#rates/documents'
import type { ContenderComparison, SpeedMetric } from '../documents/contender-comparison.ts'
import type { ContenderEvaluation } from '../documents/contender-evaluation.ts'
import type { Evaluation, UtteranceEvaluation } from '../documents/evaluation.ts'

/**
 * Unit of a metric in documents: rates as 0..1 (WER may exceed 1), their differences in the same unit, relative
 * differences as shares, latencies in milliseconds, speeds and factors as plain ratios.
 */
export type MetricUnit =
  | 'rate'
  | 'rateDifference'
  | 'relativeDifference'
  | 'ms'
  | 'times'
  | 'ratio'
  | 'megabytesPerHour'
  | 'joulesPerHour'

/** A value with its interval, or the reason why it is absent. */
export type Measurement =
  | { readonly value: number; readonly interval: Interval | null }
  | { readonly value: null; readonly reason: string }

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

/** A metric for tables, thresholds, `explain` and docs; `src/cli/meanings.yaml` has its source and interpretation. */
export interface Metric {
  /** Id in a threshold: `latency.p95`. */
  readonly id: string
  readonly aliases?: readonly string[]
  readonly name: string
  readonly unit: MetricUnit
  readonly better: 'lower' | 'higher'
  readonly formula: string
  /** Name of its column in `summary.csv`; a change between two sides has none. */
  readonly column?: string
  readonly from: MetricSource
}

/** Returns the common name of the percentiles of one quantity: `latency` for `latency.p95`. */
export function metricFamily(id: string): string {
  return id.replace(/\.p\d+$/, '')
}

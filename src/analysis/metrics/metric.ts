import type { Interval } from '#rates/documents'
import type { ContenderComparison, SpeedMetric } from '../documents/contender-comparison.ts'
import type { ContenderEvaluation } from '../documents/contender-evaluation.ts'
import type { Evaluation, UtteranceEvaluation } from '../documents/evaluation.ts'

/**
 * What a metric is measured in, inside the documents: rates as 0..1 (WER may exceed 1), differences of rates
 * as rate, relative differences as share, latencies in milliseconds, speeds and factors as plain ratios.
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

/** A figure with its interval, or the reason why there is none. */
export type Measurement =
  | { readonly value: number; readonly interval: Interval | null }
  | { readonly value: null; readonly reason: string }

/** Where a metric is read from. */
export type MetricSource =
  | { readonly of: 'contender'; measure(contender: ContenderEvaluation, evaluation: Evaluation): Measurement }
  /** A percentile is a contender's figure too, and is compared with a limit by counting requests. */
  | {
      readonly of: 'percentile'
      readonly probability: number
      measure(contender: ContenderEvaluation): Measurement
      sample(row: UtteranceEvaluation): number | null
    }
  | { readonly of: 'comparison'; readonly rate: ContenderComparison['rates'][number]['metric'] }
  | { readonly of: 'speedComparison'; readonly speed: SpeedMetric }
  | { readonly of: 'failureComparison' }

/** Sources that only a comparison has. */
export type TwoSidedSource = Extract<
  MetricSource,
  { of: 'comparison' | 'speedComparison' | 'failureComparison' }
>

/** Whether a metric is a change between two sides, and no figure of a single run. */
export function isTwoSided(source: MetricSource): source is TwoSidedSource {
  return ['comparison', 'speedComparison', 'failureComparison'].includes(source.of)
}

/** One metric for tables, thresholds, `explain` and the documentation; `src/cli/meanings.yaml` has its source and how to read it. */
export interface Metric {
  /** As typed in a threshold: `latency.p95`. */
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

/** What the percentiles of one figure are called together: `latency` of `latency.p95`. */
export function metricFamily(id: string): string {
  return id.replace(/\.p\d+$/, '')
}

import { z } from 'zod'
import { group, part, text } from '#prelude/document-fields'
import type { Interval } from '#rates/documents'

export const absentSchema = part(
  'Absent',
  'The reason why a figure is absent. An absent figure is never 0.',
  {
    value: z.null().describe('There is no value.'),
    reason: text.describe('Why there is none.'),
  },
)

/** Returns the schema of a figure, or of the reason why it is absent. */
export function orAbsent<Fields extends z.core.$ZodLooseShape>(fields: Fields) {
  return z.union([group(fields), absentSchema])
}

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

/** What tables, thresholds, `explain` and the documentation say of a figure. */
export interface MetricMeaning {
  /** Id in a threshold: `latency.p95`. */
  readonly id: string
  readonly aliases?: readonly string[]
  readonly name: string
  readonly unit: MetricUnit
  readonly better: 'lower' | 'higher'
  readonly formula: string
  /** Publication or reason behind the formula. */
  readonly source: string
  /** Interpretation and limits of the metric. */
  readonly reading: string
}

/**
 * A figure of a contender that is a metric. It is next to the schema of the fields that it reads. `better` is
 * `lower` by default.
 */
export interface FigureMetric<Figures> extends Omit<MetricMeaning, 'better'> {
  readonly better?: MetricMeaning['better']
  /** Name of its column in `summary.csv`. */
  readonly column: string
  measure(figures: Figures): Measurement
}

export function measured(value: number | null, reason: string): Measurement {
  return value === null ? { value, reason } : { value, interval: null }
}

/** Returns the value of a figure that says itself why it is absent. */
export function withoutInterval(
  figure: { readonly value: number } | { readonly value: null; readonly reason: string },
): Measurement {
  return figure.value === null ? figure : { value: figure.value, interval: null }
}

import type { RunRecord } from '#journal/run-record'
import { failed, nearest, type Outcome, ownValue, type Problem, succeeded } from '#prelude'
import type { MetricUnit } from '../documents/figure.ts'
import { analysisErrors } from '../errors.ts'
import type { Metric } from './metric.ts'
import { findMetric, metrics } from './metrics.ts'

type ThresholdOperator = '<=' | '<' | '>=' | '>'

/** Groupings of a threshold's utterances. */
const thresholdGroupings = ['tag', 'speaker', 'language', 'source', 'duration'] as const
export type ThresholdGrouping = (typeof thresholdGroupings)[number]

/** A limit that a run is checked against. */
export interface Threshold {
  /** The user's text, with normalised spaces. */
  readonly text: string
  readonly metric: Metric
  /** Grouping whose groups are each checked against the limit; null for all utterances together. */
  readonly by: ThresholdGrouping | null
  readonly operator: ThresholdOperator
  /** Limit in the metric's own unit: 8% is 0.08, 2s is 2000, 0.5pp is 0.005. */
  readonly limit: number
}

/** Suffixes of numbers for every unit, with their factors. The first one is suggested. */
const suffixes: Readonly<Record<MetricUnit, Readonly<Record<string, number>>>> = {
  rate: { '%': 0.01 },
  rateDifference: { pp: 0.01 },
  relativeDifference: { '%': 0.01 },
  ms: { s: 1000, ms: 1 },
  times: { '': 1, x: 1, '×': 1 },
  ratio: { '': 1 },
  megabytesPerHour: { mb: 1 },
  joulesPerHour: { j: 1, kj: 1000, mj: 1e6 },
}

/**
 * Reads one threshold.
 *
 *   threshold := metric [by grouping] operator number unit
 *   metric    := an id of `metrics`, as in  wer  latency.p95  wer.regression
 *   grouping  := tag  speaker  language  source  duration; of latencies: duration
 *   operator  := <=  <  >=  >
 *   unit      := % for rates and relative regressions, pp for regressions of rates, ms or s for latencies, x or nothing for speed
 *
 * @returns the threshold, or the problem with what to write instead
 */
export function parseThreshold(text: string): Outcome<Threshold, Problem> {
  const written = text.trim().replaceAll(/\s+/g, ' ')
  const problem = (what: string, hint: string): Outcome<Threshold, Problem> =>
    failed({ where: written, what, hint })
  const parts = /^([\p{L}][\p{L}\d.-]*)(?: by (\p{L}+))? ?(<=|>=|<|>|={1,3}|≤|≥) ?(.*)$/u.exec(written)
  const [, name = '', grouping, sign = '', rest = ''] = parts ?? []
  if (parts === null) return problem('is not a threshold', 'write it as "wer <= 8%" or "latency.p95 <= 2s"')
  const metric = findMetric(name)
  if (metric === null) return problem(`"${name}" is not a metric`, unknownMetricHint(name))
  const by = thresholdGroupings.find((possible) => possible === grouping) ?? null
  if (grouping !== undefined && (by === null || !isGrouped(metric, by))) {
    return problem(`"${metric.id} by ${grouping}" is not a grouping`, groupingHint(metric))
  }
  const operator = findOperator(sign)
  if (operator === null) return problem(`"${sign}" is not an operator here`, 'write <=, <, >= or >')
  const number = /^([+-]?(?:\d+(?:\.\d+)?|\.\d+)) ?([^\d.,]*)$/.exec(rest)
  const [, digits = '', unit = ''] = number ?? []
  if (number === null) return problem(`"${rest}" is not a number`, numberHint(rest, metric))
  const [suffix, factors] = [unit.toLowerCase(), suffixes[metric.unit]]
  const factor = ownValue(factors, suffix)
  if (factor === undefined) {
    const what = unit === '' ? 'has no unit' : `"${unit}" is not a unit of ${metric.id}`
    return problem(what, unitHint(metric, operator, digits))
  }
  return succeeded({ text: written, metric, by, operator, limit: scaled(digits, factor) })
}

/**
 * Reads all thresholds.
 *
 * @throws BenchError THRESHOLD_INVALID with every problem
 */
export function parseThresholds(texts: readonly string[]): readonly Threshold[] {
  const thresholds: Threshold[] = []
  const problems: Problem[] = []
  for (const text of texts) {
    const parsed = parseThreshold(text)
    if (parsed.ok) thresholds.push(parsed.value)
    else problems.push(parsed.failure)
  }
  if (problems.length === 0) return thresholds
  throw analysisErrors.make('THRESHOLD_INVALID', {
    message:
      problems.length === 1 ? 'a threshold cannot be read' : `${problems.length} thresholds cannot be read`,
    hint: 'write them as in: wer <= 8%, latency.p95 <= 2s, rtfx >= 10, wer.regression <= 0.5pp',
    problems,
  })
}

/** Returns the thresholds in a run's config; invalid ones were rejected before the run. */
export function askedThresholds(config: RunRecord['config']): readonly Threshold[] {
  const texts =
    typeof config === 'object' && config !== null && 'thresholds' in config ? config['thresholds'] : []
  if (!Array.isArray(texts)) return []
  return texts.flatMap((text: unknown) => {
    const parsed = parseThreshold(String(text))
    return parsed.ok ? [parsed.value] : []
  })
}

/** Error rates can be grouped by fields of the corpus, latencies by length. */
function isGrouped({ id }: Metric, by: ThresholdGrouping): boolean {
  return id === 'wer' || id === 'cer' || (/^latency\.p\d+$/.test(id) && by === 'duration')
}

function groupingHint(metric: Metric): string {
  const possible = thresholdGroupings.filter((by) => isGrouped(metric, by))
  return possible.length === 0
    ? `hold all together to the limit: write "${metric.id}" alone`
    : `write ${possible.map((by) => `"${metric.id} by ${by}"`).join(' or ')}`
}

function findOperator(sign: string): ThresholdOperator | null {
  const equivalents: Readonly<Record<string, ThresholdOperator>> = { '≤': '<=', '≥': '>=' }
  const operators: readonly string[] = ['<=', '<', '>=', '>']
  return equivalents[sign] ?? (operators.includes(sign) ? (sign as ThresholdOperator) : null)
}

/**
 * Returns a hint for an unknown metric name.
 *
 * @param allowed allowed metrics; default: all
 */
export function unknownMetricHint(name: string, allowed: readonly Metric[] = metrics): string {
  const names = allowed.flatMap(({ id, aliases = [] }) => [id, ...aliases])
  // `p95` alone usually means that of latency, the first metric that has one.
  const whole = names.find((one) => one.endsWith(`.${name.toLowerCase()}`))
  if (whole !== undefined) return `did you mean "${whole}"?`
  const near = nearest(name, names)
  return near !== null ? `did you mean "${near}"?` : `write one of: ${allowed.map(({ id }) => id).join(', ')}`
}

function numberHint(rest: string, metric: Metric): string {
  const [suggested = ''] = Object.keys(suffixes[metric.unit])
  return /^\d+,\d+/.test(rest)
    ? `write the decimals after a point: "${rest.replace(',', '.')}"`
    : `write a limit such as "${suggested === '' ? '10' : `2${suggested}`}"`
}

function unitHint(metric: Metric, operator: ThresholdOperator, digits: string): string {
  const write = (number: string, unit: string): string => `"${metric.id} ${operator} ${number}${unit}"`
  if (metric.unit === 'ms') {
    return `write ${write(digits, 's')} or ${write(String(scaled(digits, 1000)), 'ms')}`
  }
  return Object.keys(suffixes[metric.unit])
    .slice(0, 2)
    .map((unit) => write(digits, unit))
    .join(' or ')
    .replace(/^/, 'write ')
}

/** Rounds the product to the typed digits, so that 0.7 % is 0.007, not 0.006999999999999999. */
function scaled(digits: string, factor: number): number {
  return Number((Number(digits) * factor).toPrecision(12))
}

import { assertNever } from '#prelude'
import type { Interval } from '#rates/documents'
import { quantileNearestRank, sortSamples } from '#statistics/quantiles'
import { isIncomparable } from '../comparison/run-speeds.ts'
import type { Comparison, ThresholdResult } from '../documents/comparison.ts'
import type { ContenderComparison, SpeedMetric } from '../documents/contender-comparison.ts'
import type { ContenderEvaluation } from '../documents/contender-evaluation.ts'
import type { Evaluation, UtteranceEvaluation } from '../documents/evaluation.ts'
import { byDuration, percentileSet } from '../figures/latency/latency-figures.ts'
import { canDecide } from '../figures/ranking/paired-rates.ts'
import { hostBusyText } from '../findings/run/host.ts'
import type { Measurement, MetricSource } from '../metrics/metric.ts'
import { isTimed } from '../metrics/metrics.ts'
import type { Threshold, ThresholdGrouping } from './threshold.ts'

/** What thresholds are checked against; regressions need the comparison. */
export interface ThresholdSubject {
  readonly evaluation: Evaluation
  readonly comparison?: Comparison | undefined
}

/**
 * Holds every contender to every threshold.
 *
 * - A point estimate is compared as it is. A percentile is compared with its limit by counting: the request of
 *   that rank must lie within, and a failed request lies beyond any limit.
 * - A regression fails only when its whole interval lies beyond the limit and enough utterances differ.
 * - A threshold without samples is invalid, which is as good as failed.
 * - A time that misses its limit on a busy machine has failed as it was measured; the reason says that the machine was busy.
 *
 * @returns one result per threshold and contender, in that order. Never throws
 */
export function checkThresholds(
  thresholds: readonly Threshold[],
  subject: ThresholdSubject,
): readonly ThresholdResult[] {
  return thresholds.flatMap((threshold) => {
    const { from } = threshold.metric
    if (from.of === 'comparison') return checkRegression(threshold, from.rate, subject)
    if (from.of === 'failureComparison') return checkFailureRegression(threshold, subject)
    if (from.of === 'speedComparison') return checkSpeedRegression(threshold, from.speed, subject)
    const { evaluation } = subject
    const busy = isTimed(threshold.metric.id) ? hostBusyText(evaluation) : null
    return evaluation.contenders
      .flatMap((contender) => checkAbsolute(threshold, from, contender, evaluation))
      .map((result) =>
        busy === null || result.outcome !== 'failed' || result.reason !== null
          ? result
          : { ...result, reason: `${busy}: measure again on a quiet machine` },
      )
  })
}

function checkAbsolute(
  threshold: Threshold,
  from: Extract<MetricSource, { of: 'contender' | 'percentile' }>,
  contender: ContenderEvaluation,
  evaluation: Evaluation,
): readonly ThresholdResult[] {
  const { by } = threshold
  if (from.of === 'percentile') {
    const { id } = contender.contender
    const rows = evaluation.utterances.filter(({ contenderId }) => contenderId === id)
    return by === null || rows.length === 0
      ? [checkPercentile(threshold, from, contender, rows)]
      : checkDurations(threshold, from, contender, rows)
  }
  if (by !== null) return checkGroups(threshold, by, contender, evaluation)
  return [checkFigure(threshold, from.measure(contender, evaluation), contender)]
}

function checkFigure(
  threshold: Threshold,
  measurement: Measurement,
  contender: ContenderEvaluation,
): ThresholdResult {
  if (measurement.value === null) return invalid(threshold, contender.contender.id, measurement.reason)
  return {
    ...outline(threshold, contender.contender.id),
    measured: measurement.value,
    interval: measurement.interval,
    outcome: keeps(measurement.value, threshold) ? 'passed' : 'failed',
  }
}

function checkPercentile(
  threshold: Threshold,
  from: Extract<MetricSource, { of: 'percentile' }>,
  contender: ContenderEvaluation,
  rows: readonly UtteranceEvaluation[],
): ThresholdResult {
  const { id } = contender.contender
  const measurement = from.measure(contender)
  if (measurement.value === null) return invalid(threshold, id, measurement.reason)
  const { samples: unsorted, failures } = steadySamples(from, rows)
  const samples = sortSamples(unsorted)
  const count = samples.length + failures
  const beyond = from.probability * count > samples.length
  if (beyond) {
    return {
      ...outline(threshold, id),
      outcome: keeps(Number.POSITIVE_INFINITY, threshold) ? 'passed' : 'failed',
      reason: `${failures} of ${count} requests failed, and a failed request lies beyond any limit`,
    }
  }
  // The failures come after every sample, so the rank among all is a rank among the samples.
  const measured = quantileNearestRank(samples, Math.min(1, (from.probability * count) / samples.length))
  if (measured === null) return invalid(threshold, id, 'nothing was measured')
  return {
    ...outline(threshold, id),
    measured,
    interval: measurement.interval,
    outcome: keeps(measured, threshold) ? 'passed' : 'failed',
  }
}

/** Recordings of about the same length together, those that all failed as well. */
function checkDurations(
  threshold: Threshold,
  from: Extract<MetricSource, { of: 'percentile' }>,
  contender: ContenderEvaluation,
  rows: readonly UtteranceEvaluation[],
): readonly ThresholdResult[] {
  const measured = new Map(contender.latencyByDuration.map(({ bucket, latencyMs }) => [bucket, latencyMs]))
  return byDuration(rows).map(({ bucket, samples }) => {
    const latencyMs = measured.get(bucket) ?? percentileSet([])
    return { ...checkPercentile(threshold, from, { ...contender, latencyMs }, samples), group: bucket }
  })
}

/** What an upper limit on a percentile or on failures comes to in requests. */
export interface MissTally {
  readonly misses: number
  readonly requests: number
  /** The share that may miss, above 0. */
  readonly allowed: number
}

/**
 * A threshold as an objective for single requests: the count that missed it, and the count of all.
 *
 * @param rows of the contender
 * @returns null for thresholds that are none, and where there is no figure
 */
export function missTally(
  { metric, operator, limit }: Threshold,
  contender: ContenderEvaluation,
  rows: readonly UtteranceEvaluation[],
): MissTally | null {
  const { from, id } = metric
  if (operator !== '<=' && operator !== '<') return null
  const { answered, failed } = contender.counts
  if (id === 'failures')
    return limit > 0 && limit < 1 ? { misses: failed, requests: answered + failed, allowed: limit } : null
  if (from.of !== 'percentile' || from.measure(contender).value === null) return null
  const { samples, failures } = steadySamples(from, rows)
  const over = samples.filter((value) => !(operator === '<' ? value < limit : value <= limit)).length
  // 1 - 0.95 is 0.050000000000000044: rounded to what was meant.
  const allowed = Number((1 - from.probability).toPrecision(12))
  return { misses: over + failures, requests: samples.length + failures, allowed }
}

/** A failed request counts whenever it was sent: it is in no window, and it must not be ignored. */
function steadySamples(
  { sample }: Extract<MetricSource, { of: 'percentile' }>,
  rows: readonly UtteranceEvaluation[],
): { readonly samples: readonly number[]; readonly failures: number } {
  const steady = rows.filter(({ window }) => window === 'steady')
  return {
    samples: steady.map(sample).filter((value) => value !== null),
    failures: rows.filter(({ status }) => status === 'failed').length,
  }
}

function checkRegression(
  threshold: Threshold,
  rate: 'wer' | 'cer',
  { comparison, evaluation }: ThresholdSubject,
): readonly ThresholdResult[] {
  if (comparison === undefined) return withoutBase(threshold, evaluation)
  return comparison.contenders.map((contender) => regressionResult(threshold, rate, contender))
}

function regressionResult(
  threshold: Threshold,
  metric: 'wer' | 'cer',
  { rates, runContenderId, pairedUtteranceCount }: ContenderComparison,
): ThresholdResult {
  const rate = rates.find((candidate) => candidate.metric === metric)
  if (rate === undefined || rate.difference === null) {
    return invalid(threshold, runContenderId, 'nothing was scored on both sides')
  }
  const { difference, interval } = rate
  const position = interval === null ? null : locateInterval(interval, threshold)
  const outlined = { ...outline(threshold, runContenderId), measured: difference, interval }
  // One utterance has no interval; where it is the same on both sides, nothing is left open of this corpus.
  const isSame = interval === null && rate.differingCount === 0 && keeps(difference, threshold)
  if ((position === 'within' || isSame) && rate.isOfCorpusAlone) {
    const found = pairedUtteranceCount === 1 ? 'one utterance says' : `${pairedUtteranceCount} utterances say`
    const reason = `unresolved: ${found} too little of other speech; it takes 20, and of several speakers five`
    return { ...outlined, outcome: 'passed', isResolved: false, reason }
  }
  if (position === 'within' || isSame) return { ...outlined, outcome: 'passed' }
  if (position === 'beyond' && canDecide(rate)) return { ...outlined, outcome: 'failed' }
  const why =
    interval === null
      ? 'too few utterances for an interval'
      : position === 'beyond'
        ? `only ${rate.differingCount} differ, too few to exclude chance`
        : 'the limit lies within the interval'
  return { ...outlined, outcome: 'passed', isResolved: false, reason: `unresolved: ${why}` }
}

function checkFailureRegression(
  threshold: Threshold,
  { comparison, evaluation }: ThresholdSubject,
): readonly ThresholdResult[] {
  if (comparison === undefined) return withoutBase(threshold, evaluation)
  return comparison.contenders.map(({ failures, runContenderId }) => {
    const { difference, interval, onlyBase, onlyRun } = failures
    if (difference === null || interval === null) {
      return invalid(threshold, runContenderId, 'no request was sent on both sides')
    }
    const outlined = { ...outline(threshold, runContenderId), measured: difference, interval }
    const position = locateInterval(interval, threshold)
    if (position !== 'across') return { ...outlined, outcome: position === 'within' ? 'passed' : 'failed' }
    const differing = onlyBase + onlyRun
    const reason = `unresolved: the limit lies within the interval (${differing} requests failed on one side alone)`
    return { ...outlined, outcome: 'passed', isResolved: false, reason }
  })
}

/** Every group of the corpus; no group is treated like no samples. */
function checkGroups(
  threshold: Threshold,
  by: ThresholdGrouping,
  contender: ContenderEvaluation,
  evaluation: Evaluation,
): readonly ThresholdResult[] {
  const { id } = contender.contender
  const groups = rateGroups(threshold, by, id, evaluation)
  if (groups.length === 0) return [invalid(threshold, id, `the corpus has no groups by ${by}`)]
  const heldTo = groups.map(({ name, measured, interval }): ThresholdResult => {
    const group = name ?? 'none'
    if (measured === null) return { ...invalid(threshold, id, 'nothing was scored'), group }
    const outcome = keeps(measured, threshold) ? 'passed' : 'failed'
    return { ...outline(threshold, id), group, measured, interval, outcome }
  })
  const unheld = unlistedGroups(by, id, evaluation)
  if (unheld === 0) return heldTo
  const reason = `unresolved: ${unheld} smaller groups are not checked`
  return [...heldTo, { ...outline(threshold, id), outcome: 'passed', isResolved: false, reason }]
}

/** Groups beyond the largest ones, which alone an evaluation holds. */
function unlistedGroups(by: ThresholdGrouping, id: string, { errorAnalyses }: Evaluation): number {
  const breakdown = errorAnalyses
    .find(({ contenderId }) => contenderId === id)
    ?.breakdowns.find((one) => one.by === by)
  return breakdown === undefined ? 0 : breakdown.groupCount - breakdown.groups.length
}

interface GroupFigure {
  readonly name: string | null
  readonly measured: number | null
  readonly interval: Interval | null
}

function rateGroups(
  { metric }: Threshold,
  by: ThresholdGrouping,
  id: string,
  { errorAnalyses }: Evaluation,
): readonly GroupFigure[] {
  const analysis = errorAnalyses.find(({ contenderId }) => contenderId === id)
  const groups = analysis?.breakdowns.find((breakdown) => breakdown.by === by)?.groups ?? []
  return groups.map(({ name, words, characterErrorRate }) => ({
    name,
    measured: metric.id === 'wer' ? words.rate : characterErrorRate,
    interval: metric.id === 'wer' ? words.interval : null,
  }))
}

function checkSpeedRegression(
  threshold: Threshold,
  metric: SpeedMetric,
  { comparison, evaluation }: ThresholdSubject,
): readonly ThresholdResult[] {
  if (comparison === undefined) return withoutBase(threshold, evaluation)
  return comparison.contenders.map(({ speed, runContenderId }) => {
    const row = speed.find((candidate) => candidate.metric === metric)
    if (row === undefined || row.relativeChange === null) {
      return invalid(threshold, runContenderId, row?.reason ?? row?.note ?? nothingOnBoth)
    }
    // The loss of a speed is its fall; that of a latency its rise.
    const sign = metric === 'rtfx' ? -1 : 1
    const measured = sign * row.relativeChange
    const outlined = { ...outline(threshold, runContenderId), measured }
    if (row.interval === null) {
      const reason = isIncomparable(row.note) ? row.note : needsRuns
      return { ...outlined, outcome: 'passed', isResolved: false, reason }
    }
    const bounds = [sign * row.interval.low, sign * row.interval.high].sort((a, b) => a - b)
    const interval: Interval = {
      low: bounds[0] ?? measured,
      high: bounds[1] ?? measured,
      confidence: 0.95,
      method: 'runs',
    }
    const position = locateInterval(interval, threshold)
    if (position === 'across') {
      const reason = 'unresolved: the limit lies within the interval'
      return { ...outlined, interval, outcome: 'passed', isResolved: false, reason }
    }
    return { ...outlined, interval, outcome: position === 'within' ? 'passed' : 'failed' }
  })
}

const nothingOnBoth = 'nothing was measured on both sides'

const needsRuns =
  'unresolved: needs several runs a side (transcribench experiment) or transcribench calibrate'

function withoutBase(threshold: Threshold, evaluation: Evaluation): readonly ThresholdResult[] {
  const reason = 'needs a base run to compare with: transcribench compare <base> <run>'
  return evaluation.contenders.map(({ contender }) => invalid(threshold, contender.id, reason))
}

function locateInterval(interval: Interval, threshold: Threshold): 'within' | 'beyond' | 'across' {
  const [low, high] = [keeps(interval.low, threshold), keeps(interval.high, threshold)]
  if (low && high) return 'within'
  return low || high ? 'across' : 'beyond'
}

function keeps(value: number, { operator, limit }: Threshold): boolean {
  switch (operator) {
    case '<=':
      return value <= limit
    case '<':
      return value < limit
    case '>=':
      return value >= limit
    case '>':
      return value > limit
    default:
      return assertNever(operator)
  }
}

function outline({ text, metric, limit }: Threshold, contenderId: string): Omit<ThresholdResult, 'outcome'> {
  return {
    threshold: text,
    metric: metric.id,
    contenderId,
    group: null,
    measured: null,
    interval: null,
    limit,
    isResolved: true,
    reason: null,
  }
}

function invalid(threshold: Threshold, contenderId: string, reason: string): ThresholdResult {
  return { ...outline(threshold, contenderId), outcome: 'invalid', isResolved: false, reason }
}

import { assertNever } from '#prelude'
import type { Interval } from '#rates/documents'
import { quantileInterval, quantileNearestRank, sortSamples } from '#statistics/quantiles'
import { isIncomparable } from '../comparison/run-speeds.ts'
import type { Comparison, ThresholdResult } from '../documents/comparison.ts'
import type { ContenderComparison } from '../documents/contender-comparison.ts'
import type { ContenderEvaluation } from '../documents/contender-evaluation.ts'
import type { Evaluation, UtteranceEvaluation } from '../documents/evaluation.ts'
import { byDuration, percentileSet } from '../figures/latency/latency-figures.ts'
import { canDecide } from '../figures/ranking/paired-rates.ts'
import { hostBusyText } from '../findings/run/host.ts'
import { isTwoSided, type MetricSource, type TwoSidedSource } from '../metrics/metric.ts'
import { isTimed } from '../metrics/metrics.ts'
import type { Threshold, ThresholdGrouping } from '../metrics/threshold.ts'

/** Input of threshold checks; regressions need the comparison. */
export interface ThresholdSubject {
  readonly evaluation: Evaluation
  readonly comparison?: Comparison | undefined
}

/**
 * Checks every contender against every threshold.
 *
 * - A point estimate is compared directly. A percentile is compared by counting: the request of that rank must be
 *   within the limit, and a failed request exceeds any limit.
 * - A regression fails only if its whole interval exceeds the limit and enough utterances differ.
 * - A threshold without samples is invalid, which counts as failed.
 * - A time that exceeds its limit on a busy machine fails; the reason says that the machine was busy.
 *
 * @returns one result per threshold and contender, in that order. Never throws
 */
export function checkThresholds(
  thresholds: readonly Threshold[],
  { evaluation, comparison }: ThresholdSubject,
): readonly ThresholdResult[] {
  return thresholds.flatMap((threshold) => {
    const { id, from } = threshold.metric
    if (isTwoSided(from)) {
      return comparison === undefined
        ? evaluation.contenders.map(({ contender }) => invalid(threshold, contender.id, needsBase))
        : comparison.contenders.map((contender) =>
            checkChange(threshold, readChange(from, contender), contender),
          )
    }
    const busy = isTimed(id) ? hostBusyText(evaluation) : null
    return evaluation.contenders
      .flatMap((contender) => checkFigure(threshold, from, contender, evaluation))
      .map((result) =>
        busy === null || result.outcome !== 'failed' || result.reason !== null
          ? result
          : { ...result, reason: `${busy}: measure again on a quiet machine` },
      )
  })
}

const needsBase = 'needs a base run to compare with: transcribench compare <base> <run>'

type FigureSource = Exclude<MetricSource, TwoSidedSource>
type PercentileSource = Extract<MetricSource, { of: 'percentile' }>

function checkFigure(
  threshold: Threshold,
  from: FigureSource,
  contender: ContenderEvaluation,
  evaluation: Evaluation,
): readonly ThresholdResult[] {
  const { by } = threshold
  const { id } = contender.contender
  if (from.of === 'percentile') {
    const rows = evaluation.utterances.filter(({ contenderId }) => contenderId === id)
    return by === null || rows.length === 0
      ? [checkPercentile(threshold, from, contender, rows)]
      : checkDurations(threshold, from, contender, rows)
  }
  if (by !== null) return checkGroups(threshold, by, id, evaluation)
  const measurement = from.measure(contender, evaluation)
  return measurement.value === null
    ? [invalid(threshold, id, measurement.reason)]
    : [measured(threshold, id, measurement.value, measurement.interval)]
}

function checkPercentile(
  threshold: Threshold,
  from: PercentileSource,
  contender: ContenderEvaluation,
  rows: readonly UtteranceEvaluation[],
): ThresholdResult {
  const { id } = contender.contender
  const measurement = from.measure(contender)
  if (measurement.value === null) return invalid(threshold, id, measurement.reason)
  const { samples, failures } = steadySamples(from, rows)
  // The interval includes failures as well, because the value may lie outside that of the answered requests.
  const all = sortSamples([...samples, ...new Array<number>(failures).fill(beyondAnyLimit)])
  const value = quantileNearestRank(all, from.probability)
  if (value === null) return invalid(threshold, id, 'nothing was measured')
  if (value === beyondAnyLimit) {
    return {
      ...outline(threshold, id),
      outcome: keeps(value, threshold) ? 'passed' : 'failed',
      reason: `${failures} of ${all.length} requests failed, and a failed request lies beyond any limit`,
    }
  }
  const bounds = quantileInterval(all, from.probability)
  if (!bounds.resolved || bounds.high === beyondAnyLimit) return measured(threshold, id, value, null)
  const { low, high, confidence } = bounds
  return measured(threshold, id, value, { low, high, confidence, method: 'order-statistics' })
}

/** Time of a failed request, which sorts after every answered one. */
const beyondAnyLimit = Number.MAX_VALUE

/** Checks groups of similar audio length, including those in which every request failed. */
function checkDurations(
  threshold: Threshold,
  from: PercentileSource,
  contender: ContenderEvaluation,
  rows: readonly UtteranceEvaluation[],
): readonly ThresholdResult[] {
  const latencyByBucket = new Map(
    contender.latencyByDuration.map(({ bucket, latencyMs }) => [bucket, latencyMs]),
  )
  return byDuration(rows).map(({ bucket, samples }) => {
    const latencyMs = latencyByBucket.get(bucket) ?? percentileSet([])
    return { ...checkPercentile(threshold, from, { ...contender, latencyMs }, samples), group: bucket }
  })
}

/** Checks every group of the corpus. Without groups it is invalid, as without samples. */
function checkGroups(
  threshold: Threshold,
  by: ThresholdGrouping,
  id: string,
  { errorAnalyses }: Evaluation,
): readonly ThresholdResult[] {
  const analysis = errorAnalyses.find(({ contenderId }) => contenderId === id)
  const breakdown = analysis?.breakdowns.find((one) => one.by === by)
  if (breakdown === undefined || breakdown.groups.length === 0) {
    return [invalid(threshold, id, `the corpus has no groups by ${by}`)]
  }
  const { groupCount, groups } = breakdown
  const checked = groups.map(({ name, words, characterErrorRate }): ThresholdResult => {
    const group = name ?? 'none'
    const isWords = threshold.metric.id === 'wer'
    const rate = isWords ? words.rate : characterErrorRate
    if (rate === null) return { ...invalid(threshold, id, 'nothing was scored'), group }
    return { ...measured(threshold, id, rate, isWords ? words.interval : null), group }
  })
  // An evaluation has only the largest groups.
  const unlisted = groupCount - groups.length
  return unlisted === 0
    ? checked
    : [
        ...checked,
        unresolved(outline(threshold, id), `unresolved: ${unlisted} smaller groups are not checked`),
      ]
}

/** Number of requests that miss an upper limit on a percentile or on failures. */
export interface MissTally {
  readonly misses: number
  readonly requests: number
  /** Share of requests that may miss it, above 0. */
  readonly allowed: number
}

/**
 * Converts a threshold to an objective per request: the number of requests that missed it, and of all.
 *
 * @param rows rows of the contender
 * @returns null for thresholds of another kind, and where there is no figure
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
  const over = samples.filter((value) => !keeps(value, { operator, limit })).length
  // Rounding makes 1 - 0.95 equal to 0.05, not 0.050000000000000044.
  const allowed = Number((1 - from.probability).toPrecision(12))
  return { misses: over + failures, requests: samples.length + failures, allowed }
}

/** A failed request counts whenever it was sent; answers count in the steady window alone. */
export function steadySamples(
  { sample }: PercentileSource,
  rows: readonly UtteranceEvaluation[],
): { readonly samples: readonly number[]; readonly failures: number } {
  const steady = rows.filter(({ window }) => window === 'steady')
  return {
    samples: steady.map(sample).filter((value) => value !== null),
    failures: rows.filter(({ status }) => status === 'failed').length,
  }
}

/** Position of an interval relative to a limit; null without an interval. */
type Position = 'within' | 'beyond' | 'across' | null

/** A change between two sides, in the direction of its limit. */
interface Change {
  readonly value: number | null
  readonly interval: Interval | null
  /** Why there is no value. */
  readonly absence: string
  /** Returns why the limit is neither certainly met nor certainly violated; null where it is. */
  doubt(position: Position, isKept: boolean): string | null
}

function readChange(from: TwoSidedSource, contender: ContenderComparison): Change {
  switch (from.of) {
    case 'comparison':
      return rateChange(from.rate, contender)
    case 'failureComparison':
      return failureChange(contender)
    case 'speedComparison':
      return speedChange(from.speed, contender)
    default:
      return assertNever(from)
  }
}

function checkChange(
  threshold: Threshold,
  { value, interval, absence, doubt }: Change,
  { runContenderId }: ContenderComparison,
): ThresholdResult {
  if (value === null) return invalid(threshold, runContenderId, absence)
  const position = interval === null ? null : locateInterval(interval, threshold)
  const outlined = { ...outline(threshold, runContenderId), measured: value, interval }
  const reason = doubt(position, keeps(value, threshold))
  if (reason !== null) return unresolved(outlined, reason)
  return { ...outlined, outcome: position === 'beyond' ? 'failed' : 'passed' }
}

function rateChange(metric: 'wer' | 'cer', { rates, pairedUtteranceCount }: ContenderComparison): Change {
  const rate = rates.find((candidate) => candidate.metric === metric)
  return {
    value: rate?.difference ?? null,
    interval: rate?.interval ?? null,
    absence: 'nothing was scored on both sides',
    doubt(position, isKept) {
      const { differingCount = 0, isOfCorpusAlone = false } = rate ?? {}
      // One utterance has no interval. If it is the same on both sides, the result is certain for this corpus.
      if (position === 'within' || (position === null && differingCount === 0 && isKept)) {
        const found =
          pairedUtteranceCount === 1 ? 'one utterance says' : `${pairedUtteranceCount} utterances say`
        return isOfCorpusAlone
          ? `unresolved: ${found} too little of other speech; it takes 20, and of several speakers five`
          : null
      }
      if (position === null) return 'unresolved: too few utterances for an interval'
      if (position === 'across') return limitWithin
      return canDecide({ differingCount })
        ? null
        : `unresolved: only ${differingCount} differ, too few to exclude chance`
    },
  }
}

function failureChange({
  failures: { difference, interval, onlyBase, onlyRun },
}: ContenderComparison): Change {
  return {
    value: interval === null ? null : difference,
    interval,
    absence: 'no request was sent on both sides',
    doubt: (position) =>
      position === 'across'
        ? `${limitWithin} (${onlyBase + onlyRun} requests failed on one side alone)`
        : null,
  }
}

/** A loss of throughput is a decrease, a loss of latency is an increase. */
function speedChange(
  metric: Extract<TwoSidedSource, { of: 'speedComparison' }>['speed'],
  { speed }: ContenderComparison,
): Change {
  const row = speed.find((candidate) => candidate.metric === metric)
  const { relativeChange = null, interval = null, note = null, reason = null } = row ?? {}
  const sign = metric === 'rtfx' ? -1 : 1
  const [low = 0, high = 0] =
    interval === null ? [] : [sign * interval.low, sign * interval.high].sort((a, b) => a - b)
  return {
    value: relativeChange === null ? null : sign * relativeChange,
    interval: interval === null ? null : { low, high, confidence: 0.95, method: 'runs' },
    absence: reason ?? note ?? 'nothing was measured on both sides',
    doubt(position) {
      if (position === null) return isIncomparable(note) ? note : needsRuns
      return position === 'across' ? limitWithin : null
    },
  }
}

const limitWithin = 'unresolved: the limit lies within the interval'
const needsRuns =
  'unresolved: needs several runs a side (transcribench experiment) or transcribench calibrate'

function locateInterval(interval: Interval, threshold: Threshold): Position {
  const [low, high] = [keeps(interval.low, threshold), keeps(interval.high, threshold)]
  if (low && high) return 'within'
  return low || high ? 'across' : 'beyond'
}

function keeps(value: number, { operator, limit }: Pick<Threshold, 'operator' | 'limit'>): boolean {
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

function measured(
  threshold: Threshold,
  contenderId: string,
  value: number,
  interval: Interval | null,
): ThresholdResult {
  const outcome = keeps(value, threshold) ? 'passed' : 'failed'
  return { ...outline(threshold, contenderId), measured: value, interval, outcome }
}

function unresolved(outlined: Omit<ThresholdResult, 'outcome'>, reason: string): ThresholdResult {
  return { ...outlined, outcome: 'passed', isResolved: false, reason }
}

function invalid(threshold: Threshold, contenderId: string, reason: string): ThresholdResult {
  return { ...outline(threshold, contenderId), outcome: 'invalid', isResolved: false, reason }
}

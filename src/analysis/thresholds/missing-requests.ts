import type { RunRecord } from '#journal/run-record'
import { clopperPearsonInterval, trialsToShow } from '#statistics/intervals'
import { smallestSampleForQuantile } from '#statistics/quantiles'
import type { ContenderEvaluation } from '../documents/contender-evaluation.ts'
import type { MissingRequests, UtteranceEvaluation } from '../documents/evaluation.ts'
import type { Metric } from '../metrics/metric.ts'
import { findMetric } from '../metrics/metrics.ts'
import { askedThresholds, type Threshold } from '../metrics/threshold.ts'
import { missTally, steadySamples } from './check-thresholds.ts'

/** Metrics of a summary; the default if no threshold names a metric. */
const usual = ['latency.p50', 'latency.p95', 'rtfx']

/** Confidence of the tests of an objective, each one-sided. */
const confidence = 0.95

/**
 * Lists figures for which a run is too short: the percentiles, speeds and objectives of its thresholds, or else those
 * of a summary. A limit on a percentile or on failures is an objective. It is undecided while the exact interval of
 * the share that misses it contains the allowed share.
 *
 * @param rowsOf returns the rows of one contender
 * @returns each figure with the number of missing answers; empty for a run that is long enough
 * @see MLPerf inference rules, "early stopping"; Clopper and Pearson 1934, doi:10.1093/biomet/26.4.404
 */
export function missingRequests(
  record: Pick<RunRecord, 'config'>,
  contenders: readonly ContenderEvaluation[],
  rowsOf: (contenderId: string) => readonly UtteranceEvaluation[],
): readonly MissingRequests[] {
  const thresholds = askedThresholds(record.config).filter(isCounted)
  const metrics = thresholds.length === 0 ? usual.map(findMetric) : thresholds.map(({ metric }) => metric)
  return (
    contenders
      // Further requests of a contender with reused answers would be reused as well.
      .filter(({ counts, reused }) => counts.answered > 0 && reused === undefined)
      .flatMap((contender): MissingRequests[] => {
        const contenderId = contender.contender.id
        const lacking = [
          ...metrics.map((metric) => ({
            metric: metric?.id ?? '',
            moreRequests: metric === null ? 0 : moreForFigure(metric, contender, () => rowsOf(contenderId)),
          })),
          ...thresholds.map((threshold) => ({
            metric: threshold.text,
            moreRequests: moreForThreshold(threshold, contender, rowsOf(contenderId)),
          })),
        ]
        return lacking.filter(({ moreRequests }) => moreRequests > 0).map((one) => ({ contenderId, ...one }))
      })
  )
}

/** Returns 0 where the figure exists, and where more requests would not give it. */
function moreForFigure(
  { id, from }: Metric,
  contender: ContenderEvaluation,
  rows: () => readonly UtteranceEvaluation[],
): number {
  if (id === 'rtfx')
    return contender.systemSpeed.value === null ? (contender.systemSpeed.moreAnswers ?? 0) : 0
  if (from.of !== 'percentile') return 0
  if (from.measure(contender).value !== null) return 0
  const { length: count } = steadySamples(from, rows()).samples
  // Where no request with a latency has this time, as of a server that reports none, a further one has none either.
  if (count === 0 && contender.latencyMs.sampleCount > 0) return 0
  return smallestSampleForQuantile(from.probability) - count
}

/** Returns 0 where the objective is certainly met or violated, and where no figure can decide it. */
function moreForThreshold(
  threshold: Threshold,
  contender: ContenderEvaluation,
  rows: readonly UtteranceEvaluation[],
): number {
  const tally = missTally(threshold, contender, rows)
  if (tally === null) return 0
  const { misses, requests, allowed } = tally
  const interval = clopperPearsonInterval(misses, requests, 2 * confidence - 1)
  if (interval === null || interval.high <= allowed || interval.low > allowed) return 0
  return trialsToShow(misses, allowed, confidence) - requests
}

/** Whether a threshold depends on the number of requests. */
function isCounted({ metric, by }: Threshold): boolean {
  return by === null && (metric.from.of === 'percentile' || metric.id === 'rtfx' || metric.id === 'failures')
}

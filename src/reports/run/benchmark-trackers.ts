import {
  type Evaluation,
  findMetric,
  followedMetric,
  followedMetrics,
  isTwoSided,
  type Measurement,
  type Metric,
  type MetricUnit,
} from '#analysis'
import { renderJson } from './summary-document.ts'

interface TrackedFigure {
  readonly contenderId: string
  readonly metric: Metric
  readonly measured: Extract<Measurement, { readonly interval: unknown }>
}

/** The figures that a history follows, of every contender that has them. */
function trackedFigures(evaluation: Evaluation): readonly TrackedFigure[] {
  return evaluation.contenders.flatMap((contender) =>
    followedMetrics.flatMap((id) => {
      const metric = findMetric(followedMetric(id, evaluation.profile.leads))
      if (metric === null || isTwoSided(metric.from)) return []
      const measured =
        metric.from.of === 'run' ? metric.from.measure(evaluation) : metric.from.measure(contender)
      return measured.value === null ? [] : [{ contenderId: contender.contender.id, metric, measured }]
    }),
  )
}

/**
 * Bencher Metric Format: a benchmark for each contender, a measure for each figure. A figure that the run does not have is
 * absent.
 *
 * @see https://bencher.dev/docs/reference/bencher-metric-format
 */
export function bencherJson(evaluation: Evaluation): string {
  const byContender = Map.groupBy(trackedFigures(evaluation), ({ contenderId }) => contenderId)
  return renderJson(
    Object.fromEntries(
      [...byContender].map(([contenderId, figures]) => [
        contenderId,
        Object.fromEntries(figures.map((figure) => [figure.metric.id, bencherMetric(figure)])),
      ]),
    ),
  )
}

function bencherMetric({ measured: { value, interval } }: TrackedFigure): object {
  return interval === null ? { value } : { value, lower_value: interval.low, upper_value: interval.high }
}

/**
 * What github-action-benchmark reads with `tool: customSmallerIsBetter`: the figures of which less is better.
 *
 * @see https://github.com/benchmark-action/github-action-benchmark#examples
 */
export function githubBenchmarkJson(evaluation: Evaluation): string {
  const { run, corpus, load, profile } = evaluation
  const extra = `run ${run.id}, ${corpus.name}, ${load.description}, ${profile.id}`
  return renderJson(
    trackedFigures(evaluation)
      .filter(({ metric }) => metric.better === 'lower')
      .map(({ contenderId, metric, measured: { value, interval } }) => ({
        name: `${contenderId} ${metric.id}`,
        unit: unitNames[metric.unit],
        value,
        ...(interval === null ? {} : { range: `95 % interval ${interval.low} to ${interval.high}` }),
        extra,
      })),
  )
}

const unitNames: Readonly<Record<MetricUnit, string>> = {
  rate: 'ratio',
  rateDifference: 'ratio',
  relativeDifference: 'ratio',
  ms: 'ms',
  times: 'times',
  ratio: 'ratio',
  megabytesPerHour: 'MB/h',
  joulesPerHour: 'J/h',
}

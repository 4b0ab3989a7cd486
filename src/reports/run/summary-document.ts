import { followedMetric, followedMetrics } from '#analysis/comparison/trends'
import type { ThresholdResult } from '#analysis/documents/comparison'
import type { ContenderEvaluation } from '#analysis/documents/contender-evaluation'
import { type Evaluation, scoreName } from '#analysis/documents/evaluation'
import type { Measurement, MetricUnit } from '#analysis/documents/figure'
import { isTwoSided, type Metric } from '#analysis/metrics/metric'
import { findMetric, metrics } from '#analysis/metrics/metrics'
import { csvPieces, renderCsv } from '../layout/table-files.ts'
import { contenderColumns } from './contender-columns.ts'
import { contenderRows } from './contender-tables.ts'
import { type ResultTable, utteranceColumns } from './result-tables.ts'

const summaryFormatVersion = 2

/** One contender in `summary.json`: every metric by its id, with its unit, or with the reason for its absence. */
export type SummaryContender = ReturnType<typeof summaryContender>

/**
 * `summary.json`: the metrics of each contender by name, with findings, ranking and thresholds, for programs.
 *
 * @param thresholds those that the run was checked against; empty if there were none
 */
export function summaryDocument(evaluation: Evaluation, thresholds: readonly ThresholdResult[] = []) {
  const { run, validity, findings, profile, alignment, seed, corpus, load, rounds } = evaluation
  const { difference, speeds, ranking } = evaluation
  const { corrections } = evaluation.scoring
  return {
    formatVersion: summaryFormatVersion,
    run,
    validity,
    findings,
    profile,
    alignment,
    score: scoreName(evaluation),
    /** Null if the references are those of the run. */
    corrections: corrections && {
      source: corrections.source,
      fingerprint: corrections.fingerprint,
      correctedCount: corrections.correctedIds.length,
    },
    seed,
    corpus,
    load,
    rounds,
    contenders: evaluation.contenders.map((contender) => summaryContender(contender, evaluation)),
    difference,
    speeds,
    ranking,
    thresholds,
  }
}

export function renderSummaryDocument(
  evaluation: Evaluation,
  thresholds: readonly ThresholdResult[] = [],
): string {
  return renderJson(summaryDocument(evaluation, thresholds))
}

/** Any document as it is stored: indented JSON with a final newline. */
export function renderJson(document: unknown): string {
  return `${JSON.stringify(document, null, 2)}\n`
}

export function summaryCsv(evaluation: Evaluation): string {
  return renderCsv(
    contenderColumns(evaluation.profile.leads),
    contenderRows(evaluation, evaluation.contenders),
  )
}

/** `utterances.csv` in pieces, because it may be very long: one row per request, in the order of the plan. */
export function utterancesCsv(evaluation: Evaluation): Iterable<string> {
  const { id: runId } = evaluation.run
  const score = scoreName(evaluation)
  const rows = evaluation.utterances.map((utterance) => ({ runId, score, utterance }))
  return csvPieces(utteranceColumns(evaluation.profile.leads), rows)
}

/**
 * `evaluation.json`, each utterance on a separate line. It is returned in pieces: a million utterances exceed the
 * length limit of strings.
 */
export function* evaluationJson({ utterances, ...rest }: Evaluation): Iterable<string> {
  const head = JSON.stringify(rest, null, 1)
  yield `${head.slice(0, head.lastIndexOf('\n'))},\n "utterances": [`
  for (const [index, utterance] of utterances.entries()) {
    yield `${index === 0 ? '' : ','}\n  ${JSON.stringify(utterance)}`
  }
  yield '\n ]\n}\n'
}

function summaryContender(contender: ContenderEvaluation, evaluation: Evaluation) {
  const { id, engine, model, language } = contender.contender
  const { counts, failures, words, characters } = contender
  const measured = metrics.flatMap(({ id: metricId, unit, from }) => {
    if (isTwoSided(from)) return []
    return [[metricId, withUnit(from.measure(contender, evaluation), unit)] as const]
  })
  return {
    id,
    engine,
    model,
    language,
    counts,
    failures,
    words: words.counts,
    characters: characters.counts,
    metrics: Object.fromEntries(measured),
  }
}

function withUnit(measurement: Measurement, unit: MetricUnit): Measurement & { readonly unit: MetricUnit } {
  return measurement.value === null
    ? { value: null, unit, reason: measurement.reason }
    : { value: measurement.value, unit, interval: measurement.interval }
}

interface TrackedFigure {
  readonly contenderId: string
  readonly metric: Metric
  readonly measured: Extract<Measurement, { readonly interval: unknown }>
}

function trackedFigures(evaluation: Evaluation): readonly TrackedFigure[] {
  return evaluation.contenders.flatMap((contender) =>
    followedMetrics.flatMap((id) => {
      const metric = findMetric(followedMetric(id, evaluation.profile.leads))
      if (metric === null || isTwoSided(metric.from)) return []
      const measured = metric.from.measure(contender, evaluation)
      return measured.value === null ? [] : [{ contenderId: contender.contender.id, metric, measured }]
    }),
  )
}

/**
 * Bencher Metric Format: a benchmark for each contender, a measure for each figure. A figure that the run lacks is
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
 * Input of github-action-benchmark with `tool: customSmallerIsBetter`: the figures that are better if smaller.
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

export interface TableFiles {
  readonly table: ResultTable
  readonly format: string
  readonly mediaType: string
  /** Paths relative to the folder of the description, with `/` between folders. */
  readonly paths: readonly string[]
}

/**
 * Describes exported tables: every file, every column with type, unit and meaning.
 *
 * @see https://datapackage.org/standard/data-package/
 */
export function dataPackage(files: readonly TableFiles[]): string {
  return renderJson({
    $schema: 'https://datapackage.org/profiles/2.0/datapackage.json',
    name: 'transcribench-results',
    resources: files.map(({ table, format, mediaType, paths }) => ({
      name: `${table.name}-${format}`,
      description: table.description,
      path: paths,
      format,
      mediatype: mediaType,
      schema: {
        fields: table.fields().map(({ name, type, unit, description }) => ({
          name,
          type,
          ...(unit === null ? {} : { unit }),
          description,
        })),
      },
    })),
  })
}

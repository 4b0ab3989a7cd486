import {
  type ContenderEvaluation,
  type Evaluation,
  isTwoSided,
  type Measurement,
  type MetricUnit,
  metrics,
  scoreName,
  type ThresholdResult,
} from '#analysis'
import { csvPieces, renderCsv } from '../layout/csv.ts'
import { contenderColumns } from './columns/contender-columns.ts'
import { contenderRows } from './columns/contender-tables.ts'
import { utteranceColumns } from './columns/utterance-columns.ts'

/** Version of `summary.json`. */
export const summaryFormatVersion = 2

/** One contender in `summary.json`: every metric by its id, with its unit, or with the reason for its absence. */
export interface SummaryContender {
  readonly id: string
  readonly engine: string | null
  readonly model: string | null
  readonly language: string | null
  readonly counts: ContenderEvaluation['counts']
  readonly failures: ContenderEvaluation['failures']
  readonly words: ContenderEvaluation['words']['counts']
  readonly characters: ContenderEvaluation['characters']['counts']
  readonly metrics: Readonly<Record<string, Measurement & { readonly unit: MetricUnit }>>
}

/** `summary.json`: the evaluation without its utterances, for programs that want the figures by name. */
export interface SummaryDocument {
  readonly formatVersion: number
  readonly run: Evaluation['run']
  readonly validity: Evaluation['validity']
  readonly findings: Evaluation['findings']
  readonly profile: Evaluation['profile']
  readonly alignment: Evaluation['alignment']
  /** Name of the score, as its files have it. */
  readonly score: string
  /** Null where the references are those of the run. */
  readonly corrections: {
    readonly source: string
    readonly fingerprint: string
    readonly correctedCount: number
  } | null
  readonly seed: number
  readonly corpus: Evaluation['corpus']
  readonly load: Evaluation['load']
  readonly rounds: number
  readonly contenders: readonly SummaryContender[]
  readonly difference: Evaluation['difference']
  readonly speeds: Evaluation['speeds']
  readonly ranking: Evaluation['ranking']
  readonly thresholds: readonly ThresholdResult[]
}

/** @param thresholds those that the run was checked against; empty where there were none */
export function summaryDocument(
  evaluation: Evaluation,
  thresholds: readonly ThresholdResult[] = [],
): SummaryDocument {
  const {
    run,
    validity,
    findings,
    profile,
    alignment,
    seed,
    corpus,
    load,
    rounds,
    difference,
    speeds,
    ranking,
    scoring: { corrections },
  } = evaluation
  return {
    formatVersion: summaryFormatVersion,
    run,
    validity,
    findings,
    profile,
    alignment,
    score: scoreName(evaluation),
    corrections:
      corrections === null
        ? null
        : {
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

/** `summary.json` as text. */
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

/** `summary.csv`: one row per contender. */
export function summaryCsv(evaluation: Evaluation): string {
  return renderCsv(
    contenderColumns(evaluation.profile.leads),
    contenderRows(evaluation, evaluation.contenders),
  )
}

/** `utterances.csv`: one row per planned request, in the order of the plan. In pieces: it may be very long. */
export function utterancesCsv(evaluation: Evaluation): Iterable<string> {
  const { id: runId } = evaluation.run
  const rows = evaluation.utterances.map((utterance) => ({ runId, utterance }))
  return csvPieces(utteranceColumns(evaluation.profile.leads), rows)
}

/**
 * `evaluation.json`, each utterance on a separate line. In pieces: with a million of them it is longer than a
 * string can be.
 */
export function* evaluationJson({ utterances, ...rest }: Evaluation): Iterable<string> {
  const head = JSON.stringify(rest, null, 1)
  yield `${head.slice(0, head.lastIndexOf('\n'))},\n "utterances": [`
  for (const [index, utterance] of utterances.entries()) {
    yield `${index === 0 ? '' : ','}\n  ${JSON.stringify(utterance)}`
  }
  yield '\n ]\n}\n'
}

function summaryContender(contender: ContenderEvaluation, evaluation: Evaluation): SummaryContender {
  const { id, engine, model, language } = contender.contender
  const { counts, failures, words, characters } = contender
  const measured = metrics.flatMap(({ id: metricId, unit, from }) => {
    if (isTwoSided(from)) return []
    const measurement = from.of === 'run' ? from.measure(evaluation) : from.measure(contender)
    return [[metricId, withUnit(measurement, unit)] as const]
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

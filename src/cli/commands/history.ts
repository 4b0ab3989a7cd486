import { resolve } from 'node:path'
import type { Command } from 'commander'
import { findTrends, followedMetrics } from '#analysis/comparison/trends'
import { isTwoSided } from '#analysis/metrics/metric'
import { findMetric, metrics } from '#analysis/metrics/metrics'
import { unknownMetricHint } from '#analysis/metrics/threshold'
import { shellWord } from '#prelude'
import { changesInTime } from '#reports/history/render-history'
import { resultsErrors } from '#results/errors'
import { readHistory } from '#results/history'
import { readRunSummaries } from '#results/summaries'
import { standardResults } from '#run/commands'
import type { Attach } from '../command-context.ts'
import { checkOutputs, deliverDocument, outputOption } from '../document-output.ts'
import { cliErrors } from '../errors.ts'
import { refuseMissingResults } from '../named-files.ts'
import { commaSeparated, resultsOption, scoreOption } from '../options.ts'
import { option, readOption } from '../typed-options.ts'

const historyOptions = () => [
  readOption(
    '--metric <ids>',
    'separated by commas, or all; default: wer and cer, failures, latency.p50, latency.p95, rtfx',
    commaSeparated,
  ),
  scoreOption(),
  resultsOption(),
  outputOption('history'),
  option('--csv <file>', 'also write every figure as a row'),
  option('--json', 'one JSON document on stdout'),
]

/** `transcribench history`: figures over all runs of a folder, and the runs at which they changed. */
export function defineHistoryCommand(history: Command, attach: Attach): void {
  attach(history, historyOptions, async (context, options) => {
    const metricNames = options.metric ?? []
    const ids = metricNames.includes('all') ? shownMetrics.map(({ id }) => id) : metricNames
    const unknown = ids.filter((id) => !shownMetrics.some((metric) => metric === findMetric(id)))
    const [first] = unknown
    if (first !== undefined) {
      const isDifference = findMetric(first) !== null
      throw cliErrors.make('NOT_EXPLAINED', {
        message: isDifference
          ? `"${first}" is of two runs, and a history is of single ones`
          : `there is no metric ${unknown.map((id) => `"${id}"`).join(' or ')}`,
        hint: isDifference
          ? 'hold two runs against each other: transcribench compare <base> <run>'
          : unknownMetricHint(first, shownMetrics),
      })
    }
    await checkOutputs(context, 'history', options)
    const results = resolve(context.cwd, options.results)
    if (options.results !== standardResults) {
      const command = 'transcribench history --results'
      await refuseMissingResults(results, { typed: options.results, command })
    }
    const score = options.score ?? null
    const { figures, ...counts } = await readHistory(
      results,
      options.metric === undefined ? followedMetrics : ids.map((id) => findMetric(id)?.id ?? id),
      await readRunSummaries(results, score),
    )
    if (score !== null && counts.runCount === 0 && counts.leftOut.length > 0) {
      throw resultsErrors.make('SCORE_NOT_FOUND', {
        message: `no run in ${options.results} has a score "${score}"`,
        hint: 'see those of a run: transcribench report latest --scores; make it: transcribench score <run> --profile <profile>',
      })
    }
    const trends = findTrends(figures)
    await deliverDocument(context, { kind: 'history', history: { ...counts, trends } }, options)
    const change = options.json === true ? undefined : changesInTime(trends).at(-1)?.change
    if (change !== undefined) {
      context.say(`  compare the runs on each side of the last change
    transcribench compare ${shellWord(change.previousRunId)} ${shellWord(change.runId)}`)
    }
    return 'done'
  })
}

const shownMetrics = metrics.filter(({ from }) => !isTwoSided(from))

import { type Metric, metricFamily } from '#analysis/metrics/metric'
import { metrics } from '#analysis/metrics/metrics'
import { readMeanings } from '../src/cli/meanings.ts'

/** `docs/metrics.md`: every metric with unit, formula, source and how to read it, from the one table. */
export function renderMetricsPage(): string {
  const families = Map.groupBy(metrics, ({ id }) => metricFamily(id))
  const head = [
    '# Metrics',
    '',
    'Every figure that transcribench shows. Rates are ratios of sums and lie in 0..1 in files (a word error rate may',
    'exceed 1); percent exists only on screens. Absent is null with a reason, or an empty cell, never 0.',
    '`transcribench explain <metric>` prints the same. This page is generated from the table of metrics.',
    'How often intervals and verdicts are right, by simulation: [below](#how-often-the-statistics-are-right).',
    '',
  ]
  const errorAnalyses = Object.entries(readMeanings().errorAnalysis).map(
    ([id, { name, aliases, formula, source, reading }]) =>
      `| ${[id, ...aliases].map((one) => `\`${one}\``).join(', ')} | ${name}: ${formula}. ${reading} | ${source} |`.replaceAll(
        '\n',
        ' ',
      ),
  )
  return [
    ...head,
    ...[...families.values()].map(renderFamily),
    ...errorAnalysisHead,
    ...errorAnalyses,
    '',
  ].join('\n')
}

const errorAnalysisHead = [
  '## How a contender errs',
  '',
  'Sections of `errorAnalyses` in evaluation.json; `transcribench report <run> --details` shows them.',
  '',
  '| id | what | source |',
  '|---|---|---|',
]

function renderFamily(family: readonly Metric[]): string {
  const [first] = family
  if (first === undefined) return ''
  const { aliases = [], name, unit, better, formula, source, reading } = first
  const ids = family.map(({ id }) => `\`${id}\``).join(', ')
  const title = family.length > 1 ? name.replace(/, p\d+$/, '') : name
  const units = {
    rate: 'share, 0..1 (% on screens)',
    rateDifference: 'difference of rates (pp on screens)',
    relativeDifference: 'share of the base, 0.05 is 5% (% on screens)',
    ms: 'milliseconds',
    times: 'times real time (×)',
    ratio: 'ratio',
    megabytesPerHour: 'megabytes (10⁶ bytes) for an hour of audio',
    joulesPerHour: 'joules for an hour of audio',
  } as const
  return [
    `## ${title.charAt(0).toUpperCase()}${title.slice(1)}`,
    '',
    reading,
    '',
    '| | |',
    '|---|---|',
    `| id | ${ids}${aliases.length === 0 ? '' : ` (also ${aliases.map((alias) => `\`${alias}\``).join(', ')})`} |`,
    `| unit | ${units[unit]}; ${better} is better |`,
    `| formula | ${formula} |`,
    `| source | ${source} |`,
    '',
  ].join('\n')
}

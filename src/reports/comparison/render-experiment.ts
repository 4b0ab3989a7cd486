import type { CalibratedRuns, Comparison, ComparisonOutput, Drift, Resolution } from '#analysis'
import { layTable, type ShownColumn } from '../layout/table.ts'
import { foreign, inSigns, labelled, paint, paragraph, type Terminal } from '../layout/terminal.ts'
import { absent, counted, formatChange, formatPercent } from '../layout/units.ts'
import { type ComparisonAnswer, comparisonAnswer, verdictText } from './comparison-sentence.ts'
import { speedNames } from './comparison-words.ts'

/** An experiment, as far as it is shown. */
export interface ExperimentText {
  readonly stopped: 'resolved' | 'corpus' | 'precision' | 'budget' | 'runs' | 'interrupted'
  readonly sides: readonly { readonly name: string; readonly folders: readonly string[] }[]
  readonly comparisons: readonly ComparisonOutput[]
  readonly drift: Drift | null
}

/** Why an experiment ended, in words. */
const experimentEndings: Readonly<Record<ExperimentText['stopped'], string>> = {
  resolved: 'resolved: errors, failures, latency and its p95 all have a verdict',
  corpus: 'corpus: the unresolved differences need more utterances, not more runs',
  precision: 'precision: the interval is as narrow as was asked for',
  budget: 'budget: the time is used up, with differences unresolved',
  runs: 'runs: --max-runs is reached, with differences unresolved',
  interrupted: 'interrupted',
}

/**
 * The answer of an experiment first, then why it stopped, and how to look at it again.
 *
 * @param resultsFlag with a blank before it, where a command does not find the runs by itself
 */
export function renderExperiment(
  experiment: ExperimentText,
  terminal: Terminal,
  resultsFlag: string,
): string {
  const { drift } = experiment
  return [
    ...experimentAnswers(experiment).map((answer) =>
      paint(paragraph(foreign(answer), '  ', terminal), 'strong', terminal),
    ),
    '',
    labelled('stopped', inSigns(endingText(experiment), terminal), 8, terminal),
    ...(drift === null ? [] : [labelled('drift', inSigns(driftText(drift), terminal), 8, terminal)]),
    // In one line, however long: what is broken into lines cannot be copied into a shell.
    ...experimentCommands(experiment).map((command) => `  ${'again'.padEnd(8)}  ${command}${resultsFlag}`),
  ].join('\n')
}

/** Why it ended, and after how many runs. */
export function endingText({ sides, stopped }: ExperimentText): string {
  const runCount = Math.min(...sides.map(({ folders }) => folders.length))
  return `${experimentEndings[stopped]}; ${counted(runCount, 'run')} a side`
}

/** A sentence for every further side against the first, which names everything that became worse. */
export function experimentAnswers({ sides, comparisons }: ExperimentText): readonly string[] {
  const [base, ...others] = sides
  return comparisons.map((comparison, index) => {
    const { sentence } = comparisonAnswer(comparison, comparison.thresholds ?? [])
    const text = `${sentence.charAt(0).toLowerCase()}${sentence.slice(1, -1)}`
    return `${others[index]?.name ?? ''} against ${base?.name ?? ''}: ${text}.`
  })
}

/** What an experiment comes to: the gravest of its comparisons, and never good while its question is open. */
export function experimentState(experiment: ExperimentText): ComparisonAnswer['state'] {
  const states = experiment.comparisons.map(
    (comparison) => comparisonAnswer(comparison, comparison.thresholds ?? []).state,
  )
  const isAnswered = experiment.stopped === 'resolved' || experiment.stopped === 'precision'
  const gravest = (['invalid', 'failed', 'worse'] as const).find((state) => states.includes(state))
  if (gravest !== undefined) return gravest
  if (!isAnswered || states.length === 0 || states.includes('unresolved')) return 'unresolved'
  return states.includes('better') ? 'better' : 'equivalent'
}

/** What to type to see each comparison again. */
export function experimentCommands({ sides }: ExperimentText): readonly string[] {
  const [base, ...others] = sides
  const listOf = (folders: readonly string[]): string =>
    folders.map((folder) => folder.replace(/^.*[\\/]/, '')).join(',')
  return others.map((side) => `transcribench compare ${listOf(base?.folders ?? [])} ${listOf(side.folders)}`)
}

/** What is known after a pass, while the experiment goes on. */
export function experimentLook(comparison: Comparison): readonly string[] {
  const names = comparison.contenders.map(({ runContenderId }) => foreign(runContenderId)).join(', ')
  return [`${names} against the base: ${verdictText(comparison).text}`]
}

/** How the machine changed meanwhile, in words. */
export function driftText({ utteranceId, relativeChange, pValue }: Drift): string {
  return (
    `${foreign(utteranceId)} took ${formatChange(relativeChange)} from the first run to the last ` +
    `(p ${pValue < 0.001 ? 'below 0.001' : pValue.toFixed(3)}); ABBA order puts that on all sides alike`
  )
}

const columns: readonly ShownColumn<Resolution>[] = [
  { header: '', cell: ({ metric }) => speedNames[metric] },
  { header: 'spread', align: 'right', cell: ({ standardDeviation }) => formatPercent(standardDeviation) },
  { header: 'five pairs find', align: 'right', cell: ({ detectable }) => formatPercent(detectable) },
  { header: 'margin', align: 'right', cell: ({ margin }) => formatPercent(margin) },
  {
    header: 'false alarms',
    align: 'right',
    cell: ({ falseAlarmShare }) => (falseAlarmShare === null ? absent : formatPercent(falseAlarmShare, 0)),
  },
  {
    header: 'runs needed',
    align: 'right',
    cell: ({ pairsNeeded }) => (pairsNeeded === null ? 'over 1,000' : String(pairsNeeded)),
  },
]

/** The columns, in words. */
const columnsMean =
  'spread: standard deviation of the difference between two equal runs · five pairs find: a difference so far beyond the ' +
  'margin, four times of five · false alarms: equal pairs, five at a time, that were called better or worse · runs needed: ' +
  'of either side, for a difference of twice the margin, nine times of ten'

/** How much equal runs differ on this host, and which differences are detectable. */
export function renderCalibration(
  { calibration, resolutions }: CalibratedRuns,
  path: string,
  terminal: Terminal,
): string {
  const { contenderId, pairCount, utteranceSpread } = calibration
  const { lines } = layTable(columns, resolutions, '  ', terminal)
  const spread =
    utteranceSpread === null
      ? ''
      : ` A single request differs by ${formatPercent(utteranceSpread)} from run to run.`
  const spreadText = `${contenderId} against itself in ${counted(pairCount, 'pair')} of runs.${spread}`
  return [
    paragraph(foreign(spreadText), '  ', terminal),
    '',
    ...lines,
    '',
    ...(resolutions.some(({ falseAlarmShare }) => falseAlarmShare === null)
      ? [paragraph(inSigns('– false alarms need five pairs: --pairs 5', terminal), '  ', terminal)]
      : []),
    paint(paragraph(inSigns(columnsMean, terminal), '  ', terminal), 'faint', terminal),
    '',
    labelled('stored', foreign(path), 6, terminal),
  ].join('\n')
}

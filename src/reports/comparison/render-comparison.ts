import type { CalibratedRuns } from '#analysis/comparison/calibrate-runs'
import type { Comparison, Condition, ThresholdResult } from '#analysis/documents/comparison'
import type { ChangedUtterance, ContenderComparison } from '#analysis/documents/contender-comparison'
import type { Experiment } from '#analysis/documents/experiment'
import type { Resolution } from '#analysis/figures/speed/calibration'
import { drawAlignedWords } from '../layout/aligned-words.ts'
import {
  brokenThresholds,
  isDecisive,
  openThresholds,
  renderFindings,
  thresholdLines,
} from '../layout/findings.ts'
import { figure, layTable, type ShownColumn } from '../layout/table.ts'
import {
  bars,
  foreign,
  inSigns,
  joinBlocks,
  labelled,
  labelledLines,
  paint,
  sentence,
  type Terminal,
  type Tone,
} from '../layout/terminal.ts'
import {
  absent,
  counted,
  formatCount,
  formatMilliseconds,
  formatPercent,
  formatSeconds,
  leadingWords,
} from '../layout/units.ts'
import { ranksWithMeaning } from '../run/ranks.ts'
import {
  type ComparisonReport,
  comparisonReport,
  experimentReport,
  type PairReport,
} from './comparison-report.ts'
import { terminalColumns } from './comparison-rows.ts'
import { type ComparisonAnswer, verdictText } from './comparison-sentence.ts'
import { absenceLines, errorChange, openLines, pairedFact, speedNames } from './comparison-words.ts'

export function renderComparison(
  comparison: Comparison,
  thresholds: readonly ThresholdResult[],
  terminal: Terminal,
): string {
  const [broken, open] = [brokenThresholds(thresholds), openThresholds(thresholds)]
  const report = comparisonReport(comparison, thresholds)
  const { answer } = report
  const blocks: readonly (readonly string[])[] = [
    [sentence(answer.sentence, terminal, tones[answer.state])],
    thresholdLines(thresholds, terminal),
    renderFindings(comparison.findings.filter(isDecisive), terminal),
    conditionLines(report, terminal),
    ...report.pairs.flatMap((pair) => pairBlocks(pair, report.pairs.length > 1, terminal)),
    // The ranking is that of the contenders of the compared side alone.
    labelledLines('places', ranksWithMeaning(comparison.ranking.run), 12, terminal),
    report.unpaired === '' ? [] : [labelled('not compared', report.unpaired, 12, terminal)],
    renderFindings(
      comparison.findings.filter((finding) => !isDecisive(finding)),
      terminal,
    ),
    [
      ...(broken === null ? [] : [paint(`  ${broken}.`, 'bad', terminal)]),
      ...(open === null ? [] : [paint(`  ${open}.`, 'caution', terminal)]),
    ],
  ]
  return joinBlocks(blocks)
}

const tones: Readonly<Record<ComparisonAnswer['state'], Tone>> = {
  invalid: 'bad',
  failed: 'bad',
  worse: 'bad',
  better: 'good',
  equivalent: 'strong',
  unresolved: 'caution',
}

function conditionLines(
  { comparison, confidence, scored }: ComparisonReport,
  terminal: Terminal,
): readonly string[] {
  const { base, run, conditions, contenders } = comparison
  // With several contenders, each name is a heading above its table, so the condition is redundant.
  const isShown = ({ key }: Condition): boolean => key !== 'contender' || contenders.length === 1
  const same = conditions.filter((one) => one.base === one.run && isShown(one)).map((one) => one.base)
  const differing = conditions.filter((condition) => condition.base !== condition.run)
  return [
    labelled('base', sideText(base), 6, terminal),
    labelled('run', sideText(run), 6, terminal),
    labelled('same', [...same, `scored again with ${scored}`].join(' · '), 6, terminal),
    labelled('level', confidence, 6, terminal),
    ...labelledLines(
      'differ',
      differing.map((one) => foreign(`${one.base} → ${one.run}`)),
      6,
      terminal,
    ),
  ]
}

function sideText({ id, runs }: Comparison['base']): string {
  return runs.length === 1 ? id : `${runs.length} runs, ${id} to ${runs.at(-1)?.id ?? ''}`
}

function pairBlocks(
  { figures, title, rows, facts }: PairReport,
  isOfSeveral: boolean,
  terminal: Terminal,
): readonly (readonly string[])[] {
  const { baseContenderId, runContenderId, changed } = figures
  const hasHeading = isOfSeveral || baseContenderId !== runContenderId
  const { lines } = layTable(terminalColumns, rows, terminal)
  // The first utterance that got worse is shown, or if none did, the one that improved most.
  const example = changed.find(({ errorDifference }) => errorDifference > 0) ?? changed[0]
  return [
    hasHeading ? [paint(`  ${inSigns(foreign(title), terminal)}`, 'strong', terminal)] : [],
    [sentence(pairedFact(figures), terminal)],
    lines,
    openLines(rows).map((line) => sentence(line, terminal, 'caution')),
    absenceLines(rows).map((line) => sentence(line, terminal, 'faint')),
    [labelled('utterances', utteranceFact(figures), 10, terminal)],
    facts.map(({ label, text }) => labelled(label, text, 10, terminal)),
    latencyBars(figures, terminal).map(
      (line, index) => `  ${(index === 0 ? 'latency' : '').padEnd(10)}  ${line}`,
    ),
    example === undefined ? [] : changeLines(example, leadingWords(figures).unit, terminal),
  ]
}

function utteranceFact({ betterCount, worseCount, sameCount, unpaired }: ContenderComparison): string {
  const facts = [
    `${formatCount(betterCount)} better`,
    `${formatCount(worseCount)} worse`,
    `${formatCount(sameCount)} the same`,
  ]
  if (unpaired.length === 0) return facts.join(' · ')
  const listed = unpaired.slice(0, 3).map(({ utteranceId, reason }) => foreign(`${utteranceId} ${reason}`))
  const rest = unpaired.length - listed.length
  const reasons = rest > 0 ? `${listed.join('; ')}; … ${rest} more` : listed.join('; ')
  return [...facts, `${formatCount(unpaired.length)} unpaired (${reasons})`].join(' · ')
}

function changeLines(changed: ChangedUtterance, unit: string, terminal: Terminal): readonly string[] {
  const { utteranceId, errorDifference, audioSeconds } = changed
  const label = errorDifference > 0 ? 'worst change' : 'best change'
  const head = `${foreign(utteranceId)}   ${errorChange(changed, unit)}   ${formatSeconds(audioSeconds)}`
  return [labelled(label, head, label.length, terminal), ...drawAlignedWords(changed, '    ', terminal)]
}

/** Number of columns of a drawn distribution. */
const binCount = 32

/** Minimum share of the highest bar. Smaller bars come only from spreading a quantile step over columns. */
const leastShown = 0.01

/**
 * Both latency distributions above each other on one logarithmic axis, which shows a slow tail. The height of a bar
 * is the share of answers.
 *
 * @returns two rows and their axis; empty if a side has no latencies or speeds are not compared
 */
function latencyBars(
  { latencies, speedsWithheld }: Pick<ContenderComparison, 'latencies' | 'speedsWithheld'>,
  terminal: Terminal,
): readonly string[] {
  const [base, run] = [latencies.base.quantilesMs, latencies.run.quantilesMs]
  const all = [...base, ...run].filter((value) => value > 0)
  if (speedsWithheld !== null || base.length === 0 || run.length === 0 || all.length === 0) return []
  const [low, high] = [Math.min(...all), Math.max(...all)]
  if (low === high) return []
  const rows = [base, run].map((quantiles) => binShares(quantiles, Math.log(low), Math.log(high)))
  const highest = Math.max(...rows.flat())
  const drawn = rows.map((shares) =>
    bars(
      shares.map((share) => (share < leastShown * highest ? null : share / highest)),
      terminal,
    ),
  )
  const [left, right] = [formatMilliseconds(low), formatMilliseconds(high)]
  const gap = ' '.repeat(Math.max(1, binCount - left.length - right.length))
  return [`base  ${drawn[0]}`, `run   ${drawn[1]}`, `      ${left}${gap}${right}`]
}

/** The share of the answers in each bin: between two adjacent quantiles lies a hundredth, spread evenly. */
function binShares(quantilesMs: readonly number[], low: number, high: number): readonly number[] {
  const shares = new Array<number>(binCount).fill(0)
  const binAt = (ms: number): number =>
    ms <= 0 ? 0 : Math.min(binCount - 1e-9, Math.max(0, ((Math.log(ms) - low) / (high - low)) * binCount))
  for (let step = 1; step < quantilesMs.length; step += 1) {
    const [from, until] = [binAt(quantilesMs[step - 1] ?? 0), binAt(quantilesMs[step] ?? 0)]
    const width = Math.max(until - from, 1e-9)
    for (let bin = Math.floor(from); bin <= Math.floor(until) && bin < binCount; bin += 1) {
      const part = Math.min(until, bin + 1) - Math.max(from, bin)
      shares[bin] = (shares[bin] ?? 0) + (width <= 1e-9 ? 1 : Math.max(0, part) / width)
    }
  }
  return shares
}

/** The answer of an experiment first, then why it stopped, and the commands that show it again. */
export function renderExperiment(experiment: Experiment, terminal: Terminal): string {
  const { answers, ending, drift, commands } = experimentReport(experiment)
  return [
    ...answers.map((answer) => sentence(answer, terminal, 'strong')),
    '',
    labelled('stopped', ending, 8, terminal),
    ...(drift === null ? [] : [labelled('drift', drift, 8, terminal)]),
    // A command stays on one line of any length, because a broken one cannot be copied into a shell.
    ...commands.map((command) => `  ${'again'.padEnd(8)}  ${command}`),
  ].join('\n')
}

export function experimentLook(comparison: Comparison): readonly string[] {
  const names = comparison.contenders.map(({ runContenderId }) => foreign(runContenderId)).join(', ')
  return [`${names} against the base: ${verdictText(comparison).text}`]
}

const resolutionColumns: readonly ShownColumn<Resolution>[] = [
  { header: '', cell: ({ metric }) => speedNames[metric] },
  figure('spread', ({ standardDeviation }) => standardDeviation, formatPercent),
  figure('five pairs find', ({ detectable }) => detectable, formatPercent),
  figure('margin', ({ margin }) => margin, formatPercent),
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

const resolutionMeanings =
  'spread: standard deviation of the difference between two equal runs · five pairs find: a difference so far beyond the ' +
  'margin, four times of five · false alarms: equal pairs, five at a time, that were called better or worse · runs needed: ' +
  'of either side, for a difference of twice the margin, nine times of ten'

export function renderCalibration(
  { calibration, resolutions }: CalibratedRuns,
  path: string,
  terminal: Terminal,
): string {
  const { contenderId, pairCount, utteranceSpread } = calibration
  const { lines } = layTable(resolutionColumns, resolutions, terminal)
  const spread =
    utteranceSpread === null
      ? ''
      : ` The latency of one utterance differs by ${formatPercent(utteranceSpread)} from run to run.`
  const spreadText = `${contenderId} against itself in ${counted(pairCount, 'pair')} of runs.${spread}`
  return [
    sentence(spreadText, terminal),
    '',
    ...lines,
    '',
    ...(resolutions.some(({ falseAlarmShare }) => falseAlarmShare === null)
      ? [sentence('– false alarms need five pairs: --pairs 5', terminal)]
      : []),
    sentence(resolutionMeanings, terminal, 'faint'),
    '',
    labelled('stored', path, 6, terminal),
  ].join('\n')
}

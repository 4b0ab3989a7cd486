import { isIncomparable } from '#analysis/comparison/run-speeds'
import type { Comparison, Condition, ThresholdResult } from '#analysis/documents/comparison'
import type {
  ContenderComparison,
  DurationComparison,
  FailureComparison,
  Judgement,
  RateComparison,
  SpeedComparison,
  Verdict,
} from '#analysis/documents/contender-comparison'
import { canDecide } from '#analysis/figures/ranking/paired-rates'
import { formatThresholdMeasured, reasonText, thresholdSubject } from '../layout/findings.ts'
import { columnsOf, type ShownColumn, shownColumns } from '../layout/table.ts'
import type { Tone } from '../layout/terminal.ts'
import {
  absent,
  counted,
  fixed,
  formatChange,
  formatCount,
  formatMilliseconds,
  formatPercent,
  formatPoints,
  formatTimes,
  incomparableMark,
  marked,
  orAbsent,
  signed,
} from '../layout/units.ts'
import { type ComparisonRow, speedNames } from './comparison-words.ts'

export const comparisonColumns: readonly ShownColumn<ComparisonRow>[] = [
  { header: '', cell: ({ name }) => name, narrow: ({ base, run }) => `${base} → ${run}` },
  { header: 'base', align: 'right', isOnlyWide: true, cell: ({ base }) => base },
  { header: 'run', align: 'right', isOnlyWide: true, cell: ({ run }) => run },
  {
    header: 'difference',
    align: 'right',
    cell: ({ difference }) => difference,
    narrow: ({ interval }) => interval,
  },
  { header: 'interval', dropOrder: 1, isOnlyWide: true, cell: ({ interval }) => interval },
  {
    header: 'verdict',
    cell: ({ verdict }) => verdict,
    tone: ({ tone }) => tone,
    note: ({ scope, absence }) => [scope, absence].filter((part) => part !== '').join(', '),
  },
]

/** A terminal has no room for a note behind a cell, so the scope of a verdict is a column and absences are lines. */
export const terminalColumns: readonly ShownColumn<ComparisonRow>[] = [
  ...comparisonColumns,
  { header: '', dropOrder: 2, cell: ({ scope }) => scope },
]

export function comparisonRows(comparison: ContenderComparison): readonly ComparisonRow[] {
  const { rates, speed, failures, pairedUtteranceCount } = comparison
  return [
    ...rates.map((rate) => rateRow(rate, pairedUtteranceCount)),
    ...speed.map(speedRow),
    failureRow(failures),
  ]
}

const verdictTexts: Readonly<Record<Verdict, { readonly text: string; readonly tone: Tone | null }>> = {
  better: { text: '✓ better', tone: 'good' },
  worse: { text: '✗ worse', tone: 'bad' },
  equivalent: { text: '~ equivalent', tone: null },
  unresolved: { text: '? unresolved', tone: 'caution' },
}

/** Words for one kind of figure. */
interface Kind {
  readonly directions: { readonly better: string; readonly worse: string }
  /** The unit, in the singular, of which more would resolve a verdict; `a side` is added if both sides need them. */
  readonly unit: string
  readonly isOfASide: boolean
}

const speedKind: Kind = {
  directions: { better: 'faster', worse: 'slower' },
  unit: 'more run',
  isOfASide: true,
}
const rateKind: Kind = {
  directions: { better: 'fewer errors', worse: 'more errors' },
  unit: 'more utterance',
  isOfASide: false,
}
const failureKind: Kind = {
  directions: { better: 'fewer failures', worse: 'more failures' },
  unit: 'more request',
  isOfASide: true,
}

function judgedParts(
  { verdict, direction, moreNeeded }: Judgement,
  { directions, unit, isOfASide }: Kind,
  marginText: string,
): Pick<ComparisonRow, 'verdict' | 'verdictOf' | 'tone' | 'open'> {
  const shownVerdict = verdict === null ? { text: '', tone: null } : verdictTexts[verdict]
  const more =
    moreNeeded === null
      ? ''
      : `about ${counted(moreNeeded, unit)}${isOfASide ? ' a side' : ''} would resolve it`
  const directionText =
    direction === null ? '' : `${directions[direction]}; whether by more than ${marginText} is unresolved`
  return {
    verdict: direction === null ? shownVerdict.text : `? ${directions[direction]}`,
    verdictOf: verdict,
    tone: shownVerdict.tone,
    open: [directionText, more].filter((part) => part !== '').join('; '),
  }
}

function rateRow(rate: RateComparison, utteranceCount: number): ComparisonRow {
  const { metric, base, run, difference, margin } = rate
  const differenceText = difference === null ? absent : formatPoints(difference)
  const interval = rateInterval(rate)
  return {
    name: metric.toUpperCase(),
    base: formatPercent(base.rate, 2),
    run: formatPercent(run.rate, 2),
    difference: differenceText,
    interval,
    scope: scopeText(rate, utteranceCount),
    absence: '',
    figure: figureText(differenceText, interval),
    ...judgedParts(rate, rateKind, `${fixed(margin * 100, 1)} pp`),
  }
}

function figureText(difference: string, interval: string): string {
  return interval === '' || interval === absent ? difference : `${difference}, ${interval}`
}

/** The interval of a rate; `exact` if every text was measured twice on both sides and was equal. */
function rateInterval({ interval, judgedBy, isExact }: RateComparison): string {
  const range = judgedBy ?? interval
  if (range === null) return absent
  if (isExact && range.low === range.high) return 'exact'
  return `${signed(range.low * 100, 2)} to ${signed(range.high * 100, 2)}`
}

/** The scope of an unresolved or equivalent verdict: the margin, this corpus, or how few utterances differ. */
function scopeText(rate: RateComparison, utteranceCount: number): string {
  const { verdict, interval, judgedBy, margin, differingCount, isExact, difference, isOfCorpusAlone } = rate
  if (verdict === 'equivalent' && isOfCorpusAlone)
    return `on ${utteranceCount === 1 ? 'this utterance' : `these ${formatCount(utteranceCount)} utterances`} only`
  if (isExact && difference !== 0 && difference !== null) return 'exact on this corpus'
  if (verdict !== 'equivalent' && verdict !== 'unresolved') return ''
  const isBeyond = interval !== null && (interval.low > margin || interval.high < -margin)
  return isBeyond && !canDecide(rate, judgedBy?.confidence)
    ? `only ${differingCount} differ`
    : `within ${fixed(margin * 100, 1)} pp`
}

function speedRow(speed: SpeedComparison): ComparisonRow {
  const { metric, unit, base, run, relativeChange, verdict, note, reason, margin } = speed
  const format = unit === 'x' ? formatTimes : formatMilliseconds
  const interval = speed.judgedBy ?? speed.interval
  const marginText = `${fixed(margin * 100, 1)}%`
  const difference = orAbsent(relativeChange, formatChange)
  const range =
    interval === null ? '' : `${signed(interval.low * 100, 1)} to ${signed(interval.high * 100, 1)}`
  const parts = judgedParts(speed, speedKind, marginText)
  const isDescribed = verdict === null && base !== null && run !== null
  const mark = incomparableMark({ withheld: isIncomparable(note) ? note : null })
  return {
    name: speedNames[metric],
    base: marked(orAbsent(base, format), mark),
    run: marked(orAbsent(run, format), mark),
    difference,
    interval: range,
    absence: reason ?? '',
    scope: verdict === 'equivalent' || verdict === 'unresolved' ? `within ${marginText}` : '',
    figure: figureText(difference, range === '' ? '' : `${range}%`),
    ...parts,
    ...(isDescribed ? { verdict: note ?? '', tone: 'faint' as const } : {}),
    ...(verdict !== null && note !== null ? { open: note } : {}),
  }
}

function failureRow(failures: FailureComparison): ComparisonRow {
  const { base, run, baseRequests, runRequests, difference, interval, onlyBase, onlyRun } = failures
  const range = failures.judgedBy ?? interval
  const isClean = base + run === 0
  const differenceText =
    difference === null || isClean ? (base === run ? '0' : signed(run - base, 0)) : formatPoints(difference)
  const differing = onlyBase + onlyRun
  return {
    name: 'failed',
    base: formatCount(base),
    run: formatCount(run),
    difference: differenceText,
    interval:
      range === null || isClean ? '' : `${signed(range.low * 100, 2)} to ${signed(range.high * 100, 2)}`,
    scope:
      failures.verdict === 'unresolved'
        ? `${counted(differing, 'request')} differ${differing === 1 ? 's' : ''}`
        : '',
    absence: '',
    figure: `${formatCount(base)} of ${formatCount(baseRequests)} → ${formatCount(run)} of ${formatCount(runRequests)}`,
    ...judgedParts(failures, failureKind, '0'),
  }
}

/** The thresholds with their measured values; each medium shows by its own sign whether one is met. */
export const thresholdColumns: readonly ShownColumn<ThresholdResult>[] = [
  { header: 'threshold', kind: 'code', cell: ({ threshold }) => threshold },
  { header: 'measured', align: 'right', cell: formatThresholdMeasured },
  { header: 'contender', cell: thresholdSubject },
  { header: 'note', isLong: true, cell: reasonText, isNeeded: (result) => reasonText(result) !== '' },
]

const { text, count, milliseconds } = columnsOf<DurationComparison>()

/** Latency by length of the audio on both sides, because a percentile over mixed lengths depends on the mix. */
export const durationColumns = shownColumns([
  text('audio', 'bucket'),
  count('utterances', 'utteranceCount'),
  milliseconds('base_p50_ms', 'baseP50Ms', 'p50 base'),
  milliseconds('run_p50_ms', 'runP50Ms', 'p50 run'),
  milliseconds('base_p95_ms', 'baseP95Ms', 'p95 base'),
  milliseconds('run_p95_ms', 'runP95Ms', 'p95 run'),
])

export const conditionColumns: readonly ShownColumn<ConditionRow>[] = [
  { header: '', cell: ({ key }) => key },
  { header: 'base', isLong: true, cell: ({ base }) => base },
  {
    header: 'run',
    isLong: true,
    cell: (row) => (isShared(row) ? 'the same' : row.run),
    tone: (row) => (isShared(row) ? 'faint' : row.key === 'runs' ? null : 'caution'),
  },
]

function isShared({ key, base, run }: ConditionRow): boolean {
  return base === run && key !== 'runs'
}

type ConditionRow = Omit<Condition, 'key'> & { readonly key: string }

/** Maximum number of runs in a cell; the document lists them all. */
const maxListedRuns = 3

function runsText({ runs }: Comparison['base']): string {
  const ids = runs.map(({ id }) => id)
  return ids.length > maxListedRuns ? `${ids.length} runs, ${ids[0]} to ${ids.at(-1)}` : ids.join(', ')
}

export function conditionRows({ base, run, conditions }: Comparison): readonly ConditionRow[] {
  return [{ key: 'runs', base: runsText(base), run: runsText(run) }, ...conditions]
}

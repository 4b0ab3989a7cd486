import type { ContenderComparison, RateComparison, SpeedComparison, SpeedMetric, Verdict } from '#analysis'
import type { TableColumn } from './table.ts'
import type { Tone } from './terminal.ts'
import {
  fixed,
  formatChange,
  formatCount,
  formatMilliseconds,
  formatPercent,
  formatPoints,
  formatTimes,
  signed,
} from './units.ts'

/** One line of a comparison's table, in words. */
export interface ComparisonRow {
  readonly name: string
  readonly base: string
  readonly run: string
  readonly difference: string
  readonly interval: string
  readonly verdict: string
  /** Null where there is none. */
  readonly verdictOf: Verdict | null
  /** What the verdict is relative to. */
  readonly scope: string
  /** Why a side has no figure; for where there is room. */
  readonly absence: string
  readonly tone: Tone | null
}

/** The columns of a comparison on a screen. */
export const comparisonColumns: readonly TableColumn<ComparisonRow>[] = [
  { header: '', align: 'left', dropOrder: 0, cell: ({ name }) => name },
  { header: 'base', align: 'right', dropOrder: 0, cell: ({ base }) => base },
  { header: 'run', align: 'right', dropOrder: 0, cell: ({ run }) => run },
  { header: 'difference', align: 'right', dropOrder: 0, cell: ({ difference }) => difference },
  { header: '95% interval', align: 'left', dropOrder: 1, cell: ({ interval }) => interval },
  {
    header: 'verdict',
    align: 'left',
    dropOrder: 0,
    cell: ({ verdict }) => verdict,
    tone: ({ tone }) => tone,
  },
  { header: '', align: 'left', dropOrder: 2, cell: ({ scope }) => scope },
]

/** Rates, speeds and failures of one pair of contenders. */
export function comparisonRows({ rates, speed, failures }: ContenderComparison): readonly ComparisonRow[] {
  return [
    ...rates.map(rateRow),
    ...speed.map(speedRow),
    {
      name: 'failed',
      base: formatCount(failures.base),
      run: formatCount(failures.run),
      difference: failures.base === failures.run ? '0' : signed(failures.run - failures.base, 0),
      interval: '',
      verdict: '',
      verdictOf: null,
      scope: failures.base + failures.run === 0 ? '' : 'counted, not scored',
      absence: '',
      tone: null,
    },
  ]
}

/** Why figures are absent, those with the same reason together; a table on a screen has no room for it. */
export function absenceLines(rows: readonly ComparisonRow[]): readonly string[] {
  const absent = rows.filter(({ absence }) => absence !== '')
  return [...Map.groupBy(absent, ({ absence }) => absence)].map(
    ([absence, those]) => `– ${those.map(({ name }) => name).join(', ')}: ${absence}`,
  )
}

const verdictTexts: Readonly<Record<Verdict, { readonly text: string; readonly tone: Tone | null }>> = {
  better: { text: '✓ better', tone: 'good' },
  worse: { text: '✗ worse', tone: 'bad' },
  equivalent: { text: '~ equivalent', tone: null },
  unresolved: { text: '? unresolved', tone: 'caution' },
}

function rateRow(rate: RateComparison): ComparisonRow {
  const { metric, base, run, difference, verdict } = rate
  const told = verdict === null ? { text: '', tone: null } : verdictTexts[verdict]
  return {
    name: metric.toUpperCase(),
    base: rateText(base.rate),
    run: rateText(run.rate),
    difference: difference === null ? '–' : formatPoints(difference),
    interval: intervalWords(rate),
    verdict: told.text,
    verdictOf: verdict,
    scope: scopeOf(rate),
    absence: '',
    tone: told.tone,
  }
}

/** Where every text was heard twice on both sides and was alike, the difference is what it is. */
function intervalWords({ interval, isExact }: RateComparison): string {
  if (interval === null) return '–'
  if (isExact && interval.low === interval.high) return 'exact'
  return `${signed(interval.low * 100, 2)} to ${signed(interval.high * 100, 2)}`
}

/** What a verdict that decides nothing is relative to: the margin, or how few utterances differ. */
function scopeOf({ verdict, interval, margin, differingCount, isExact, difference }: RateComparison): string {
  if (isExact && difference !== 0 && difference !== null) return 'exact on this corpus'
  if (verdict !== 'equivalent' && verdict !== 'unresolved') return ''
  const isBeyond = interval !== null && (interval.low > margin || interval.high < -margin)
  return isBeyond ? `only ${differingCount} differ` : `within ${fixed(margin * 100, 1)} pp`
}

function rateText(rate: number | null): string {
  return rate === null ? '–' : formatPercent(rate, 2)
}

const speedNames: Readonly<Record<SpeedMetric, string>> = {
  latency: 'latency',
  'latency.p50': 'latency p50',
  'latency.p95': 'latency p95',
  'latency.fixed': 'fixed cost',
  'latency.slope': 'per audio s',
  rtfx: 'speed',
}

function speedRow(speed: SpeedComparison): ComparisonRow {
  const { metric, unit, base, run, relativeChange, interval, verdict, note, reason, margin } = speed
  const format = unit === 'x' ? formatTimes : formatMilliseconds
  const told = verdict === null ? null : verdictTexts[verdict]
  const isRelative = verdict === 'equivalent' || verdict === 'unresolved'
  return {
    name: speedNames[metric],
    base: base === null ? '–' : format(base),
    run: run === null ? '–' : format(run),
    difference: relativeChange === null ? '–' : formatChange(relativeChange),
    interval:
      interval === null ? '' : `${signed(interval.low * 100, 1)} to ${signed(interval.high * 100, 1)}`,
    verdictOf: verdict,
    verdict: told?.text ?? (base === null || run === null ? '' : (note ?? '')),
    scope: isRelative ? `within ${fixed(margin * 100, 1)}%` : '',
    absence: reason ?? '',
    tone: told === null ? 'faint' : told.tone,
  }
}

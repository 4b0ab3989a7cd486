import type {
  ChangedUtterance,
  Comparison,
  Condition,
  ContenderComparison,
  RateComparison,
  SpeedComparison,
  ThresholdResult,
  Verdict,
} from '#analysis'
import { drawAlignedWords } from './aligned-words.ts'
import { renderFindings } from './findings.ts'
import { layTable, type TableColumn } from './table.ts'
import { foreign, inSigns, labelled, paint, paragraph, type Terminal, type Tone } from './terminal.ts'
import { thresholdLines, thresholdVerdict } from './thresholds.ts'
import {
  counted,
  fixed,
  formatChange,
  formatCount,
  formatMilliseconds,
  formatPercent,
  formatPoints,
  formatSeconds,
  formatTimes,
  signed,
} from './units.ts'

/**
 * A comparison on a screen: thresholds first, then what the runs have in common and what not, and for every
 * pair of contenders the rates with their verdicts, the speeds without, and the worst change, word by word.
 */
export function renderComparison(
  comparison: Comparison,
  thresholds: readonly ThresholdResult[],
  terminal: Terminal,
): string {
  const verdict = thresholdVerdict(thresholds)
  const blocks: readonly (readonly string[])[] = [
    thresholdLines(thresholds, terminal),
    conditionLines(comparison, terminal),
    ...comparison.contenders.flatMap((contender) => contenderBlocks(contender, comparison, terminal)),
    unpairedContenderLines(comparison, terminal),
    renderFindings(comparison.findings, terminal),
    verdict === null ? [] : [paint(`  ${verdict}`, 'bad', terminal)],
  ]
  return blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join('\n'))
    .join('\n\n')
}

function conditionLines(
  { base, run, conditions, contenders, profile }: Comparison,
  terminal: Terminal,
): readonly string[] {
  // The names of several contenders stand above their tables.
  const isTold = ({ key }: Condition): boolean => key !== 'contender' || contenders.length === 1
  const same = conditions.filter((one) => one.base === one.run && isTold(one)).map((one) => one.base)
  const differing = conditions.filter((condition) => condition.base !== condition.run)
  return [
    labelled('base', foreign(base.id), 6, terminal),
    labelled('run', foreign(run.id), 6, terminal),
    labelled('same', foreign([...same, `scored again with ${profile.id}`].join(' · ')), 6, terminal),
    ...differing.map((one, index) =>
      labelled(index === 0 ? 'differ' : '', foreign(`${one.base} → ${one.run}`), 6, terminal),
    ),
  ]
}

function contenderBlocks(
  contender: ContenderComparison,
  { contenders }: Comparison,
  terminal: Terminal,
): readonly (readonly string[])[] {
  const { baseContenderId, runContenderId, changed } = contender
  const hasHeading = contenders.length > 1 || baseContenderId !== runContenderId
  const names =
    baseContenderId === runContenderId ? baseContenderId : `${baseContenderId} → ${runContenderId}`
  const { lines } = layTable(comparisonColumns, comparisonRows(contender), '  ', terminal)
  // The first that got worse, or where none did, the one that gained most.
  const shown = changed.find(({ errorDifference }) => errorDifference > 0) ?? changed[0]
  return [
    hasHeading ? [paint(`  ${inSigns(foreign(names), terminal)}`, 'strong', terminal)] : [],
    [paragraph(pairedFact(contender), '  ', terminal)],
    lines,
    [labelled('utterances', inSigns(utteranceFact(contender), terminal), 10, terminal)],
    shown === undefined ? [] : changeLines(shown, terminal),
  ]
}

function pairedFact({ pairedUtteranceCount, rates, identicalTextCount }: ContenderComparison): string {
  const words = rates.find(({ metric }) => metric === 'wer')?.base.referenceLength ?? 0
  const identical =
    identicalTextCount === pairedUtteranceCount
      ? '; every text is the same on both sides'
      : `; ${formatCount(identicalTextCount)} with the same text on both sides`
  return `on the ${counted(pairedUtteranceCount, 'utterance')} that both answered (${counted(words, 'word')})${identical}`
}

interface ComparisonRow {
  readonly name: string
  readonly base: string
  readonly run: string
  readonly difference: string
  readonly interval: string
  readonly verdict: string
  /** What the verdict is relative to. */
  readonly scope: string
  readonly tone: Tone | null
}

const comparisonColumns: readonly TableColumn<ComparisonRow>[] = [
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

function comparisonRows({ rates, speed, failures }: ContenderComparison): readonly ComparisonRow[] {
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
      scope: failures.base + failures.run === 0 ? '' : 'counted, not scored',
      tone: null,
    },
  ]
}

const verdictTexts: Readonly<Record<Verdict, { readonly text: string; readonly tone: Tone | null }>> = {
  better: { text: '✓ better', tone: 'good' },
  worse: { text: '✗ worse', tone: 'bad' },
  equivalent: { text: '~ equivalent', tone: null },
  unresolved: { text: '? unresolved', tone: 'caution' },
}

function rateRow(rate: RateComparison): ComparisonRow {
  const { metric, base, run, difference, interval, verdict } = rate
  const told = verdict === null ? { text: '', tone: null } : verdictTexts[verdict]
  return {
    name: metric.toUpperCase(),
    base: rateText(base.rate),
    run: rateText(run.rate),
    difference: difference === null ? '–' : formatPoints(difference),
    interval:
      interval === null ? '–' : `${signed(interval.low * 100, 2)} to ${signed(interval.high * 100, 2)}`,
    verdict: told.text,
    scope: scopeOf(rate),
    tone: told.tone,
  }
}

/** What a verdict that decides nothing is relative to: the margin, or how few utterances differ. */
function scopeOf({ verdict, interval, margin, differingCount }: RateComparison): string {
  if (verdict !== 'equivalent' && verdict !== 'unresolved') return ''
  const isBeyond = interval !== null && (interval.low > margin || interval.high < -margin)
  return isBeyond ? `only ${differingCount} differ` : `within ${fixed(margin * 100, 1)} pp`
}

function rateText(rate: number | null): string {
  return rate === null ? '–' : formatPercent(rate, 2)
}

function speedRow({ metric, unit, base, run, relativeChange, note }: SpeedComparison): ComparisonRow {
  const names = { 'latency.p50': 'latency p50', 'latency.p95': 'latency p95', rtfx: 'speed' } as const
  const format = unit === 'ms' ? formatMilliseconds : formatTimes
  return {
    name: names[metric],
    base: base === null ? '–' : format(base),
    run: run === null ? '–' : format(run),
    difference: relativeChange === null ? '–' : formatChange(relativeChange),
    interval: '',
    verdict: base === null || run === null ? '' : note,
    scope: '',
    tone: 'faint',
  }
}

function utteranceFact({ betterCount, worseCount, sameCount, unpaired }: ContenderComparison): string {
  const facts = [
    `${formatCount(betterCount)} better`,
    `${formatCount(worseCount)} worse`,
    `${formatCount(sameCount)} the same`,
  ]
  if (unpaired.length === 0) return facts.join(' · ')
  const shown = unpaired.slice(0, 3).map(({ utteranceId, reason }) => foreign(`${utteranceId} ${reason}`))
  const rest = unpaired.length - shown.length
  const named = rest > 0 ? `${shown.join('; ')}; … ${rest} more` : shown.join('; ')
  return [...facts, `${formatCount(unpaired.length)} unpaired (${named})`].join(' · ')
}

function changeLines(changed: ChangedUtterance, terminal: Terminal): readonly string[] {
  const { utteranceId, errorDifference, referenceLength, audioSeconds } = changed
  const label = errorDifference > 0 ? 'worst change' : 'best change'
  const errors = `${signed(errorDifference, Number.isInteger(errorDifference) ? 0 : 1)} error${
    Math.abs(errorDifference) === 1 ? '' : 's'
  } in ${counted(referenceLength, 'word')}`
  const head = `${foreign(utteranceId)}   ${errors}   ${formatSeconds(audioSeconds)}`
  return [labelled(label, head, label.length, terminal), ...drawAlignedWords(changed, '    ', terminal)]
}

function unpairedContenderLines({ unpairedContenders }: Comparison, terminal: Terminal): readonly string[] {
  if (unpairedContenders.length === 0) return []
  const names = unpairedContenders.map(({ side, id }) => `${foreign(id)} (only in ${side})`).join(', ')
  return [labelled('not compared', names, 12, terminal)]
}

import type { Comparison, ContenderComparison, ThresholdResult } from '#analysis'
import { type ShownColumn, type Table, tableOf } from '../layout/column.ts'
import { pageFormatVersion } from '../layout/page-version.ts'
import { changeFacts, type Fact } from './change-facts.ts'
import { type ComparisonRow, comparisonColumns, comparisonRows } from './comparison-rows.ts'
import { type ComparisonAnswer, comparisonAnswer } from './comparison-sentence.ts'
import { conditionColumns, conditionRows, durationColumns, thresholdColumns } from './comparison-tables.ts'

/** What is said of one pair of contenders, beyond the figures. */
export interface ComparedContender {
  readonly title: string
  readonly rows: readonly ComparisonRow[]
  readonly verdicts: Table
  /** Latency by length of the audio; null where there is none or speeds are not compared. */
  readonly lengths: Table | null
  readonly facts: readonly Fact[]
}

/** The page of a comparison. */
export interface ComparisonPage {
  readonly kind: 'comparison'
  readonly formatVersion: number
  readonly title: string
  readonly answer: ComparisonAnswer
  /** The limits that were asked for; null where none was. */
  readonly thresholds: Table | null
  readonly conditions: Table
  readonly comparison: Comparison
  /** In the order of the comparison's contenders. */
  readonly contenders: readonly ComparedContender[]
  readonly hasTexts: boolean
}

export interface ComparisonPageOptions {
  readonly thresholds?: readonly ThresholdResult[] | undefined
  /** Whether references and hypotheses are included; default true. */
  readonly hasTexts?: boolean
}

/** Everything that the page of a comparison shows. */
export function comparisonPage(
  comparison: Comparison,
  { thresholds = [], hasTexts = true }: ComparisonPageOptions = {},
): ComparisonPage {
  const shown = hasTexts ? comparison : withoutTexts(comparison)
  return {
    kind: 'comparison',
    formatVersion: pageFormatVersion,
    title: `${comparison.base.id} against ${comparison.run.id}`,
    answer: comparisonAnswer(comparison, thresholds),
    thresholds:
      thresholds.length === 0 ? null : tableOf(thresholdColumns.toSpliced(1, 0, outcomeColumn), thresholds),
    // What differs comes first.
    conditions: tableOf(
      conditionColumns,
      conditionRows(comparison).toSorted((a, b) => Number(a.base === a.run) - Number(b.base === b.run)),
    ),
    comparison: shown,
    contenders: shown.contenders.map(pageContender),
    hasTexts,
  }
}

function pageContender(contender: ContenderComparison): ComparedContender {
  const rows = comparisonRows(contender)
  const { byDuration, speedsWithheld } = contender
  return {
    title: titleOf(contender),
    rows,
    verdicts: tableOf(comparisonColumns, rows),
    lengths: byDuration.length === 0 || speedsWithheld !== null ? null : tableOf(durationColumns, byDuration),
    facts: changeFacts(contender),
  }
}

const outcomes = {
  open: { text: '? met, within the noise', tone: 'caution' },
  failed: { text: '✗ failed', tone: 'bad' },
  invalid: { text: '✗ invalid', tone: 'bad' },
  passed: { text: '✓ met', tone: 'good' },
} as const

const outcomeColumn: ShownColumn<ThresholdResult> = {
  header: 'outcome',
  align: 'left',
  dropOrder: 0,
  cell: (result) => outcomeOf(result).text,
  tone: (result) => outcomeOf(result).tone,
}

function outcomeOf({ outcome, isResolved }: ThresholdResult): (typeof outcomes)[keyof typeof outcomes] {
  return outcomes[outcome === 'passed' && !isResolved ? 'open' : outcome]
}

function titleOf({ baseContenderId, runContenderId }: ContenderComparison): string {
  return baseContenderId === runContenderId ? baseContenderId : `${baseContenderId} → ${runContenderId}`
}

/** The comparison without anything that was said: what was counted stays. */
function withoutTexts(comparison: Comparison): Comparison {
  return {
    ...comparison,
    contenders: comparison.contenders.map((contender) => ({
      ...contender,
      changed: [],
      confusions: [],
      intruders: [],
    })),
  }
}

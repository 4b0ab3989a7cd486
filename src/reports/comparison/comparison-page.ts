import type { Comparison, ThresholdResult } from '#analysis/documents/comparison'
import { pageFormatVersion } from '../layout/page-document.ts'
import { makeTable, type ShownColumn, type Table } from '../layout/table.ts'
import type { Fact } from './change-facts.ts'
import {
  type ComparisonReport,
  comparisonReport,
  type ExperimentText,
  experimentReport,
} from './comparison-report.ts'
import {
  comparisonColumns,
  conditionColumns,
  conditionRows,
  durationColumns,
  thresholdColumns,
} from './comparison-rows.ts'
import type { ComparisonAnswer } from './comparison-sentence.ts'
import type { ComparisonRow } from './comparison-words.ts'

/** What is said of one pair of contenders, beyond the figures. */
export interface ComparedContender {
  readonly title: string
  readonly rows: readonly ComparisonRow[]
  readonly verdicts: Table
  /** Latency by length of the audio; null where there is none or speeds are not compared. */
  readonly lengths: Table | null
  readonly facts: readonly Fact[]
}

export interface ComparisonPage {
  readonly kind: 'comparison'
  readonly formatVersion: number
  readonly title: string
  readonly answer: ComparisonAnswer
  /** The limits that were asked for; null where none was. */
  readonly thresholds: Table | null
  readonly conditions: Table
  readonly comparison: Comparison
  /** The score that both sides are compared by. */
  readonly scored: string
  /** In the order of the comparison's contenders. */
  readonly contenders: readonly ComparedContender[]
  readonly hasTexts: boolean
}

export interface ComparisonPageOptions {
  readonly thresholds?: readonly ThresholdResult[] | undefined
  /** Whether references and hypotheses are included; default true. */
  readonly hasTexts?: boolean
}

export function comparisonPage(
  comparison: Comparison,
  { thresholds = [], hasTexts = true }: ComparisonPageOptions = {},
): ComparisonPage {
  return reportPage(comparisonReport(hasTexts ? comparison : withoutTexts(comparison), thresholds), hasTexts)
}

function reportPage(
  { comparison, thresholds, answer, pairs, scored }: ComparisonReport,
  hasTexts: boolean,
): ComparisonPage {
  return {
    kind: 'comparison',
    formatVersion: pageFormatVersion,
    title: `${comparison.base.id} against ${comparison.run.id}`,
    answer,
    thresholds:
      thresholds.length === 0 ? null : makeTable(thresholdColumns.toSpliced(1, 0, outcomeColumn), thresholds),
    // What differs comes first.
    conditions: makeTable(
      conditionColumns,
      conditionRows(comparison).toSorted((a, b) => Number(a.base === a.run) - Number(b.base === b.run)),
    ),
    comparison,
    scored,
    contenders: pairs.map(({ title, rows, facts, lengths }) => ({
      title,
      rows,
      verdicts: makeTable(comparisonColumns, rows),
      lengths: lengths.length === 0 ? null : makeTable(durationColumns, lengths),
      facts,
    })),
    hasTexts,
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
  cell: (result) => describeOutcome(result).text,
  tone: (result) => describeOutcome(result).tone,
}

function describeOutcome({ outcome, isResolved }: ThresholdResult): (typeof outcomes)[keyof typeof outcomes] {
  return outcomes[outcome === 'passed' && !isResolved ? 'open' : outcome]
}

/** The comparison without anything that was said: what was counted stays. */
function withoutTexts<Of extends Comparison>(comparison: Of): Of {
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

/** The page of an experiment: its answers, and every comparison in full. */
export interface ExperimentPage {
  readonly kind: 'experiment'
  readonly formatVersion: number
  readonly title: string
  /** A sentence for every further side against the first. */
  readonly answers: readonly string[]
  /** Why it ended. */
  readonly ending: string
  readonly state: ComparisonAnswer['state']
  readonly drift: string | null
  readonly sides: readonly { readonly name: string; readonly runIds: readonly string[] }[]
  /** In the order of the sides behind the first. */
  readonly comparisons: readonly ComparisonPage[]
  /** What to type to see each comparison again. */
  readonly again: readonly string[]
}

export function experimentPage(
  experiment: ExperimentText,
  { hasTexts = true }: Pick<ComparisonPageOptions, 'hasTexts'> = {},
): ExperimentPage {
  const shown = hasTexts
    ? experiment
    : { ...experiment, comparisons: experiment.comparisons.map(withoutTexts) }
  const { sides, answers, ending, state, drift, comparisons, commands } = experimentReport(shown)
  return {
    kind: 'experiment',
    formatVersion: pageFormatVersion,
    title: `Experiment: ${sides.map(({ name }) => name).join(' against ')}`,
    answers,
    ending,
    state,
    drift,
    sides,
    comparisons: comparisons.map((comparison) => reportPage(comparison, hasTexts)),
    again: commands,
  }
}

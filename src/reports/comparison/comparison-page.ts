import type { Comparison, ThresholdResult } from '#analysis/documents/comparison'
import type { ContenderComparison } from '#analysis/documents/contender-comparison'
import { pageFormatVersion } from '../layout/page-document.ts'
import { type ShownColumn, type Table, tableOf } from '../layout/table.ts'
import { changeFacts, type Fact } from './change-facts.ts'
import {
  comparisonColumns,
  comparisonRows,
  conditionColumns,
  conditionRows,
  durationColumns,
  thresholdColumns,
} from './comparison-rows.ts'
import { type ComparisonAnswer, comparisonAnswer } from './comparison-sentence.ts'
import { type ComparisonRow, pairTitle } from './comparison-words.ts'
import {
  driftText,
  type ExperimentText,
  endingText,
  experimentAnswers,
  experimentCommands,
  experimentState,
} from './render-comparison.ts'

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
    title: pairTitle(contender),
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
  cell: (result) => describeOutcome(result).text,
  tone: (result) => describeOutcome(result).tone,
}

function describeOutcome({ outcome, isResolved }: ThresholdResult): (typeof outcomes)[keyof typeof outcomes] {
  return outcomes[outcome === 'passed' && !isResolved ? 'open' : outcome]
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

/** Everything that the page of an experiment shows. */
export function experimentPage(
  experiment: ExperimentText,
  options: Pick<ComparisonPageOptions, 'hasTexts'> = {},
): ExperimentPage {
  const { sides, comparisons, drift } = experiment
  return {
    kind: 'experiment',
    formatVersion: pageFormatVersion,
    title: `Experiment: ${sides.map(({ name }) => name).join(' against ')}`,
    answers: experimentAnswers(experiment),
    ending: endingText(experiment),
    state: experimentState(experiment),
    drift: drift === null ? null : driftText(drift),
    sides: sides.map(({ name, folders }) => ({
      name,
      runIds: folders.map((folder) => folder.replace(/^.*[\\/]/, '')),
    })),
    comparisons: comparisons.map(({ thresholds, ...comparison }) =>
      comparisonPage(comparison, { ...options, thresholds }),
    ),
    again: experimentCommands(experiment),
  }
}

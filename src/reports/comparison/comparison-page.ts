import type { Comparison, ThresholdResult } from '#analysis/documents/comparison'
import type { Experiment } from '#analysis/documents/experiment'
import { thresholdSigns, thresholdState } from '../layout/findings.ts'
import { pageFormatVersion } from '../layout/page-document.ts'
import { makeTable, type ShownColumn } from '../layout/table.ts'
import { type ComparisonReport, comparisonReport, experimentReport } from './comparison-report.ts'
import {
  comparisonColumns,
  conditionColumns,
  conditionRows,
  durationColumns,
  thresholdColumns,
} from './comparison-rows.ts'

export type ComparisonPage = ReturnType<typeof reportPage>
export type ComparedContender = ComparisonPage['contenders'][number]

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

function reportPage({ comparison, thresholds, answer, pairs, scored }: ComparisonReport, hasTexts: boolean) {
  return {
    kind: 'comparison' as const,
    formatVersion: pageFormatVersion,
    title: `${comparison.base.id} against ${comparison.run.id}`,
    answer,
    thresholds:
      thresholds.length === 0 ? null : makeTable(thresholdColumns.toSpliced(1, 0, outcomeColumn), thresholds),
    // Conditions that differ come first.
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

const outcomeColumn: ShownColumn<ThresholdResult> = {
  header: 'outcome',
  cell: (result) => {
    const { sign, words } = thresholdSigns[thresholdState(result)]
    return `${sign} ${words}`
  },
  tone: (result) => thresholdSigns[thresholdState(result)].tone,
}

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

export type ExperimentPage = ReturnType<typeof experimentPage>

export function experimentPage(
  experiment: Experiment,
  { hasTexts = true }: Pick<ComparisonPageOptions, 'hasTexts'> = {},
) {
  const shown = hasTexts
    ? experiment
    : { ...experiment, comparisons: experiment.comparisons.map(withoutTexts) }
  const { sides, answers, ending, state, drift, comparisons, commands } = experimentReport(shown)
  return {
    kind: 'experiment' as const,
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

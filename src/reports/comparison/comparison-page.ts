import type { Comparison, ContenderComparison, ThresholdResult } from '#analysis'
import { pageFormatVersion } from '../layout/page-version.ts'
import { formatThresholdMeasured } from '../run/thresholds.ts'
import { changeFacts, type Fact } from './change-facts.ts'
import { type ComparisonRow, comparisonRows } from './comparison-rows.ts'
import { type ComparisonAnswer, comparisonAnswer } from './comparison-sentence.ts'

/** One limit that was asked for, in words. */
export interface PageThreshold {
  readonly threshold: string
  readonly measured: string
  /** The contender, and the group of it where one was named. */
  readonly of: string
  readonly outcome: ThresholdResult['outcome']
  readonly isResolved: boolean
  readonly reason: string | null
}

/** What is said of one pair of contenders, beyond the figures. */
export interface ComparedContender {
  readonly title: string
  readonly rows: readonly ComparisonRow[]
  readonly facts: readonly Fact[]
}

/** The page of a comparison. */
export interface ComparisonPage {
  readonly kind: 'comparison'
  readonly formatVersion: number
  readonly title: string
  readonly answer: ComparisonAnswer
  readonly thresholds: readonly PageThreshold[]
  readonly comparison: Comparison
  /** In the order of the comparison's contenders. */
  readonly contenders: readonly ComparedContender[]
  readonly hasTexts: boolean
}

export interface ComparisonPageOptions {
  readonly thresholds?: readonly ThresholdResult[] | undefined
  /** References and hypotheses. True unless told. */
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
    thresholds: thresholds.map((result) => ({
      threshold: result.threshold,
      measured: formatThresholdMeasured(result),
      of: [result.contenderId, ...(result.group === null ? [] : [result.group])].join(', '),
      outcome: result.outcome,
      isResolved: result.isResolved,
      reason: result.reason,
    })),
    comparison: shown,
    contenders: shown.contenders.map((contender) => ({
      title: titleOf(contender),
      rows: comparisonRows(contender),
      facts: changeFacts(contender),
    })),
    hasTexts,
  }
}

function titleOf({ baseContenderId, runContenderId }: ContenderComparison): string {
  return baseContenderId === runContenderId ? baseContenderId : `${baseContenderId} → ${runContenderId}`
}

/** The comparison without anything that was said: what was counted stays. */
function withoutTexts(comparison: Comparison): Comparison {
  return {
    ...comparison,
    contenders: comparison.contenders.map((contender) => ({ ...contender, changed: [], confusions: [] })),
  }
}

import type { RunRecord } from '#journal'
import type { Condition } from '../documents/comparison.ts'
import type { ContenderComparison } from '../documents/contender-comparison.ts'
import type { Evaluation } from '../documents/evaluation.ts'
import type { AppliedCorrections } from '../documents/scoring-identity.ts'
import type { HostSpeedDifference } from '../figures/machine/host-speed.ts'
import type { FindingDetector } from './finding-definition.ts'

export type ComparisonFinding = FindingDetector<ComparisonFacts>

/** One run of a side. */
export interface ComparedRun {
  readonly record: RunRecord
  readonly rated: Pick<Evaluation, 'run' | 'findings' | 'instrument'> & {
    /** See `hostBusyText`. */
    readonly busy: string | null
  }
}

/** What the findings of a comparison are read from. */
export interface ComparisonFacts {
  readonly base: readonly ComparedRun[]
  readonly run: readonly ComparedRun[]
  readonly contenders: readonly ContenderComparison[]
  /** Verdicts that are adjusted together for multiple comparisons. */
  readonly comparisonCount: number
  readonly conditions: readonly Condition[]
  /** Settings that differ and are in no table. */
  readonly hiddenSettings: readonly { readonly key: string; readonly base: string; readonly run: string }[]
  /** Why speeds get no verdict; null where they do. */
  readonly withheld: string | null
  /** Null where the machine was as fast on both sides, or that is not known. */
  readonly hostSpeed: HostSpeedDifference | null
  /** Utterances with different audio or another reference under the same id. */
  readonly leftOutIds: readonly string[]
  /** What was corrected in the references of the other side's last run; null where nothing was asked for. */
  readonly corrections: AppliedCorrections | null
}

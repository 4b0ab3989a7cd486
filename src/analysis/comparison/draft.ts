import type {
  ContenderComparison,
  FailureComparison,
  RateComparison,
  SpeedComparison,
} from '../documents/contender-comparison.ts'
import type { Judgement } from '../documents/judgement.ts'
import type { Claim } from '../figures/ranking/verdicts.ts'

/** A comparison that waits for its verdict, with what the verdict is made from. */
export interface Draft<Row> {
  readonly row: Row
  /** Null where there is nothing to judge. */
  readonly claim: Claim | null
  /** What was measured, in the unit of the margin, and of how many; for what would settle it. */
  readonly sample?: { readonly estimate: number; readonly count: number } | undefined
  /** Why a verdict of this kind is not given, whatever the interval says; null where it is. */
  readonly contradiction?: ((verdict: 'better' | 'worse') => string | null) | undefined
}

/** Before any verdict. */
export const unjudged: Judgement = { verdict: null, judgedBy: null, direction: null, moreNeeded: null }

/** A comparison whose rates and speeds wait for their verdicts. */
export interface ContenderDraft {
  readonly rates: readonly Draft<RateComparison>[]
  readonly speed: readonly Draft<SpeedComparison>[]
  readonly failures: Draft<FailureComparison>
  readonly rest: Omit<ContenderComparison, 'rates' | 'speed' | 'failures'>
}

import type { ContenderDraft } from './compare-contenders.ts'
import type { Draft } from './compare-speeds.ts'
import type { ContenderComparison } from './comparison.ts'
import { adjustedTogether } from './significance.ts'
import { decide, type Verdict } from './verdicts.ts'

/** Of all verdicts of a comparison together. */
export const familyConfidence = 0.95

export interface SettledComparisons {
  readonly contenders: readonly ContenderComparison[]
  /** Differences that the confidence was shared out among. */
  readonly comparisonCount: number
}

/** Gives every rate and every speed of every pair of contenders its verdict, all of them in one family. */
export function settleVerdicts(drafts: readonly ContenderDraft[]): SettledComparisons {
  const claims = drafts
    .flatMap(({ rates, speed }) => [...rates, ...speed])
    .flatMap(({ claim }) => (claim === null ? [] : [claim]))
  const verdicts = new Map(decide(claims, familyConfidence).map((verdict, index) => [claims[index], verdict]))
  const settle = <Row extends { readonly verdict: Verdict | null }>({ row, claim }: Draft<Row>): Row =>
    claim === null ? row : { ...row, verdict: verdicts.get(claim) ?? 'unresolved' }
  return {
    contenders: adjustedTogether(
      drafts.map(({ rates, speed, rest }) => ({
        ...rest,
        rates: rates.map(settle),
        speed: speed.map(settle),
      })),
    ),
    comparisonCount: claims.length,
  }
}

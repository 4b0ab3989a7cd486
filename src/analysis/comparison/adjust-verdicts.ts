import type { ContenderComparison } from '../documents/contender-comparison.ts'
import type { Judgement } from '../documents/judgement.ts'
import { type Claim, type Settled, settle } from '../figures/ranking/verdicts.ts'
import { type ContenderDraft, type Draft, unjudged } from './draft.ts'
import { adjustedTogether } from './significance.ts'

/** Of all verdicts of a comparison together. */
export const familyConfidence = 0.95

export interface AdjustedComparisons {
  readonly contenders: readonly ContenderComparison[]
  /** Differences that the confidence was shared out among. */
  readonly comparisonCount: number
}

/** Gives every rate, speed and failure of every pair of contenders its verdict, all of them in one family. */
export function adjustVerdicts(drafts: readonly ContenderDraft[]): AdjustedComparisons {
  const claims = drafts
    .flatMap(({ rates, speed, failures }) => [...rates, ...speed, failures])
    .flatMap(({ claim }) => (claim === null ? [] : [claim]))
  const settled = new Map(settle(claims, familyConfidence).map((one, index) => [claims[index], one]))
  const judge = <Row extends Judgement>(draft: Draft<Row>): Row => judged(draft, settled)
  return {
    contenders: adjustedTogether(
      drafts.map(({ rates, speed, failures, rest }) => ({
        ...rest,
        rates: rates.map(judge),
        speed: speed.map(judge),
        failures: judge(failures),
      })),
    ),
    comparisonCount: claims.length,
  }
}

function judged<Row extends Judgement>(
  draft: Draft<Row>,
  settled: ReadonlyMap<Claim | undefined, Settled>,
): Row {
  const { row, claim, sample, contradiction } = draft
  const found = claim === null ? undefined : settled.get(claim)
  if (claim === null || found === undefined) return row
  const { verdict, confidence } = found
  const interval = claim.intervalAt(confidence)
  const judgedBy = interval === null ? null : { ...interval, confidence }
  const direction = verdict === 'unresolved' ? directionOf(claim, confidence) : null
  const claimed = verdict === 'better' || verdict === 'worse' ? verdict : direction
  const note = claimed === null ? null : (contradiction?.(claimed) ?? null)
  if (note !== null) return { ...row, ...unjudged, verdict: 'unresolved', judgedBy, note }
  const isOpen = verdict === 'unresolved' && sample !== undefined && claim.canDecideAt(confidence)
  const moreNeeded = isOpen && interval !== null ? moreToSettle(sample, interval, claim.margin) : null
  return { ...row, verdict, judgedBy, direction, moreNeeded }
}

/** Which way a difference goes, whatever its size; null where the interval holds nothing. */
function directionOf(claim: Claim, confidence: number): Judgement['direction'] {
  const interval = claim.intervalAt(confidence)
  if (interval === null || !claim.canDecideAt(confidence)) return null
  const sign = claim.better === 'lower' ? 1 : -1
  if (interval.low > 0) return sign > 0 ? 'worse' : 'better'
  if (interval.high < 0) return sign > 0 ? 'better' : 'worse'
  return null
}

/** The estimate moves as well: with half as many more it is settled in most cases, not in every second. */
const forChance = 1.5
const mostNeeded = 1000

/**
 * How many more would make an interval so narrow that it no longer holds the nearer end of the margin; its width falls with
 * the root of their number.
 */
function moreToSettle(
  { estimate, count }: { readonly estimate: number; readonly count: number },
  { low, high }: { readonly low: number; readonly high: number },
  margin: number,
): number | null {
  const distance = Math.min(Math.abs(estimate - margin), Math.abs(estimate + margin))
  const needed = Math.ceil(count * forChance * ((high - low) / 2 / distance) ** 2)
  const more = Math.max(1, needed - count)
  return Number.isFinite(more) && more <= mostNeeded ? more : null
}

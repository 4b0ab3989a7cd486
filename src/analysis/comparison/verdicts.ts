import type { Comparison } from '../documents/comparison.ts'
import type {
  ContenderComparison,
  FailureComparison,
  Judgement,
  RateComparison,
  SpeedComparison,
} from '../documents/contender-comparison.ts'
import { type Claim, type Settled, settle } from '../figures/ranking/ranking.ts'
import { adjustedTogether } from './significance.ts'

/** A claim with what was measured, in the unit of the margin, and of how many: for what would settle it. */
interface MeasuredClaim extends Claim {
  readonly estimate: number
  readonly count: number
}

/** A comparison that waits for its verdict, with what the verdict is made from. */
export interface Draft<Row> {
  readonly row: Row
  /** Null where there is nothing to judge. */
  readonly claim: MeasuredClaim | null
  /** Why a verdict of this kind is not given, whatever the interval says; null where it is. */
  readonly contradiction?: (verdict: 'better' | 'worse') => string | null
}

/** Before any verdict. */
export const unjudged: Judgement = { verdict: null, judgedBy: null, direction: null, moreNeeded: null }

/** A contender whose rates, speeds and failures wait for their verdicts. */
export interface ContenderDraft {
  readonly rates: readonly Draft<RateComparison>[]
  readonly speed: readonly Draft<SpeedComparison>[]
  readonly failures: Draft<FailureComparison>
  readonly rest: Omit<ContenderComparison, 'rates' | 'speed' | 'failures'>
}

/** Of all verdicts of a comparison together. */
const familyConfidence = 0.95

/** Gives every rate, speed and failure of every pair of contenders its verdict, all of them in one family. */
export function adjustVerdicts(drafts: readonly ContenderDraft[]): Pick<Comparison, 'contenders' | 'family'> {
  const claims = drafts
    .flatMap(({ rates, speed, failures }) => [...rates, ...speed, failures])
    .flatMap(({ claim }) => claim ?? [])
  const settled = new Map(settle(claims, familyConfidence).map((one, index) => [claims[index], one]))
  const judge = <Row extends Judgement>(draft: Draft<Row>): Row =>
    draft.claim === null ? draft.row : judged(draft, draft.claim, settled.get(draft.claim) as Settled)
  return {
    contenders: adjustedTogether(
      drafts.map(({ rates, speed, failures, rest }) => ({
        ...rest,
        rates: rates.map(judge),
        speed: speed.map(judge),
        failures: judge(failures),
      })),
    ),
    family: { confidence: familyConfidence, comparisonCount: claims.length },
  }
}

function judged<Row extends Judgement>(
  { row, contradiction }: Draft<Row>,
  claim: MeasuredClaim,
  { verdict, confidence }: Settled,
): Row {
  const interval = claim.intervalAt(confidence)
  const judgedBy = interval === null ? null : { ...interval, confidence }
  const direction = verdict === 'unresolved' ? judgeDirection(claim, confidence) : null
  const claimed = verdict === 'better' || verdict === 'worse' ? verdict : direction
  const note = claimed === null ? null : (contradiction?.(claimed) ?? null)
  if (note !== null) return { ...row, ...unjudged, verdict: 'unresolved', judgedBy, note }
  const isOpen = verdict === 'unresolved' && claim.canDecideAt(confidence)
  const moreNeeded = isOpen && interval !== null ? moreToSettle(claim, interval.high - interval.low) : null
  return { ...row, verdict, judgedBy, direction, moreNeeded }
}

/** Which way a difference goes, whatever its size; null where the interval holds nothing. */
function judgeDirection(claim: Claim, confidence: number): Judgement['direction'] {
  const interval = claim.intervalAt(confidence)
  if (interval === null || !claim.canDecideAt(confidence)) return null
  if (interval.low > 0) return claim.better === 'lower' ? 'worse' : 'better'
  if (interval.high < 0) return claim.better === 'lower' ? 'better' : 'worse'
  return null
}

/** The estimate moves as well: with half as many more it is settled in most cases, not in every second. */
const forChance = 1.5
const mostNeeded = 1000

/**
 * How many more would make an interval so narrow that it no longer holds the nearer end of the margin; its width falls with
 * the root of their number.
 */
function moreToSettle({ estimate, count, margin }: MeasuredClaim, width: number): number | null {
  const distance = Math.min(Math.abs(estimate - margin), Math.abs(estimate + margin))
  const needed = Math.ceil(count * forChance * (width / 2 / distance) ** 2)
  const more = Math.max(1, needed - count)
  return Number.isFinite(more) && more <= mostNeeded ? more : null
}

/** How far the question of an experiment is answered: what became better or worse in errors, failures, latency and its tail. */
export interface QuestionState {
  /** More runs may settle these. */
  readonly isOpen: boolean
  /** More runs will not: an error rate takes more utterances, and a clock that processor time contradicts stays so. */
  readonly isBeyondRuns: boolean
}

/**
 * @param asksThroughput whether the speed of the whole system is another question than the latency of a request, as it is with
 *   several in flight
 */
export function questionState({ contenders }: Comparison, asksThroughput: boolean): QuestionState {
  // The other speeds are parts of these, or the same said otherwise.
  const askedSpeeds = ['latency', 'latency.p95', ...(asksThroughput ? ['rtfx'] : [])]
  const states = contenders.map(({ rates: [leadingRate], speed, failures }): QuestionState => {
    // A figure that runs of this length do not have, none of them will have.
    const asked = speed.filter(({ metric, reason }) => reason === null && askedSpeeds.includes(metric))
    const contradicted = asked.filter(({ verdict, note }) => verdict === 'unresolved' && note !== null)
    const isUnsettled = ({ verdict }: Judgement): boolean => verdict === null || verdict === 'unresolved'
    return {
      isOpen:
        failures.verdict === 'unresolved' ||
        asked.some((row) => isUnsettled(row) && !contradicted.includes(row)),
      isBeyondRuns: contradicted.length > 0 || leadingRate?.verdict === 'unresolved',
    }
  })
  return {
    isOpen: states.some(({ isOpen }) => isOpen),
    isBeyondRuns: states.some(({ isBeyondRuns }) => isBeyondRuns),
  }
}

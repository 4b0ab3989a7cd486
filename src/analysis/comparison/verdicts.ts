import type { Comparison } from '../documents/comparison.ts'
import type {
  ContenderComparison,
  FailureComparison,
  Judgement,
  RateComparison,
  SpeedComparison,
} from '../documents/contender-comparison.ts'
import { type Claim, type Decision, decideWithConfidence } from '../figures/ranking/claims.ts'
import { adjustedTogether } from './significance.ts'

/** A claim with its estimate, in the unit of the margin, and its sample size, to plan how many more are needed. */
interface MeasuredClaim extends Claim {
  readonly estimate: number
  readonly count: number
}

/** A comparison without its verdict, and the data for it. */
export interface Draft<Row> {
  readonly row: Row
  /** Null where there is no difference to judge. */
  readonly claim: MeasuredClaim | null
  /** Returns why this verdict is not given, whatever the interval; null where it is. */
  readonly contradiction?: (verdict: 'better' | 'worse') => string | null
}

/** The judgement of a comparison that has no verdict yet. */
export const unjudged: Judgement = { verdict: null, judgedBy: null, direction: null, moreNeeded: null }

/** A contender whose rates, speeds and failures have no verdicts yet. */
export interface ContenderDraft {
  readonly rates: readonly Draft<RateComparison>[]
  readonly speed: readonly Draft<SpeedComparison>[]
  readonly failures: Draft<FailureComparison>
  readonly rest: Omit<ContenderComparison, 'rates' | 'speed' | 'failures'>
}

/** Joint confidence of all verdicts of a comparison. */
const familyConfidence = 0.95

/** Assigns a verdict to every rate, speed and failure of every pair of contenders, all in one family. */
export function adjustVerdicts(drafts: readonly ContenderDraft[]): Pick<Comparison, 'contenders' | 'family'> {
  const claims = drafts
    .flatMap(({ rates, speed, failures }) => [...rates, ...speed, failures])
    .flatMap(({ claim }) => claim ?? [])
  const decisions = new Map(
    decideWithConfidence(claims, familyConfidence).map((one, index) => [claims[index], one]),
  )
  const judge = <Row extends Judgement>(draft: Draft<Row>): Row =>
    draft.claim === null ? draft.row : judged(draft, draft.claim, decisions.get(draft.claim) as Decision)
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
  { verdict, confidence }: Decision,
): Row {
  const interval = claim.intervalAt(confidence)
  const judgedBy = interval === null ? null : { low: interval.low, high: interval.high, confidence }
  const direction = verdict === 'unresolved' ? judgeDirection(claim, confidence) : null
  const claimed = verdict === 'better' || verdict === 'worse' ? verdict : direction
  const note = claimed === null ? null : (contradiction?.(claimed) ?? null)
  if (note !== null) return { ...row, ...unjudged, verdict: 'unresolved', judgedBy, note }
  const isOpen = verdict === 'unresolved' && claim.canDecideAt(confidence)
  const moreNeeded = isOpen && interval !== null ? moreToDecide(claim, interval.high - interval.low) : null
  return { ...row, verdict, judgedBy, direction, moreNeeded }
}

/** Returns the direction of a difference of any size; null where the interval contains 0. */
function judgeDirection(claim: Claim, confidence: number): Judgement['direction'] {
  const interval = claim.intervalAt(confidence)
  if (interval === null || !claim.canDecideAt(confidence)) return null
  if (interval.low > 0) return claim.better === 'lower' ? 'worse' : 'better'
  if (interval.high < 0) return claim.better === 'lower' ? 'better' : 'worse'
  return null
}

/** Factor on the sample size, because the estimate varies too: it then suffices in most cases, not in half of them. */
const forChance = 1.5
const maxNeeded = 1000

/**
 * Returns how many more samples narrow the interval enough to exclude the nearer end of the margin. Its width
 * decreases with the square root of their number.
 */
function moreToDecide({ estimate, count, margin }: MeasuredClaim, width: number): number | null {
  const distance = Math.min(Math.abs(estimate - margin), Math.abs(estimate + margin))
  const needed = Math.ceil(count * forChance * (width / 2 / distance) ** 2)
  const more = Math.max(1, needed - count)
  return Number.isFinite(more) && more <= maxNeeded ? more : null
}

/** State of an experiment's question: changes in errors, failures, latency and its tail. */
export interface QuestionState {
  /** True if more runs may decide the question. */
  readonly isOpen: boolean
  /** True if more runs do not help: rates need more utterances, and processor time may contradict the clock. */
  readonly isBeyondRuns: boolean
}

/**
 * @param asksThroughput whether system speed is a separate question from request latency, as with several in flight
 */
export function questionState({ contenders }: Comparison, asksThroughput: boolean): QuestionState {
  // The other speeds are parts of these, or equivalent to them.
  const askedSpeeds = ['latency', 'latency.p95', ...(asksThroughput ? ['rtfx'] : [])]
  const states = contenders.map(({ rates: [leadingRate], speed, failures }): QuestionState => {
    // A figure that is absent in runs of this length stays absent with more runs.
    const figures = speed.filter(({ metric, reason }) => reason === null && askedSpeeds.includes(metric))
    const contradicted = figures.filter(({ verdict, note }) => verdict === 'unresolved' && note !== null)
    const isUndecided = ({ verdict }: Judgement): boolean => verdict === null || verdict === 'unresolved'
    return {
      isOpen:
        failures.verdict === 'unresolved' ||
        figures.some((row) => isUndecided(row) && !contradicted.includes(row)),
      isBeyondRuns: contradicted.length > 0 || leadingRate?.verdict === 'unresolved',
    }
  })
  return {
    isOpen: states.some(({ isOpen }) => isOpen),
    isBeyondRuns: states.some(({ isBeyondRuns }) => isBeyondRuns),
  }
}

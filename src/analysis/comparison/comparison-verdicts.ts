import type { Comparison } from '../documents/comparison.ts'
import type { ContenderComparison, SpeedComparison, SpeedMetric } from '../documents/contender-comparison.ts'
import type { Judgement } from '../documents/judgement.ts'

/** Every difference of a comparison with what is said of it. */
export function judgementsOf({ contenders }: Pick<Comparison, 'contenders'>): readonly Judgement[] {
  return contenders.flatMap(({ rates, speed, failures }) => [...rates, ...speed, failures])
}

/** Whether any figure became worse for certain. */
export function becameWorse(comparison: Pick<Comparison, 'contenders'>): boolean {
  return judgementsOf(comparison).some(({ verdict }) => verdict === 'worse')
}

/** The speeds that a user asks about: the others are parts of these. */
const shownSpeeds: readonly SpeedMetric[] = ['latency', 'latency.p95', 'rtfx']

/**
 * Speeds without a verdict, of those that a user asks about: with one run a side, other machines, or a busy one. What neither
 * side has is not among them as long as the latency of each request is judged.
 */
export function unjudgedSpeeds({ speed }: Pick<ContenderComparison, 'speed'>): readonly SpeedComparison[] {
  return speed.filter(
    ({ metric, verdict, relativeChange }) =>
      shownSpeeds.includes(metric) && verdict === null && (metric === 'latency' || relativeChange !== null),
  )
}

/** Speeds that an experiment goes on for. The rest of them are parts of these, or the same said otherwise. */
const askedSpeeds: readonly SpeedMetric[] = ['latency', 'latency.p95']

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
export function questionState(comparison: Comparison, asksThroughput: boolean): QuestionState {
  const states = comparison.contenders.map((contender) => contenderState(contender, asksThroughput))
  return {
    isOpen: states.some(({ isOpen }) => isOpen),
    isBeyondRuns: states.some(({ isBeyondRuns }) => isBeyondRuns),
  }
}

function contenderState(
  { rates: [leadingRate], speed, failures }: ContenderComparison,
  asksThroughput: boolean,
): QuestionState {
  const asked = speed.filter(
    ({ metric, reason }) =>
      // A figure that runs of this length do not have, none of them will have.
      reason === null && (askedSpeeds.includes(metric) || (metric === 'rtfx' && asksThroughput)),
  )
  const isUnsettled = ({ verdict }: Judgement): boolean => verdict === null || verdict === 'unresolved'
  const contradicted = asked.filter(({ verdict, note }) => verdict === 'unresolved' && note !== null)
  return {
    isOpen:
      failures.verdict === 'unresolved' ||
      asked.some((row) => isUnsettled(row) && !contradicted.includes(row)),
    isBeyondRuns: contradicted.length > 0 || leadingRate?.verdict === 'unresolved',
  }
}

import type { AnswerTimes, PlannedUtterance } from '#journal'
import type { ResolvedRequest } from '../requests/resolved-run.ts'
import type { ScoredContender } from '../requests/scored-contender.ts'
import type { TranscriptScore } from '../requests/transcript-scorer.ts'

/** A text that one utterance was answered with, however often. */
export interface DistinctAnswer {
  readonly utterance: PlannedUtterance
  readonly hypothesis: string
  /** The text that the reference is taken for. */
  readonly reference: string
  readonly score: TranscriptScore
  /** The first request that was answered so. */
  readonly requestIndex: number
  readonly round: number
  /** How many requests were answered so. */
  readonly times: number
  /** The times of each of these answers, null where it has none; empty where the reference has none. */
  readonly timings: readonly (AnswerTimes | null)[]
}

/**
 * The different answers of a contender. Engines mostly repeat themselves, so what has to look at texts looks at
 * each of them once, however many rounds there were.
 *
 * @returns by id of the utterance, in the order of the plan; empty where nothing was scored
 */
export function distinctAnswers({
  requests,
}: ScoredContender): ReadonlyMap<string, readonly DistinctAnswer[]> {
  const byUtterance = new Map<string, Map<string, GrowingAnswer>>()
  for (const { resolved, score, reference } of requests) {
    const { utterance, hypothesis, request } = resolved
    if (score === null || hypothesis === null) continue
    const answers: Map<string, GrowingAnswer> = byUtterance.get(utterance.id) ?? new Map()
    byUtterance.set(utterance.id, answers)
    const timings = utterance.times === undefined ? [] : [timingOf(resolved)]
    const known = answers.get(hypothesis)
    if (known !== undefined) {
      known.times += 1
      known.timings.push(...timings)
    } else {
      const { index: requestIndex, round } = request
      answers.set(hypothesis, {
        utterance,
        hypothesis,
        reference,
        score,
        requestIndex,
        round,
        times: 1,
        timings,
      })
    }
  }
  return new Map([...byUtterance].map(([id, answers]) => [id, [...answers.values()]]))
}

type GrowingAnswer = DistinctAnswer & { times: number; readonly timings: (AnswerTimes | null)[] }

function timingOf({ attempt, reused }: ResolvedRequest): AnswerTimes | null {
  const outcome = (attempt ?? reused)?.outcome
  return outcome?.ok === true ? (outcome.answer.times ?? null) : null
}

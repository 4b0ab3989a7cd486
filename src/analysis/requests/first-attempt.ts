import type { UtteranceEvaluation } from '../documents/utterance-evaluation.ts'

/** What the first attempt of a request took that was answered, by it or by a later one. */
export function firstOfAnswered({
  latencyMs,
  firstAttemptMs,
}: Pick<UtteranceEvaluation, 'latencyMs' | 'firstAttemptMs'>): number | null {
  return latencyMs === null ? null : firstAttemptMs
}

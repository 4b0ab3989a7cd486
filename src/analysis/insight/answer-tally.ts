import type { AlignmentStep } from '#scoring'
import type { DistinctAnswer } from './distinct-answers.ts'

/** Looks at answers one by one and keeps sums of them, so that alignments need not be held. */
export interface AnswerTally<Result> {
  /** @param steps the word alignment by the profile of the evaluation */
  add(answer: DistinctAnswer, steps: readonly AlignmentStep[]): void
  result(): Result
}

import type { AnswerFacts } from './answer-facts.ts'
import type { DistinctAnswer } from './distinct-answers.ts'

/** Looks at answers one by one and keeps sums of them, so that what was found in each need not be held. */
export interface AnswerTally<Result> {
  add(answer: DistinctAnswer, facts: AnswerFacts): void
  result(): Result
}

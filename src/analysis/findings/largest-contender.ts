import type { ContenderEvaluation } from '../documents/contender-evaluation.ts'
import type { RunFacts } from './run-facts.ts'

/** The contender with the longest scored references, from which the corpus is assessed; null where it has no error rate. */
export function largestContender({ contenders, scorer }: RunFacts): ContenderEvaluation | null {
  const { leads } = scorer.profile
  const largest = contenders.reduce<ContenderEvaluation | null>(
    (most, one) => (most === null || one[leads].referenceLength > most[leads].referenceLength ? one : most),
    null,
  )
  return largest === null || largest[leads].rate === null ? null : largest
}

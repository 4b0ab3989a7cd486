import { seededRandom } from '#prelude'
import {
  type AlignmentRule,
  addCounts,
  type ErrorCounts,
  errorCount,
  hypothesisLength,
  noErrors,
  ratesOf,
  referenceLength,
} from '#scoring'
import { bootstrapRatio, type RatioTerm } from '#statistics'
import { byUtterance, clusteringsOf } from './clustering.ts'
import { believableInterval, widestInterval } from './error-rate.ts'
import type { ErrorRate } from './evaluation.ts'

/** Sums utterances up to an error rate with its interval, in memory that does not grow with them. */
export interface RateTally {
  add(counts: ErrorCounts, speaker: string | null): void
  /** @param replicates of the bootstrap; fewer where there are so many utterances that it makes no difference */
  result(options: {
    readonly alignment: AlignmentRule
    readonly seed: number
    readonly replicates: number
  }): ErrorRate
}

// Of so many utterances the interval is a few hundredths of a point wide, and a twentieth of that is what fewer
// replicates leave uncertain.
const manyUtterances = 100_000
const replicatesOfMany = 2000

/**
 * Starts a sum. The interval is resampled by speaker where the speaker of every utterance is known, else by utterance.
 * Errors and lengths are small whole numbers: a million utterances hold some thousand different pairs of them, and
 * only those are kept, each with how often it came.
 */
export function startRateTally(): RateTally {
  const terms: RatioTerm[] = []
  const counted: number[] = []
  const termOf = new Map<number, number>()
  const bySpeaker = new Map<string, RatioTerm>()
  let utteranceCount = 0
  let isSpeakerUnknown = false
  let sum = noErrors
  return {
    add(counts, speaker) {
      sum = addCounts(sum, counts)
      utteranceCount += 1
      const term = { numerator: errorCount(counts), denominator: referenceLength(counts) }
      const key = pairKey(term)
      const index = termOf.get(key) ?? terms.push(term) - 1
      termOf.set(key, index)
      counted[index] = (counted[index] ?? 0) + 1
      if (speaker === null) isSpeakerUnknown = true
      else bySpeaker.set(speaker, addTerms(bySpeaker.get(speaker), term))
    },
    result({ alignment, seed, replicates }) {
      const speakers = [...bySpeaker.keys()].map((speaker) => ({ id: speaker, speaker }))
      const clusterings = isSpeakerUnknown ? [byUtterance] : clusteringsOf(speakers)
      const isMany = utteranceCount >= manyUtterances
      const interval = widestInterval(clusterings, ({ method }) => {
        const options = {
          random: seededRandom(seed),
          replicates: isMany ? Math.min(replicates, replicatesOfMany) : replicates,
        }
        return method === 'bootstrap-by-speaker'
          ? bootstrapRatio([...bySpeaker.values()], options)
          : bootstrapRatio(terms, { ...options, counts: counted })
      })
      return {
        rate: ratesOf(sum, alignment).errorRate,
        ...believableInterval(interval, sum),
        counts: sum,
        referenceLength: referenceLength(sum),
        hypothesisLength: hypothesisLength(sum),
      }
    },
  }
}

/** Two whole numbers as one, as Cantor paired them: exact while their sum is below a hundred million. */
function pairKey({ numerator, denominator }: RatioTerm): number {
  const both = numerator + denominator
  return (both * (both + 1)) / 2 + denominator
}

function addTerms(sum: RatioTerm | undefined, term: RatioTerm): RatioTerm {
  if (sum === undefined) return term
  return { numerator: sum.numerator + term.numerator, denominator: sum.denominator + term.denominator }
}

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

/** Sums utterances up to an error rate with its interval, in four bytes an utterance. */
export interface RateTally {
  add(counts: ErrorCounts, speaker: string | null): void
  /** @param replicates of the bootstrap */
  result(options: {
    readonly alignment: AlignmentRule
    readonly seed: number
    readonly replicates: number
  }): ErrorRate
}

/**
 * Starts a sum. The interval is resampled by speaker where the speaker of every utterance is known, else by utterance.
 * Errors and lengths are small whole numbers: a million utterances hold some thousand different pairs of them, and
 * only those are kept.
 */
export function startRateTally(): RateTally {
  const terms: RatioTerm[] = []
  const termOf = new Map<string, number>()
  const utterances = growingList()
  const bySpeaker = new Map<string, RatioTerm>()
  let isSpeakerUnknown = false
  let sum = noErrors
  return {
    add(counts, speaker) {
      sum = addCounts(sum, counts)
      const term = { numerator: errorCount(counts), denominator: referenceLength(counts) }
      const key = `${term.numerator} ${term.denominator}`
      const known = termOf.get(key)
      const index = known ?? terms.push(term) - 1
      if (known === undefined) termOf.set(key, index)
      utterances.push(index)
      if (speaker === null) isSpeakerUnknown = true
      else bySpeaker.set(speaker, addTerms(bySpeaker.get(speaker), term))
    },
    result({ alignment, seed, replicates }) {
      const speakers = [...bySpeaker.keys()].map((speaker) => ({ id: speaker, speaker }))
      const interval = widestInterval(
        isSpeakerUnknown ? [byUtterance] : clusteringsOf(speakers),
        ({ method }) =>
          bootstrapRatio(
            method === 'bootstrap-by-speaker'
              ? [...bySpeaker.values()]
              : Array.from(utterances.values(), (index) => terms[index] as RatioTerm),
            { random: seededRandom(seed), replicates },
          ),
      )
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

function addTerms(sum: RatioTerm | undefined, term: RatioTerm): RatioTerm {
  if (sum === undefined) return term
  return { numerator: sum.numerator + term.numerator, denominator: sum.denominator + term.denominator }
}

/** Whole numbers, four bytes each. */
function growingList(): { push(value: number): void; values(): Uint32Array } {
  let room = new Uint32Array(1024)
  let length = 0
  return {
    push(value) {
      if (length === room.length) {
        const wider = new Uint32Array(2 * length)
        wider.set(room)
        room = wider
      }
      room[length] = value
      length += 1
    },
    values: () => room.subarray(0, length),
  }
}

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
} from '#scoring/counting'
import { abcInterval } from '#statistics/abc-interval'
import { bootstrapRatio, type RatioTerm } from '#statistics/bootstrap'
import { byUtterance, clusteringsOf } from './clustering.ts'
import type { ErrorRate, Interval } from './documents.ts'
import { believableInterval, widestInterval } from './error-rate.ts'

/** Sums utterances up to an error rate with its interval, in memory that does not grow with them. */
export interface RateTally {
  add(counts: ErrorCounts, speaker: string | null): void
  /** Another sum that begins with what was added so far. */
  copy(): RateTally
  /** @param replicates of the bootstrap, where there are too few utterances to compute what it tends to */
  result(options: {
    readonly alignment: AlignmentRule
    readonly seed: number
    readonly replicates: number
  }): ErrorRate
}

/** From so many utterances on the interval is computed: it differs by less than the noise of 10,000 replicates. */
const manyUtterances = 10_000
const confidence = 0.95

/**
 * Starts a sum. The interval is resampled by speaker where the speaker of every utterance is known, else by utterance.
 * Errors and lengths are small whole numbers: a million utterances hold some thousand different pairs of them, and
 * only those are kept, each with how often it came.
 */
export function startRateTally(): RateTally {
  return tallyFrom({
    terms: [],
    counted: [],
    indexes: new Map(),
    bySpeaker: new Map(),
    utteranceCount: 0,
    isSpeakerUnknown: false,
    counts: noErrors,
  })
}

interface Sums {
  readonly terms: RatioTerm[]
  /** How often each term came. */
  readonly counted: number[]
  /** Where each term is, by its key. */
  readonly indexes: Map<number, number>
  readonly bySpeaker: Map<string, RatioTerm>
  utteranceCount: number
  isSpeakerUnknown: boolean
  counts: ErrorCounts
}

function tallyFrom(sums: Sums): RateTally {
  return {
    add(counts, speaker) {
      sums.counts = addCounts(sums.counts, counts)
      sums.utteranceCount += 1
      const numerator = errorCount(counts)
      const denominator = referenceLength(counts)
      const key = pairKey(numerator, denominator)
      let index = sums.indexes.get(key)
      if (index === undefined) {
        index = sums.terms.push({ numerator, denominator }) - 1
        sums.indexes.set(key, index)
        sums.counted.push(0)
      }
      sums.counted[index] = (sums.counted[index] as number) + 1
      if (speaker === null) sums.isSpeakerUnknown = true
      else sums.bySpeaker.set(speaker, addTerm(sums.bySpeaker.get(speaker), numerator, denominator))
    },
    copy: () =>
      tallyFrom({
        ...sums,
        terms: [...sums.terms],
        counted: [...sums.counted],
        indexes: new Map(sums.indexes),
        bySpeaker: new Map(sums.bySpeaker),
      }),
    result: ({ alignment, seed, replicates }) => ({
      rate: ratesOf(sums.counts, alignment).errorRate,
      ...believableInterval(intervalOf(sums, seed, replicates), sums.counts),
      counts: sums.counts,
      referenceLength: referenceLength(sums.counts),
      hypothesisLength: hypothesisLength(sums.counts),
    }),
  }
}

function intervalOf(
  { terms, counted, bySpeaker, utteranceCount, isSpeakerUnknown }: Sums,
  seed: number,
  replicates: number,
): Interval | null {
  const speakers = [...bySpeaker.keys()].map((speaker) => ({ id: speaker, speaker }))
  const clusterings = isSpeakerUnknown ? [byUtterance] : clusteringsOf(speakers)
  return widestInterval(clusterings, ({ method }) => {
    const options = { random: seededRandom(seed), replicates, confidence }
    if (method === 'bootstrap-by-speaker') return bootstrapRatio([...bySpeaker.values()], options)
    return utteranceCount < manyUtterances
      ? bootstrapRatio(terms, { ...options, counts: counted })
      : { interval: abcInterval(terms, counted, confidence), confidence }
  })
}

/** Two whole numbers as one, as Cantor paired them: exact while their sum is below a hundred million. */
function pairKey(numerator: number, denominator: number): number {
  const both = numerator + denominator
  return (both * (both + 1)) / 2 + denominator
}

function addTerm(sum: RatioTerm | undefined, numerator: number, denominator: number): RatioTerm {
  if (sum === undefined) return { numerator, denominator }
  return { numerator: sum.numerator + numerator, denominator: sum.denominator + denominator }
}

import { seededRandom } from '#prelude'
import type { Interval } from '#rates/documents'
import { type Clustered, type Clustering, widestInterval } from '#rates/error-rate'
import { bootstrapRatio, type RatioTerm, ratioOfSums, sumByCluster } from '#statistics/bootstrap'
import { wilsonInterval } from '#statistics/intervals'
import type { CountedRate, MeanTimeError } from '../documents/error-rates.ts'

/** The terms that one distinct answer adds to a rate. */
interface RateTerm extends RatioTerm {
  readonly utterance: Clustered
}

/** A ratio of sums that is accumulated over answers. */
export interface RateTally {
  /** @param weight weight in the rate and its interval; default: 1. The counts are unweighted. */
  add(utterance: Clustered, numerator: number, denominator: number, weight?: number): void
  /** Returns the rate with its cluster bootstrap interval, or the reason why there is no interval. */
  rate(): CountedRate
  /** Returns the same for summed milliseconds per word. */
  meanMs(): MeanTimeError
}

/** Options of the intervals of the error analysis. */
export interface IntervalOptions {
  readonly clusterings: readonly Clustering[]
  readonly seed: number
}

// Replicates of secondary rates, fewer than for rankings: 2,000 give an interval to about a twentieth of its width.
export const secondaryReplicates = 2000

export function startRate(options: IntervalOptions): RateTally {
  const terms: RateTerm[] = []
  let [numerator, denominator] = [0, 0]
  return {
    add(utterance, ownNumerator, ownDenominator, weight = 1) {
      terms.push({ utterance, numerator: weight * ownNumerator, denominator: weight * ownDenominator })
      numerator += ownNumerator
      denominator += ownDenominator
    },
    rate() {
      if (denominator === 0) return rateWithoutInterval(numerator, denominator, nothing)
      if (numerator === 0 || numerator === denominator) {
        const all = numerator === 0 ? 'none' : 'all'
        return rateWithoutInterval(
          numerator,
          denominator,
          `${all} of ${denominator}, so resampling says nothing`,
        )
      }
      const interval = resampledInterval(terms, options)
      if (interval === null)
        return { ...rateWithoutInterval(numerator, denominator, tooLittle), rate: ratioOfSums(terms) }
      return { rate: ratioOfSums(terms), numerator, denominator, interval, noIntervalReason: null }
    },
    meanMs() {
      const wordCount = denominator
      if (wordCount === 0) return { meanMs: null, wordCount, interval: null, noIntervalReason: nothing }
      const interval = resampledInterval(terms, options)
      const noIntervalReason = interval === null ? tooLittle : null
      return { meanMs: numerator / wordCount, wordCount, interval, noIntervalReason }
    },
  }
}

/** Why an analysis of answers has no rate where there is none. */
export const nothingScored = 'nothing was scored'
const nothing = 'there is nothing to divide by'
const tooLittle = 'there is too little to resample'

/** Returns null where resampling shows no spread. */
function resampledInterval(
  terms: readonly RateTerm[],
  { clusterings, seed }: IntervalOptions,
): Interval | null {
  const interval = widestInterval(clusterings, ({ clusterOf }) => {
    const clusters = terms.map(({ utterance }) => clusterOf(utterance))
    const options = { random: seededRandom(seed), replicates: secondaryReplicates }
    return bootstrapRatio(sumByCluster(terms, clusters), options).interval
  })
  return interval === null || interval.low === interval.high ? null : interval
}

/**
 * Returns a share of utterances with Wilson's interval, which has a width at 0 and 1 and so suits rare events. It
 * assumes independent utterances.
 */
export function utteranceShare(count: number, utteranceCount: number): CountedRate {
  const wilson = wilsonInterval(count, utteranceCount)
  if (wilson === null) return rateWithoutInterval(count, utteranceCount, nothing)
  const { share, low, high, confidence } = wilson
  return {
    rate: share,
    numerator: count,
    denominator: utteranceCount,
    interval: { low, high, confidence, method: 'wilson' },
    noIntervalReason: null,
  }
}

function rateWithoutInterval(numerator: number, denominator: number, noIntervalReason: string): CountedRate {
  const rate = denominator === 0 ? null : numerator / denominator
  return { rate, numerator, denominator, interval: null, noIntervalReason }
}

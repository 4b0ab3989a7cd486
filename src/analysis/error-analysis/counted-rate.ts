import { seededRandom } from '#prelude'
import type { Interval } from '#rates/documents'
import { type Clustered, type Clustering, widestInterval } from '#rates/error-rate'
import { bootstrapRatio, type RatioTerm, sumByCluster } from '#statistics/bootstrap'
import { wilsonInterval } from '#statistics/intervals'
import type { CountedRate, MeanTimeError } from '../documents/error-rates.ts'

/** What one answer, however often it was given, adds to a rate. */
export interface RateTerm extends RatioTerm {
  readonly utterance: Clustered
}

/** How intervals of this document are made. */
export interface IntervalOptions {
  readonly clusterings: readonly Clustering[]
  readonly seed: number
}

// Fewer than for the rates of rankings: 2,000 give an interval to about a twentieth of its width.
export const secondaryReplicates = 2000

/** A ratio of sums with the interval of a cluster bootstrap, or the reason why there is none. */
export function pooledRate(terms: readonly RateTerm[], options: IntervalOptions): CountedRate {
  let numerator = 0
  let denominator = 0
  for (const term of terms) {
    numerator += term.numerator
    denominator += term.denominator
  }
  if (denominator === 0) return withoutInterval(numerator, denominator, 'there is nothing to divide by')
  if (numerator === 0 || numerator === denominator) {
    const all = numerator === 0 ? 'none' : 'all'
    return withoutInterval(numerator, denominator, `${all} of ${denominator}, so resampling says nothing`)
  }
  const interval = resampledInterval(terms, options)
  if (interval === null) return withoutInterval(numerator, denominator, tooLittle)
  return { rate: numerator / denominator, numerator, denominator, interval, noIntervalReason: null }
}

/** A mean, in milliseconds, of words that are summed up by answer: numerators are sums of milliseconds. */
export function pooledMean(terms: readonly RateTerm[], options: IntervalOptions): MeanTimeError {
  const wordCount = terms.reduce((sum, { denominator }) => sum + denominator, 0)
  if (wordCount === 0) {
    return { meanMs: null, wordCount, interval: null, noIntervalReason: 'there is nothing to divide by' }
  }
  const meanMs = terms.reduce((sum, { numerator }) => sum + numerator, 0) / wordCount
  const interval = resampledInterval(terms, options)
  return { meanMs, wordCount, interval, noIntervalReason: interval === null ? tooLittle : null }
}

const tooLittle = 'there is too little to resample'

/** Null where resampling shows no spread. */
function resampledInterval(
  terms: readonly RateTerm[],
  { clusterings, seed }: IntervalOptions,
): Interval | null {
  const interval = widestInterval(clusterings, ({ clusterOf }) =>
    bootstrapRatio(
      sumByCluster(
        terms,
        terms.map(({ utterance }) => clusterOf(utterance)),
      ),
      { random: seededRandom(seed), replicates: secondaryReplicates },
    ),
  )
  return interval === null || interval.low === interval.high ? null : interval
}

/**
 * A share of utterances with Wilson's interval, which has a width at 0 and at 1 as well: the right one for what
 * mostly does not occur. Utterances are taken as independent of each other.
 */
export function utteranceShare(count: number, utteranceCount: number): CountedRate {
  const wilson = wilsonInterval(count, utteranceCount)
  if (wilson === null) return withoutInterval(count, utteranceCount, 'there is nothing to divide by')
  const { share, low, high, confidence } = wilson
  return {
    rate: share,
    numerator: count,
    denominator: utteranceCount,
    interval: { low, high, confidence, method: 'wilson' },
    noIntervalReason: null,
  }
}

function withoutInterval(numerator: number, denominator: number, noIntervalReason: string): CountedRate {
  const rate = denominator === 0 ? null : numerator / denominator
  return { rate, numerator, denominator, interval: null, noIntervalReason }
}

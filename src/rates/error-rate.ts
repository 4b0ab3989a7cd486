import { seededRandom } from '#prelude'
import {
  addCounts,
  errorCount,
  errorRate,
  hypothesisLength,
  noErrors,
  referenceLength,
} from '#scoring/counts'
import type { ErrorCounts } from '#scoring/shapes'
import { abcInterval } from '#statistics/abc-interval'
import { bootstrapRatio, type RatioTerm } from '#statistics/bootstrap'
import type { Bounds } from '#statistics/bounds'
import type { ErrorRate, Interval } from './documents.ts'

export interface Clustered {
  readonly id: string
  readonly speaker: string | null
  /** The recordings that this one was derived from: all versions of a recording are one cluster. */
  readonly derived?: { readonly parents: readonly string[] } | undefined
  /** Host that measured the utterance, in a run with several hosts. */
  readonly host?: string | undefined
}

/** A way to cluster the bootstrap: by utterance, by speaker or by host. */
export interface Clustering {
  readonly method: Extract<
    Interval['method'],
    'bootstrap-by-utterance' | 'bootstrap-by-speaker' | 'bootstrap-by-host'
  >
  clusterOf(utterance: Clustered): string
}

/** Repeats and derived versions of an utterance depend on each other, so they are one cluster. */
const byUtterance: Clustering = {
  method: 'bootstrap-by-utterance',
  clusterOf: findRecording,
}

/** Requests of one host share its hardware and its time. */
export const byHost: Clustering = {
  method: 'bootstrap-by-host',
  clusterOf: ({ host = '' }) => host,
}

const bySpeaker: Clustering = {
  method: 'bootstrap-by-speaker',
  clusterOf: (utterance) => utterance.speaker ?? findRecording(utterance),
}

function findRecording({ id, derived }: Clustered): string {
  return derived?.parents.join('\n') ?? id
}

/** Number of speakers from which resampling by speaker alone is enough. */
const enoughSpeakers = 10

/**
 * Returns the clusterings of an interval, of which the widest interval is reported.
 *
 * It is by speaker where every speaker is known and there are at least two, because utterances of one speaker share
 * their errors. Below ten speakers it is also by utterance: two speakers with equal error rates would otherwise
 * give an interval of zero width.
 */
export function listClusterings(utterances: readonly Clustered[]): readonly Clustering[] {
  return clusteringsOf(countSpeakers(utterances) ?? 0)
}

function clusteringsOf(speakerCount: number): readonly Clustering[] {
  if (speakerCount < 2) return [byUtterance]
  return speakerCount < enoughSpeakers ? [bySpeaker, byUtterance] : [bySpeaker]
}

/** Returns the number of speakers; null where the speaker of any utterance is unknown. */
export function countSpeakers(utterances: readonly Clustered[]): number | null {
  const speakers = new Set(utterances.map((utterance) => utterance.speaker))
  return speakers.has(null) ? null : speakers.size
}

export interface ErrorTerm {
  readonly counts: ErrorCounts
  readonly utterance: Clustered
  /** Weight of the transcript, above 0; default: 1. */
  readonly weight?: number
}

/**
 * Pools transcripts into one error rate: weighted sum of errors / weighted sum of reference lengths, with a cluster
 * bootstrap interval. Counts are unweighted. An empty reference adds its insertions and no length.
 *
 * @param clusterings the ways to resample; the widest interval is reported
 * @param seed makes the interval repeatable; the same seed gives the same interval for the same terms
 * @param replicates number of bootstrap replicates; default: 10,000; 0 for no interval
 * @returns a null rate where the references are empty; a null interval, with the reason, where there is no credible
 *   one. Never throws
 * @see Bisani and Ney 2004, doi:10.1109/ICASSP.2004.1326009
 */
export function pooledErrorRate(
  terms: readonly ErrorTerm[],
  clusterings: readonly Clustering[],
  seed: number,
  replicates?: number,
): ErrorRate {
  const counts = terms.reduce((sum, term) => addCounts(sum, term.counts), noErrors)
  const resampled = replicates === 0 ? [] : clusterings
  const interval = widestInterval(
    resampled,
    (clustering) =>
      bootstrapRatio(clusterRatios(terms, clustering), { random: seededRandom(seed), replicates }).interval,
  )
  return {
    rate: weightedRate(terms) ?? errorRate(counts),
    ...believableInterval(interval, counts),
    counts,
    referenceLength: referenceLength(counts),
    hypothesisLength: hypothesisLength(counts),
  }
}

/** Returns null where no weight differs from 1, so that the plain sums are exact, and where the references are empty. */
function weightedRate(terms: readonly ErrorTerm[]): number | null {
  let [errors, length, isWeighted] = [0, 0, false]
  for (const { counts, weight = 1 } of terms) {
    errors += weight * errorCount(counts)
    length += weight * referenceLength(counts)
    isWeighted ||= weight !== 1
  }
  return isWeighted && length > 0 ? errors / length : null
}

/** Adds errors and lengths per cluster, in order of first appearance. */
function clusterRatios(terms: readonly ErrorTerm[], { clusterOf }: Clustering): readonly RatioTerm[] {
  const sums = new Map<string, { numerator: number; denominator: number }>()
  for (const { counts, utterance, weight = 1 } of terms) {
    const id = clusterOf(utterance)
    const sum = sums.get(id) ?? { numerator: 0, denominator: 0 }
    sums.set(id, sum)
    sum.numerator += weight * errorCount(counts)
    sum.denominator += weight * referenceLength(counts)
  }
  return [...sums.values()]
}

/**
 * Drops an interval of zero width. Where all clusters have the same rate, every replicate has it too, and the
 * bootstrap reports false certainty: no error in ten utterances does not exclude one in the eleventh.
 *
 * @see Efron and Tibshirani 1993, An Introduction to the Bootstrap, 7.4, on failures of the bootstrap
 */
export function believableInterval(
  interval: Interval | null,
  counts: ErrorCounts,
): Pick<ErrorRate, 'interval' | 'noIntervalReason'> {
  if (interval !== null && interval.high > interval.low) return { interval, noIntervalReason: null }
  return { interval: null, noIntervalReason: noIntervalReason(interval, counts) }
}

function noIntervalReason(interval: Interval | null, counts: ErrorCounts): string {
  if (referenceLength(counts) === 0) return 'the references hold no words'
  if (errorCount(counts) === 0) return 'no error occurred, so resampling cannot show how rare errors are'
  return interval === null
    ? 'there are fewer than two utterances or speakers to resample'
    : 'all that could be resampled has the same rate'
}

/** Min utterances for the ABC interval, which then differs by less than the noise of 10,000 replicates. */
const manyUtterances = 10_000
const confidence = 0.95

/**
 * Returns the interval of a ratio of sums over utterances.
 *
 * @param counts number of utterances that each term represents
 * @param bySpeaker sums per speaker; null where any speaker is unknown
 */
export function resampledInterval(
  terms: readonly RatioTerm[],
  counts: ArrayLike<number>,
  bySpeaker: readonly RatioTerm[] | null,
  { seed, replicates }: { readonly seed: number; readonly replicates: number },
): Interval | null {
  const utteranceCount = Array.from(counts).reduce((sum, count) => sum + count, 0)
  return widestInterval(clusteringsOf(bySpeaker?.length ?? 0), ({ method }) => {
    const options = { random: seededRandom(seed), replicates }
    if (method === 'bootstrap-by-speaker') return bootstrapRatio(bySpeaker ?? [], options).interval
    return utteranceCount < manyUtterances
      ? bootstrapRatio(terms, { ...options, counts }).interval
      : abcInterval(terms, counts, confidence)
  })
}

/** Returns the widest 95 % interval of the clusterings; null where none gives one. */
export function widestInterval(
  clusterings: readonly Clustering[],
  intervalOf: (clustering: Clustering) => Bounds | null,
): Interval | null {
  const intervals = clusterings.flatMap((clustering): readonly Interval[] => {
    const interval = intervalOf(clustering)
    return interval === null ? [] : [{ ...interval, confidence, method: clustering.method }]
  })
  return intervals.reduce<Interval | null>(
    (widest, one) => (widest === null || measureWidth(one) > measureWidth(widest) ? one : widest),
    null,
  )
}

function measureWidth({ low, high }: Interval): number {
  return high - low
}

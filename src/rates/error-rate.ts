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

/** What an interval needs to know of an utterance. */
export interface Clustered {
  readonly id: string
  readonly speaker: string | null
  /** Versions of one recording share their errors. */
  readonly derived?: { readonly parents: readonly string[] } | undefined
  /** Host that measured it, in a run of several. */
  readonly host?: string | undefined
}

/** What is resampled as one when an interval is made: utterances, speakers with all that they said, or hosts. */
export interface Clustering {
  readonly method: Extract<
    Interval['method'],
    'bootstrap-by-utterance' | 'bootstrap-by-speaker' | 'bootstrap-by-host'
  >
  clusterOf(utterance: Clustered): string
}

/** Repeats of an utterance in several rounds, and versions derived from it, are never independent and share a cluster. */
const byUtterance: Clustering = {
  method: 'bootstrap-by-utterance',
  clusterOf: findRecording,
}

/** Requests of one host share its hardware and its day. */
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

/** From so many speakers on, resampling them is enough by itself. */
const enoughSpeakers = 10

/**
 * The ways to resample for an interval; the widest interval is the one that is reported.
 *
 * By speaker where the speaker of every utterance is known and there are at least two, because the utterances
 * of one speaker share their errors. With fewer than ten speakers also by utterance: two speakers who happen
 * to have the same error rate would otherwise give an interval of no width.
 */
export function listClusterings(utterances: readonly Clustered[]): readonly Clustering[] {
  return clusteringsOf(countSpeakers(utterances) ?? 0)
}

function clusteringsOf(speakerCount: number): readonly Clustering[] {
  if (speakerCount < 2) return [byUtterance]
  return speakerCount < enoughSpeakers ? [bySpeaker, byUtterance] : [bySpeaker]
}

/** Null where the speaker of any utterance is unknown. */
export function countSpeakers(utterances: readonly Clustered[]): number | null {
  const speakers = new Set(utterances.map((utterance) => utterance.speaker))
  return speakers.has(null) ? null : speakers.size
}

/** The errors of one scored transcript, and whose they are. */
export interface ErrorTerm {
  readonly counts: ErrorCounts
  readonly utterance: Clustered
  /** How much it counts, above 0; 1 where left out. */
  readonly weight?: number
}

/**
 * Pools transcripts into one error rate: sum of errors / sum of reference lengths, each times its weight, with the
 * interval of a cluster bootstrap. Counts are sums without weights. An empty reference adds its insertions to the sum and nothing to the denominator.
 *
 * @param clusterings the ways to resample; the widest interval is reported
 * @param seed makes the interval repeatable; the same seed gives the same interval for the same terms
 * @param replicates of the bootstrap; default: 10,000; 0 for no interval
 * @returns rate null where the references hold nothing; the interval null, with the reason, where resampling says
 *   nothing. Never throws
 * @see Bisani and Ney 2004, doi:10.1109/ICASSP.2004.1326009
 */
export function pooledErrorRate(
  terms: readonly ErrorTerm[],
  clusterings: readonly Clustering[],
  seed: number,
  replicates?: number,
): ErrorRate {
  const counts = terms.reduce((sum, term) => addCounts(sum, term.counts), noErrors)
  const used = replicates === 0 ? [] : clusterings
  const interval = widestInterval(
    used,
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

/** Null where all weigh the same, and the plain sums are exact; and where the references hold nothing. */
function weightedRate(terms: readonly ErrorTerm[]): number | null {
  let [errors, length, isWeighted] = [0, 0, false]
  for (const { counts, weight = 1 } of terms) {
    errors += weight * errorCount(counts)
    length += weight * referenceLength(counts)
    isWeighted ||= weight !== 1
  }
  return isWeighted && length > 0 ? errors / length : null
}

/** Sums by cluster, in order of first appearance. */
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
 * An interval of a rate, unless resampling says nothing. Where nothing that was drawn differs, every draw gives
 * the same rate, and a bootstrap is certain of itself without reason: no error in ten utterances does not mean
 * that there are none in the eleventh.
 *
 * @see Efron and Tibshirani 1993, An Introduction to the Bootstrap, 7.4, where it fails
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

/** From so many utterances on the interval is computed: it differs by less than the noise of 10,000 replicates. */
const manyUtterances = 10_000
const confidence = 0.95

/**
 * The interval of a ratio of sums over utterances.
 *
 * @param counts how many utterances each term represents
 * @param bySpeaker sums over the utterances of each speaker; null where one is unknown
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

/** The widest of the intervals at 95 % that the clusterings give; null where none gives one. */
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

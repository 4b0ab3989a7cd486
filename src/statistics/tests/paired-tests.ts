import type { Random } from '#prelude'
import { binomialCumulative, estimateMean, normalCumulative } from '../distributions.ts'
import { rank } from './ranks.ts'

/**
 * Returns the exact two-sided p-value of "both directions are equally likely". The arguments count the pairs in
 * each direction, without pairs of no difference.
 *
 * It is also the exact McNemar test of discordant pairs: utterances without errors on only one of the two sides.
 *
 *   17 of 40 one way, 23 the other: 0.4296
 *
 * @returns 1 where no pair differs
 * @see Arbuthnott 1710; McNemar 1947, doi:10.1007/BF02295996; Gillick and Cox 1989,
 *   doi:10.1109/ICASSP.1989.266481, for its use on recognisers
 */
export function signTest(oneWay: number, otherWay: number): number {
  const all = oneWay + otherWay
  if (all === 0) return 1
  return Math.min(1, 2 * binomialCumulative(Math.min(oneWay, otherWay), all, 0.5))
}

/** Max number of differing pairs for the exact distribution, with or without ties. */
const exactUpTo = 50

export interface WilcoxonResult {
  /** Sum of the ranks of positive differences. */
  readonly positiveRankSum: number
  /** Number of pairs that differ. */
  readonly count: number
  readonly pValue: number
  readonly method: 'exact' | 'normal'
}

/**
 * Tests whether paired differences are centred at 0, by their signs and the ranks of their sizes. Pairs without a
 * difference are omitted. Equal sizes share their mean rank, also in the exact distribution. It assumes independent
 * and symmetric differences.
 *
 * @returns null where no pair differs
 * @see Wilcoxon 1945, doi:10.2307/3001968; Streitberg and Röhmel 1986 for the exact distribution with ties
 */
export function wilcoxonTest(differences: readonly number[]): WilcoxonResult | null {
  const differing = differences.filter((difference) => difference !== 0)
  if (differing.length === 0) return null
  const { ranks, tieTerm } = rank(differing.map(Math.abs))
  const count = differing.length
  const positiveRankSum = ranks.reduce(
    (sum, each, index) => ((differing[index] as number) > 0 ? sum + each : sum),
    0,
  )
  if (count <= exactUpTo) {
    return { positiveRankSum, count, pValue: exactSignedRankP(ranks, positiveRankSum), method: 'exact' }
  }
  const mean = (count * (count + 1)) / 4
  const variance = (count * (count + 1) * (2 * count + 1)) / 24 - tieTerm / 48
  const distance = Math.max(0, Math.abs(positiveRankSum - mean) - 0.5)
  const pValue = Math.min(1, 2 * normalCumulative(-distance / Math.sqrt(variance)))
  return { positiveRankSum, count, pValue, method: 'normal' }
}

/** Counts the ways to reach every sum, rank by rank. Twice a mean rank is a whole number. */
function exactSignedRankP(ranks: readonly number[], positiveRankSum: number): number {
  const doubled = ranks.map((each) => Math.round(2 * each))
  const total = doubled.reduce((sum, each) => sum + each, 0)
  const ways = new Float64Array(total + 1)
  ways[0] = 1
  for (const step of doubled) {
    for (let sum = total; sum >= step; sum -= 1) {
      ways[sum] = (ways[sum] as number) + (ways[sum - step] as number)
    }
  }
  const smaller = Math.min(Math.round(2 * positiveRankSum), total - Math.round(2 * positiveRankSum))
  const tail = ways.slice(0, smaller + 1).reduce((sum, count) => sum + count, 0)
  return Math.min(1, (2 * tail) / 2 ** ranks.length)
}

export interface MatchedSegmentsResult {
  readonly count: number
  /** Mean difference of errors per segment. */
  readonly mean: number
  readonly standardDeviation: number
  /** mean / (standard deviation / √n); 0 where no segment differs, null where all differ by the same. */
  readonly z: number | null
  /** Two-sided p-value from the normal distribution. */
  readonly pValue: number
}

/**
 * Runs the matched-pairs sentence-segment word-error test: whether the errors of two recognisers differ, over
 * segments so far apart that their errors are independent. It assumes many segments (50 and more).
 *
 * @param differences errors of one side minus errors of the other, one per segment
 * @returns null with fewer than two segments
 * @see Gillick and Cox 1989, doi:10.1109/ICASSP.1989.266481; Pallett, Fisher and Fiscus 1990
 */
export function matchedSegmentsTest(differences: readonly number[]): MatchedSegmentsResult | null {
  const estimate = estimateMean(differences)
  if (estimate === null) return null
  const { count, mean, standardDeviation, standardError } = estimate
  if (standardError === 0) {
    return { count, mean, standardDeviation, z: mean === 0 ? 0 : null, pValue: mean === 0 ? 1 : 0 }
  }
  const z = mean / standardError
  return { count, mean, standardDeviation, z, pValue: Math.min(1, 2 * normalCumulative(-Math.abs(z))) }
}

/** Max number of pairs for which all sign flips are tried, at most 65,536. */
const flippedUpTo = 16
const draws = 10_000

/**
 * Returns the two-sided p-value of “no difference” from the differences of independent pairs (speakers, runs). It
 * is the share of sign flips whose sum is at least as far from 0. Use it for fewer than ten speakers, where a
 * bootstrap is too optimistic. It is exact up to 16 pairs, otherwise random.
 *
 * The smallest possible p of n pairs is 2 / 2ⁿ, so p < 0.05 needs six pairs.
 *
 * @returns null without pairs
 * @see Fisher 1935, The Design of Experiments, 21; Good 2005, Permutation, Parametric and Bootstrap Tests, 3.1
 */
export function signFlipTest(differences: readonly number[], random: Random): number | null {
  if (differences.length === 0) return null
  const sum = (isFlipped: (index: number) => boolean): number =>
    Math.abs(differences.reduce((total, each, index) => total + (isFlipped(index) ? -each : each), 0))
  // Sums of the same numbers in another order differ in their last digits, hence the tolerance.
  const observed = sum(() => false) * (1 - 1e-12)
  if (differences.length > flippedUpTo) {
    let asFar = 0
    for (let draw = 0; draw < draws; draw += 1) if (sum(() => random.unit() < 0.5) >= observed) asFar += 1
    return (asFar + 1) / (draws + 1)
  }
  const ways = 2 ** differences.length
  let asFar = 0
  for (let way = 0; way < ways; way += 1)
    if (sum((index) => ((way >> index) & 1) === 1) >= observed) asFar += 1
  return asFar / ways
}

import type { Random } from '#prelude'
import { type PairedRatioTerm, type RatioTerm, resampledSums } from './bootstrap.ts'
import type { Bounds } from './bounds.ts'
import { estimateMean, inverseIncompleteBeta, normalQuantile, studentQuantile } from './distributions.ts'

/** A share with its interval, all in 0..1. */
export interface ProportionInterval {
  readonly share: number
  readonly low: number
  readonly high: number
  readonly confidence: number
}

/**
 * The interval of a share that is shown: right on average, never outside 0..1, never empty at 0 or 1.
 *
 * @returns null without trials
 * @see Wilson 1927, doi:10.1080/01621459.1927.10502953; recommended by Brown, Cai and DasGupta 2001
 */
export function wilsonInterval(
  successes: number,
  trials: number,
  confidence = 0.95,
): ProportionInterval | null {
  checkCounts(successes, trials)
  if (trials === 0) return null
  const z = normalQuantile(1 - (1 - confidence) / 2)
  const share = successes / trials
  const spread = 1 + (z * z) / trials
  const centre = (share + (z * z) / (2 * trials)) / spread
  const half = (z / spread) * Math.sqrt((share * (1 - share)) / trials + (z * z) / (4 * trials * trials))
  return {
    share,
    low: successes === 0 ? 0 : Math.max(0, centre - half),
    high: successes === trials ? 1 : Math.min(1, centre + half),
    confidence,
  }
}

/**
 * The interval of a share that an objective is judged by: it holds at least as often as it says, for any share.
 *
 * @returns null without trials
 * @see Clopper and Pearson 1934, doi:10.1093/biomet/26.4.404
 */
export function clopperPearsonInterval(
  successes: number,
  trials: number,
  confidence = 0.95,
): ProportionInterval | null {
  checkCounts(successes, trials)
  if (trials === 0) return null
  const tail = (1 - confidence) / 2
  return {
    share: successes / trials,
    low: successes === 0 ? 0 : inverseIncompleteBeta(tail, successes, trials - successes + 1),
    high: successes === trials ? 1 : inverseIncompleteBeta(1 - tail, successes + 1, trials - successes),
    confidence,
  }
}

/** Two shares of the same trials, each classified on both sides. */
export interface PairedCounts {
  readonly both: number
  readonly onlyBase: number
  readonly onlyRun: number
  readonly neither: number
}

/**
 * The difference of two shares of the same trials, run - base, with Newcombe's interval: Wilson's intervals of both shares,
 * put together with what they have in common (his method 10).
 *
 *   5 of 41 only on one side, none only on the other, 14 on both: 0.122 (0.011 to 0.226)
 *
 * @returns null without trials
 * @see Newcombe 1998, doi:10.1002/(SICI)1097-0258(19981130)17:22<2635::AID-SIM954>3.0.CO;2-C; the example is that of Altman
 *   et al. 2000, Statistics with Confidence, chapter 6
 */
export function pairedShareDifference(
  { both, onlyBase, onlyRun, neither }: PairedCounts,
  confidence = 0.95,
): { readonly difference: number; readonly low: number; readonly high: number } | null {
  const trials = both + onlyBase + onlyRun + neither
  const run = wilsonInterval(both + onlyRun, trials, confidence)
  const base = wilsonInterval(both + onlyBase, trials, confidence)
  if (run === null || base === null) return null
  const margins = (both + onlyRun) * (onlyBase + neither) * (both + onlyBase) * (onlyRun + neither)
  const common = both * neither - onlyBase * onlyRun
  const corrected = common > 0 ? Math.max(0, common - trials / 2) : common
  const correlation = margins === 0 ? 0 : corrected / Math.sqrt(margins)
  const together = (a: number, b: number): number =>
    Math.sqrt(Math.max(0, a ** 2 - 2 * correlation * a * b + b ** 2))
  const difference = (onlyRun - onlyBase) / trials
  return {
    difference,
    low: difference - together(run.share - run.low, base.high - base.share),
    high: difference + together(run.high - run.share, base.share - base.low),
  }
}

/**
 * The smallest number of trials, with these successes and none besides, after which a share is known to be at most
 * this: the upper bound of Clopper and Pearson, one-sided. 59, 93, 124 trials for 0, 1, 2 successes, 5 % and 0.95.
 *
 * @param atMost above 0, below 1
 * @throws RangeError for a share that no number of trials shows
 * @see MLPerf inference rules, "early stopping", which asks the same of latencies
 */
export function trialsToShow(successes: number, atMost: number, confidence = 0.95): number {
  if (!(atMost > 0 && atMost < 1))
    throw new RangeError(`a share that can be shown lies between 0 and 1, not ${atMost}`)
  const isShown = (trials: number): boolean =>
    (clopperPearsonInterval(Math.min(successes, trials), trials, 2 * confidence - 1)?.high ?? 1) <= atMost
  let few = 1
  let many = 1
  while (!isShown(many)) many *= 2
  while (few < many) {
    const middle = Math.floor((few + many) / 2)
    if (isShown(middle)) many = middle
    else few = middle + 1
  }
  return many
}

function checkCounts(successes: number, trials: number): void {
  if (!Number.isInteger(successes) || !Number.isInteger(trials) || successes < 0 || successes > trials) {
    throw new RangeError(`${successes} of ${trials} is not a share of whole counts`)
  }
}

/** How many times as large the ratio of one side is as that of the other. */
export interface RatioEstimate {
  /** (Σ run numerator / Σ run denominator) / (Σ base numerator / Σ base denominator). */
  readonly ratio: number
  /** Of the ratio. */
  intervalAt(confidence: number): Bounds
}

/**
 * The ratio of two ratios of sums over the same units, with a t-interval of its logarithm: a unit's part in it is what
 * it adds to each sum beyond its share. What makes a unit slow for both sides cancels. In closed form, because a few units
 * are too few for a bootstrap.
 *
 *   ln ratio = ln Σa - ln Σb - ln Σc + ln Σd      part of unit i = aᵢ/Σa - bᵢ/Σb - cᵢ/Σc + dᵢ/Σd
 *
 * @param units that are independent of each other
 * @returns null with fewer than two units, and where a sum is not above 0
 * @see Cochran 1977, Sampling Techniques, 6.4 (linearised variance of a ratio)
 */
export function ratioOfRatios(units: readonly PairedRatioTerm[]): RatioEstimate | null {
  const sum = (of: (unit: PairedRatioTerm) => number): number =>
    units.reduce((total, unit) => total + of(unit), 0)
  const [a, b] = [sum(({ run }) => run.numerator), sum(({ run }) => run.denominator)]
  const [c, d] = [sum(({ base }) => base.numerator), sum(({ base }) => base.denominator)]
  const count = units.length
  if (count < 2 || !(a > 0 && b > 0 && c > 0 && d > 0)) return null
  const squares = sum(
    ({ base, run }) =>
      (run.numerator / a - run.denominator / b - base.numerator / c + base.denominator / d) ** 2,
  )
  const error = Math.sqrt((squares * count) / (count - 1))
  const ratio = a / b / (c / d)
  return {
    ratio,
    intervalAt(confidence) {
      const reach = Math.exp(studentQuantile((1 + confidence) / 2, count - 1) * error)
      return { low: ratio / reach, high: ratio * reach }
    },
  }
}

/** Batches whose means resemble their neighbours' by more than this are too short to count as independent. */
const highestAutocorrelation = 0.2
/** Fewer batches than this give no interval that is worth its name. */
const minBatches = 10

export type BatchMeans =
  | {
      readonly resolved: true
      readonly mean: number
      readonly interval: Bounds
      readonly confidence: number
      readonly batchCount: number
      readonly batchLength: number
      /** Correlation of a batch's mean with the next one's. */
      readonly lag1: number
    }
  | { readonly resolved: false; readonly reason: string }

/**
 * The mean of one run's values in their order, which resemble their neighbours (requests in a queue do), with an
 * interval that knows it: the values are cut into batches, and the batches' means are the sample. Where
 * neighbouring batches are still alike, the batches are made twice as long.
 *
 *   values   ┆········┆········┆········┆ …        20 to 39 batches, at least 10
 *   means        x̄₁       x̄₂       x̄₃     …        lag-1 autocorrelation < 0.2, else twice the length
 *
 * @returns unresolved with the reason where the run is too short for that
 * @see Law and Kelton, Simulation Modeling and Analysis, 9.5.3; Conway 1963
 */
export function batchMeans(values: readonly number[], confidence = 0.95): BatchMeans {
  let lag1: number | null = null
  for (let length = Math.max(1, Math.floor(values.length / 20)); ; length *= 2) {
    const batchCount = Math.floor(values.length / length)
    if (batchCount < minBatches) {
      const reason =
        lag1 === null
          ? `needs at least ${minBatches} values, there are ${values.length}`
          : `neighbouring batches are alike (autocorrelation ${lag1.toFixed(2)}): a longer run is needed`
      return { resolved: false, reason }
    }
    // What does not fill a batch is left out at the start, where a run is least settled.
    const start = values.length - batchCount * length
    const means = Array.from({ length: batchCount }, (_, batch) => {
      const from = start + batch * length
      return values.slice(from, from + length).reduce((sum, value) => sum + value, 0) / length
    })
    lag1 = lag1Autocorrelation(means)
    const estimate = estimateMean(means)
    if (lag1 >= highestAutocorrelation || estimate === null) continue
    const interval = estimate.intervalAt(confidence)
    return {
      resolved: true,
      mean: estimate.mean,
      interval,
      confidence,
      batchCount,
      batchLength: length,
      lag1,
    }
  }
}

/** Correlation of each value with the next; 0 where nothing varies. */
export function lag1Autocorrelation(values: readonly number[]): number {
  // The rounded mean of equal values is none of them: all would then lie on the same side of it.
  if (values.every((value) => value === values[0])) return 0
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  let products = 0
  let squares = 0
  for (const [index, value] of values.entries()) {
    squares += (value - mean) ** 2
    const next = values[index + 1]
    if (next !== undefined) products += (value - mean) * (next - mean)
  }
  return squares === 0 ? 0 : products / squares
}

/** Where a rate that is measured at several conditions crosses a limit. */
export interface Crossing {
  /** Position among the conditions, from 0, with fractions; -Infinity above the limit everywhere, Infinity nowhere. */
  readonly position: number
  /** Ends of the 95 % interval, of the same kind; null with fewer than two units. */
  readonly interval: Bounds | null
}

/**
 * Finds the first pair of neighbouring conditions between which a ratio of sums exceeds a limit, and interpolates
 * linearly between them. The interval is of a percentile bootstrap over the units: each replicate draws units with all
 * of their conditions, so that what makes a unit hard at every condition cancels.
 *
 *   rate        ____/¯¯   0  1  2  3   position 1.4
 *   limit  - - -/- - -
 *
 * @param units one row for each independent unit, with a term for each condition from the easiest to the hardest
 * @returns null where a condition has no denominator
 * @see Efron and Tibshirani 1993, An Introduction to the Bootstrap, 13.3
 */
export function limitCrossing(
  units: readonly (readonly RatioTerm[])[],
  limit: number,
  random: Random,
  replicates = 2000,
): Crossing | null {
  const conditionCount = units[0]?.length ?? 0
  const columns = Array.from({ length: conditionCount }, (_, at) => [
    Float64Array.from(units, (terms) => terms[at]?.numerator ?? 0),
    Float64Array.from(units, (terms) => terms[at]?.denominator ?? 0),
  ]).flat()
  const total = columns.map((column) => column.reduce((sum, value) => sum + value, 0))
  if (conditionCount === 0 || total.some((sum, index) => index % 2 === 1 && sum === 0)) return null
  const position = findPosition(divideSums(total), limit)
  if (units.length < 2) return { position, interval: null }
  const sums = resampledSums(columns, new Uint8Array(units.length).fill(1), replicates, random)
  const positions = Float64Array.from({ length: replicates }, (_, replicate) =>
    findPosition(divideSums(sums.map((column) => column[replicate] as number)), limit),
  ).sort()
  const tail = (1 - 0.95) / 2
  const at = (share: number): number => positions[Math.round(share * (replicates - 1))] as number
  return { position, interval: { low: at(tail), high: at(1 - tail) } }
}

function divideSums(sums: readonly number[]): readonly number[] {
  return Array.from({ length: sums.length / 2 }, (_, at) => {
    const denominator = sums[2 * at + 1] as number
    // A draw without words at one condition has no rate there; it counts as no error.
    return denominator === 0 ? 0 : (sums[2 * at] as number) / denominator
  })
}

function findPosition(rates: readonly number[], limit: number): number {
  const first = rates.findIndex((rate) => rate > limit)
  if (first === -1) return Infinity
  if (first === 0) return -Infinity
  const [before, after] = [rates[first - 1] as number, rates[first] as number]
  return first - 1 + (limit - before) / (after - before)
}

import type { Random } from '#prelude'
import { type PairedRatioTerm, type RatioTerm, resampledSums } from './bootstrap.ts'
import type { Bounds } from './bounds.ts'
import { estimateMean, inverseIncompleteBeta, normalQuantile, studentQuantile } from './distributions.ts'

/** A share and its interval, in 0..1. */
export interface ProportionInterval {
  readonly share: number
  readonly low: number
  readonly high: number
  readonly confidence: number
}

/**
 * Returns Wilson's interval of a share, for display: its mean coverage is right, it stays within 0..1, and it has a
 * positive width at 0 and 1.
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
 * Returns Clopper and Pearson's interval of a share, for checking objectives: its coverage is at least its
 * confidence for any share.
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

/** Counts of trials that are each classified on both sides. */
export interface PairedCounts {
  readonly both: number
  readonly onlyBase: number
  readonly onlyRun: number
  readonly neither: number
}

/**
 * Returns the difference run - base of two shares of the same trials, with Newcombe's interval (his method 10). It
 * combines the Wilson intervals of both shares with their correlation.
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
 * Returns the min number of trials, with exactly these successes, that shows a share to be at most `atMost`. It
 * uses the one-sided upper bound of Clopper and Pearson: 59, 93, 124 trials for 0, 1, 2 successes, 5 % and 0.95.
 *
 * @param atMost above 0, below 1
 * @throws RangeError for a share that no number of trials can show
 * @see MLPerf inference rules, "early stopping", which applies it to latencies
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

/** A ratio between two sides, each a ratio of sums. */
export interface RatioEstimate {
  /** (Σ run numerator / Σ run denominator) / (Σ base numerator / Σ base denominator). */
  readonly ratio: number
  /** Returns the interval of the ratio. */
  intervalAt(confidence: number): Bounds
}

/**
 * Returns the ratio of two ratios of sums over the same units, with a t-interval of its logarithm. A unit
 * contributes what it adds to each sum beyond its share, so a common slowness of both sides cancels. The closed
 * form suits few units, for which a bootstrap is unsuitable.
 *
 *   ln ratio = ln Σa - ln Σb - ln Σc + ln Σd      contribution of unit i = aᵢ/Σa - bᵢ/Σb - cᵢ/Σc + dᵢ/Σd
 *
 * @param units independent units
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

/** Max autocorrelation of batch means. Above it, batches are too short to count as independent. */
const highestAutocorrelation = 0.2
/** Min number of batches for a useful interval. */
const minBatches = 10

export type BatchMeans =
  | {
      readonly resolved: true
      readonly mean: number
      readonly interval: Bounds
      readonly confidence: number
      readonly batchCount: number
      readonly batchLength: number
      /** Lag-1 autocorrelation of the batch means. */
      readonly lag1: number
    }
  | { readonly resolved: false; readonly reason: string }

/**
 * Estimates the mean of correlated values in their order, such as requests in a queue, by batch means: the values
 * are cut into batches, whose means are the sample. Where neighbouring batches are still correlated, the batch
 * length is doubled.
 *
 *   values   ┆········┆········┆········┆ …        20 to 39 batches, at least 10
 *   means        x̄₁       x̄₂       x̄₃     …        lag-1 autocorrelation < 0.2, else twice the length
 *
 * @returns unresolved, with the reason, where the run is too short
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
    // Values that fill no batch are omitted at the start, where a run is least settled.
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

/** Returns the correlation of each value with the next; 0 where nothing varies. */
export function lag1Autocorrelation(values: readonly number[]): number {
  // The rounded mean of equal values may differ from all of them, which would then look perfectly correlated.
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

/** Condition at which a rate crosses a limit. */
export interface Crossing {
  /** Interpolated index of the condition, from 0; -Infinity if all rates exceed the limit, Infinity if none does. */
  readonly position: number
  /** 95 % interval of the position; null with fewer than two units. */
  readonly interval: Bounds | null
}

/**
 * Finds the first pair of neighbouring conditions between which a ratio of sums exceeds a limit, and interpolates
 * linearly between them. The interval is a percentile bootstrap over the units. A replicate draws each unit with
 * all its conditions, so that its common difficulty cancels.
 *
 *   rate        ____/¯¯   0  1  2  3   position 1.4
 *   limit  - - -/- - -
 *
 * @param units for each independent unit, one term per condition, from the easiest to the hardest
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
    // A draw without words at a condition has no rate there, and counts as free of errors.
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

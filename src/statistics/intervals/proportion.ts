import { normalQuantile } from '../distributions/normal.ts'
import { inverseIncompleteBeta } from '../distributions/special-functions.ts'

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

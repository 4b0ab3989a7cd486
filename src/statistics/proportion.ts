import { normalQuantile } from './normal.ts'
import { inverseIncompleteBeta } from './special-functions.ts'

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
 * The interval of a share that a promise is judged by: it holds at least as often as it says, for any share.
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

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

function checkCounts(successes: number, trials: number): void {
  if (!Number.isInteger(successes) || !Number.isInteger(trials) || successes < 0 || successes > trials) {
    throw new RangeError(`${successes} of ${trials} is not a share of whole counts`)
  }
}

import type { Bounds } from '#statistics/bounds'
import type { Verdict } from '../../documents/contender-comparison.ts'

/** A difference that needs a verdict. */
export interface Claim {
  readonly better: 'lower' | 'higher'
  /** Differences inside ± margin count as none; in the unit of the difference. */
  readonly margin: number
  /** Returns null where there is no interval, which leaves the claim unresolved. */
  intervalAt(confidence: number): Bounds | null
  /** Whether the evidence suffices to call one side better at this confidence. */
  canDecideAt(confidence: number): boolean
}

/**
 * Returns one verdict per claim, with joint confidence: with 48 comparisons of equal contenders, separate verdicts at
 * 95 % would find a "difference" in nine of ten experiments.
 *
 *      -margin      0      margin
 *   ├──┤  ┆               ┆           better   (where lower is better)
 *         ┆   ├──────┤    ┆           equivalent
 *         ┆               ┆  ├────┤   worse
 *      ├───────┤          ┆           unresolved, as is every other position
 *
 * The intervals of m open claims are first taken at 1 - α/m. Claims that they decide are closed, and the rest is
 * tested again with the smaller m, until no more are decided.
 *
 * @see Holm 1979 for the steps, Shaffer 1980, doi:10.1214/aos/1176345205, for why they hold for directions; Lakens
 *   2017, doi:10.1177/1948550617697177, for equivalence by interval
 */
export function decide(claims: readonly Claim[]): readonly Verdict[] {
  return decideWithConfidence(claims).map(({ verdict }) => verdict)
}

/** A verdict with the confidence of its interval. */
export interface Decision {
  readonly verdict: Verdict
  /** Confidence of the interval that decided the verdict; for an unresolved claim, of the last interval. */
  readonly confidence: number
}

/**
 * Returns the verdicts of `decide`, each with its confidence.
 *
 * @param confidence joint confidence of all claims, 0..1
 */
export function decideWithConfidence(claims: readonly Claim[], confidence = 0.95): readonly Decision[] {
  const decisions = new Array<Decision>(claims.length)
  let open = claims.map((claim, index) => ({ claim, index }))
  while (open.length > 0) {
    const confidenceOfEach = 1 - (1 - confidence) / open.length
    const stillOpen = open.filter(({ claim, index }) => {
      const verdict = verdictAt(claim, confidenceOfEach)
      decisions[index] = { verdict, confidence: confidenceOfEach }
      return verdict === 'unresolved'
    })
    if (stillOpen.length === open.length) break
    open = stillOpen
  }
  return decisions
}

function verdictAt(claim: Claim, confidence: number): Verdict {
  const interval = claim.intervalAt(confidence)
  if (interval === null) return 'unresolved'
  const { margin } = claim
  const { low, high } =
    claim.better === 'lower' ? interval : { low: 0 - interval.high, high: 0 - interval.low }
  if (low >= -margin && high <= margin) return 'equivalent'
  if (!claim.canDecideAt(confidence)) return 'unresolved'
  if (high < -margin) return 'better'
  return low > margin ? 'worse' : 'unresolved'
}

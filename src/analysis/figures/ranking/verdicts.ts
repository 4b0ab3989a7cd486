import type { Verdict } from '../../documents/judgement.ts'
/** A difference that a verdict is wanted on. */
export interface Claim {
  readonly better: 'lower' | 'higher'
  /** Differences inside ± margin count as none; in the unit of the difference. */
  readonly margin: number
  /** Null where there is none, which leaves the claim unresolved. */
  intervalAt(confidence: number): Bounds | null
  /** Whether there is enough evidence at all to call one side better at this confidence. */
  canDecideAt(confidence: number): boolean
}

interface Bounds {
  readonly low: number
  readonly high: number
}

/**
 * One verdict for every claim, such that all of them together are as sure as one would be: with 48 comparisons of
 * equal contenders, verdicts at 95 % each would find a "difference" in nine of ten comparisons.
 *
 *      -margin      0      margin
 *   ├──┤  ┆               ┆           better   (where lower is better)
 *         ┆   ├──────┤    ┆           equivalent
 *         ┆               ┆  ├────┤   worse
 *      ├───────┤          ┆           unresolved, as is every other position
 *
 * The intervals of m open claims are first taken at 1 - α/m; what they decide is closed, and the rest is looked at
 * again with the smaller number, until nothing more is decided.
 *
 * @param confidence of the whole family, 0..1
 * @see Holm 1979 for the steps, Shaffer 1980, doi:10.1214/aos/1176345205, for why they hold for directions; Lakens
 *   2017, doi:10.1177/1948550617697177, for equivalence by interval
 */
export function decide(claims: readonly Claim[], confidence = 0.95): readonly Verdict[] {
  return settle(claims, confidence).map(({ verdict }) => verdict)
}

/** A verdict with the interval that it rests on. */
export interface Settled {
  readonly verdict: Verdict
  /** Of the interval by which it was decided; of one that is unresolved the last that was looked at. */
  readonly confidence: number
}

/** As `decide`, each verdict with its confidence. */
export function settle(claims: readonly Claim[], confidence = 0.95): readonly Settled[] {
  const settled = new Array<Settled>(claims.length)
  let open = claims.map((claim, index) => ({ claim, index }))
  while (open.length > 0) {
    const each = 1 - (1 - confidence) / open.length
    const stillOpen = open.filter(({ claim, index }) => {
      const verdict = verdictAt(claim, each)
      settled[index] = { verdict, confidence: each }
      return verdict === 'unresolved'
    })
    if (stillOpen.length === open.length) break
    open = stillOpen
  }
  return settled
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

import type { ErrorCounts } from '../shapes.ts'
import { distanceOf } from './column-bits.ts'
import { canonicalMoves, sweepCounts } from './corridor.ts'
import { type Alignment, countMoves, countsOf, stepsOf } from './moves.ts'
import type { NumberedPair } from './numbered-pair.ts'
import { numberTokens } from './numbered-pair.ts'
import { tracePath, weightedPath } from './other-scorers.ts'

/**
 * Which alignment is taken. Those of `canonical`, `jiwer` and `kaldi` have the fewest edits, and so the same
 * error rate; hits, substitutions, deletions and insertions, and with them MER, WIL, WIP and confusions, depend
 * on the rule. `canonical` has the most hits; the others are what those three scorers take. `sclite` prefers
 * three gaps on either side to five substitutions, and can count more errors than the fewest.
 */
export type AlignmentRule = 'canonical' | 'jiwer' | 'kaldi' | 'sclite'

/** Every alignment rule, the default first. */
export const alignmentRules: readonly AlignmentRule[] = ['canonical', 'jiwer', 'kaldi', 'sclite']

/**
 * Aligns a hypothesis with its reference using the fewest edits and, among those, the most tokens right. The
 * second condition makes the counts unique and the same in both directions; what is then left to choose only
 * moves the drawing, and the leftmost is drawn: reading from the left, a pair where a pair is as good, else a
 * deletion, else an insertion.
 *
 *   reference   the  big  cat  sat   ·
 *   hypothesis  the   ·   cat  sad  now
 *                =    D    =    S    I     (three substitutions are as few edits, with one word right)
 *
 * @param reference normalised tokens, length n ≥ 0
 * @param hypothesis normalised tokens, length m ≥ 0
 * @param rule default: `canonical`
 * @returns n + insertions steps in reading order; empty when both are empty. Never throws.
 * @see Wagner and Fischer 1974, doi:10.1145/321796.321811, for the distance; Myers 1999 and Hyyrö 2003 for
 *   how it is found, 32 cells at a time. Memory linear in n + m; time O(n · m / 32), and about
 *   O(distance · m / 32) where few tokens differ.
 */
export function align(
  reference: readonly string[],
  hypothesis: readonly string[],
  rule: AlignmentRule = 'canonical',
): Alignment {
  const moves = movesBetween(reference, hypothesis, rule)
  return { counts: countMoves(moves), steps: stepsOf(moves, reference, hypothesis) }
}

/** The counts of `align` alone, faster. */
export function countErrors(
  reference: readonly string[],
  hypothesis: readonly string[],
  rule: AlignmentRule = 'canonical',
): ErrorCounts {
  if (rule === 'kaldi' || rule === 'sclite') return countMoves(movesBetween(reference, hypothesis, rule))
  const { start, end } = commonEnds(reference, hypothesis)
  const matched = start + end
  const n = reference.length - matched
  const m = hypothesis.length - matched
  if (n === 0 || m === 0) return { hits: matched, substitutions: 0, deletions: n, insertions: m }
  const counts = countNumbered(
    numberTokens(reference.slice(start, start + n), hypothesis.slice(start, start + m)),
    rule,
  )
  return { ...counts, hits: counts.hits + matched }
}

/** The counts of a pair of numbered tokens. */
export function countNumbered(pair: NumberedPair, rule: 'canonical' | 'jiwer'): ErrorCounts {
  const { start, end } = commonEnds(pair.reference, pair.hypothesis)
  const matched = start + end
  if (matched === 0) return countMiddle(pair, rule)
  const reference = pair.reference.subarray(start, pair.reference.length - end)
  const hypothesis = pair.hypothesis.subarray(start, pair.hypothesis.length - end)
  const counts = countMiddle({ ...pair, reference, hypothesis }, rule)
  return { ...counts, hits: counts.hits + matched }
}

/** @param pair both sides begin and end with another token */
function countMiddle(pair: NumberedPair, rule: 'canonical' | 'jiwer'): ErrorCounts {
  const [n, m] = [pair.reference.length, pair.hypothesis.length]
  if (n === 0 || m === 0) return { hits: 0, substitutions: 0, deletions: n, insertions: m }
  if (rule === 'jiwer') return countMoves(tracePath(pair, rule))
  const { edits, substitutions } = sweepCounts(pair)
  return countsOf(edits, substitutions, n, m)
}

/**
 * The fewest edits between two token lists, without an alignment.
 *
 * @see Ukkonen 1985, doi:10.1016/S0019-9958(85)80046-2; Myers 1999, doi:10.1145/316542.316550
 */
export function editDistance(reference: readonly string[], hypothesis: readonly string[]): number {
  const { start, end } = commonEnds(reference, hypothesis)
  const n = reference.length - start - end
  const m = hypothesis.length - start - end
  if (n === 0 || m === 0) return n + m
  return distanceOf(numberTokens(reference.slice(start, start + n), hypothesis.slice(start, start + m)))
}

function movesBetween(
  reference: readonly string[],
  hypothesis: readonly string[],
  rule: AlignmentRule,
): Uint8Array {
  if (rule === 'kaldi') return tracePath(numberTokens(reference, hypothesis), rule)
  if (rule === 'sclite') return weightedPath(numberTokens(reference, hypothesis))
  if (rule === 'canonical') return canonicalMoves(numberTokens(reference, hypothesis))
  const { start, end } = commonEnds(reference, hypothesis)
  const moves = tracePath(
    numberTokens(
      reference.slice(start, reference.length - end),
      hypothesis.slice(start, hypothesis.length - end),
    ),
    rule,
  )
  // Hits are moves of number 0, which a new array holds.
  const whole = new Uint8Array(start + moves.length + end)
  whole.set(moves, start)
  return whole
}

/**
 * How many tokens both sides begin with, and then end with. Those can always be matched: a best path that
 * does otherwise can be changed at its first (last) token without another edit or a lost hit.
 */
function commonEnds(
  reference: ArrayLike<unknown>,
  hypothesis: ArrayLike<unknown>,
): { readonly start: number; readonly end: number } {
  const shorter = Math.min(reference.length, hypothesis.length)
  let start = 0
  while (start < shorter && reference[start] === hypothesis[start]) start += 1
  let end = 0
  while (
    end < shorter - start &&
    reference[reference.length - 1 - end] === hypothesis[hypothesis.length - 1 - end]
  ) {
    end += 1
  }
  return { start, end }
}

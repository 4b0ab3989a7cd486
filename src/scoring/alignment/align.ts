import type { ErrorCounts } from '../counts.ts'
import { countCanonical, move, pathCanonical } from './canonical.ts'
import type { Alignment, AlignmentStep } from './steps.ts'
import { numberTokens } from './token-ids.ts'

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
 * @returns n + insertions steps in reading order; empty when both are empty. Never throws.
 * @see Wagner and Fischer 1974, doi:10.1145/321796.321811
 */
export function alignTokens(reference: readonly string[], hypothesis: readonly string[]): Alignment {
  const ids = numberTokens(reference, hypothesis)
  const steps: AlignmentStep[] = []
  let row = 0
  let column = 0
  for (const step of pathCanonical(ids.reference, ids.hypothesis)) {
    const expected = reference[row] as string
    const heard = hypothesis[column] as string
    if (step === move.deletion) steps.push({ kind: 'deletion', reference: expected, hypothesis: null })
    else if (step === move.insertion) steps.push({ kind: 'insertion', reference: null, hypothesis: heard })
    else if (step === move.hit) steps.push({ kind: 'hit', reference: expected, hypothesis: heard })
    else steps.push({ kind: 'substitution', reference: expected, hypothesis: heard })
    if (step !== move.insertion) row += 1
    if (step !== move.deletion) column += 1
  }
  return { counts: countCanonical(ids.reference, ids.hypothesis), steps }
}

/** The counts of `alignTokens` alone: faster, in memory that grows with one side only. */
export function countErrors(reference: readonly string[], hypothesis: readonly string[]): ErrorCounts {
  const ids = numberTokens(reference, hypothesis)
  return countCanonical(ids.reference, ids.hypothesis)
}

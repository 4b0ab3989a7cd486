import type { AlignmentStep, ErrorCounts } from '../shapes.ts'

/** The four moves of an alignment's path, as small numbers for typed arrays. */
export const move = { hit: 0, substitution: 1, deletion: 2, insertion: 3 } as const

/** How often each move occurs. */
export function countMoves(moves: Uint8Array): ErrorCounts {
  const counts = [0, 0, 0, 0]
  for (const made of moves) counts[made] = (counts[made] as number) + 1
  const [hits = 0, substitutions = 0, deletions = 0, insertions = 0] = counts
  return { hits, substitutions, deletions, insertions }
}

/**
 * Edits, substitutions and the two lengths determine all four counts: a hit and a substitution use up a token
 * of each side, a deletion one of the reference, an insertion one of the hypothesis.
 */
export function countsOf(
  edits: number,
  substitutions: number,
  referenceLength: number,
  hypothesisLength: number,
): ErrorCounts {
  const gaps = edits - substitutions
  const deletions = (gaps + referenceLength - hypothesisLength) / 2
  return {
    hits: referenceLength - substitutions - deletions,
    substitutions,
    deletions,
    insertions: gaps - deletions,
  }
}

/** The tokens of both sides, written out along the moves. */
export function stepsOf(
  moves: Uint8Array,
  reference: readonly string[],
  hypothesis: readonly string[],
): AlignmentStep[] {
  const steps: AlignmentStep[] = []
  let row = 0
  let column = 0
  for (const made of moves) {
    const expected = reference[row] as string
    const heard = hypothesis[column] as string
    if (made === move.deletion) steps.push({ kind: 'deletion', reference: expected, hypothesis: null })
    else if (made === move.insertion) steps.push({ kind: 'insertion', reference: null, hypothesis: heard })
    else if (made === move.hit) steps.push({ kind: 'hit', reference: expected, hypothesis: heard })
    else steps.push({ kind: 'substitution', reference: expected, hypothesis: heard })
    if (made !== move.insertion) row += 1
    if (made !== move.deletion) column += 1
  }
  return steps
}

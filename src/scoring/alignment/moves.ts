import type { AlignmentStep, ErrorCounts } from '../shapes.ts'
import type { NumberedPair } from './numbered-pair.ts'

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

/** Which tokens answer to which, and how many do not. */
export interface Alignment {
  readonly counts: ErrorCounts
  readonly steps: readonly AlignmentStep[]
}

/** The way from the last corner of a matrix towards its first, and the moves that were found on it. */
export interface Walk {
  readonly moves: Uint8Array
  /** Index of the last written move. */
  at: number
  row: number
  column: number
}

/**
 * Finds the moves of a pair from its end.
 *
 * @param goBack walks until one side is used up; not called where one is empty. What is left of the other are gaps
 * @returns moves in reading order
 */
export function movesFromEnd(pair: NumberedPair, goBack: (walk: Walk) => void): Uint8Array {
  const { reference, hypothesis } = pair
  const moves = new Uint8Array(reference.length + hypothesis.length)
  const walk: Walk = { moves, at: moves.length, row: reference.length, column: hypothesis.length }
  if (reference.length > 0 && hypothesis.length > 0) goBack(walk)
  const { at, row, column } = walk
  moves.fill(move.deletion, at - row, at)
  moves.fill(move.insertion, at - row - column, at - row)
  return moves.subarray(at - row - column)
}

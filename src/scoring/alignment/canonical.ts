import type { ErrorCounts } from '../counts.ts'

// A path's cost is edits · 2²⁰ + substitutions: fewest edits first, and among those fewest substitutions,
// which is the same as most hits (hits and substitutions use up two tokens, the others one). Doubles hold
// it exactly for any pair that fits in memory.
const edit = 2 ** 20
const substitution = edit + 1

/**
 * Counts of the canonical alignment, in two rows of memory.
 *
 * @see Wagner and Fischer 1974, doi:10.1145/321796.321811
 */
export function countCanonical(reference: Int32Array, hypothesis: Int32Array): ErrorCounts {
  let start = 0
  let referenceEnd = reference.length
  let hypothesisEnd = hypothesis.length
  // What both begin or end with can always be matched at no loss (exchange argument on any best path).
  while (start < referenceEnd && start < hypothesisEnd && reference[start] === hypothesis[start]) start += 1
  while (
    referenceEnd > start &&
    hypothesisEnd > start &&
    reference[referenceEnd - 1] === hypothesis[hypothesisEnd - 1]
  ) {
    referenceEnd -= 1
    hypothesisEnd -= 1
  }
  const width = hypothesisEnd - start
  const row = new Float64Array(width + 1)
  for (let column = 0; column <= width; column += 1) row[column] = column * edit
  for (let position = start; position < referenceEnd; position += 1) {
    const token = reference[position]
    let diagonal = row[0] as number
    let left = diagonal + edit
    row[0] = left
    for (let column = 1; column <= width; column += 1) {
      const above = row[column] as number
      let best = diagonal + (hypothesis[start + column - 1] === token ? 0 : substitution)
      if (above + edit < best) best = above + edit
      if (left + edit < best) best = left + edit
      row[column] = best
      diagonal = above
      left = best
    }
  }
  return countsOfCost(row[width] as number, reference.length, hypothesis.length)
}

/** Edits, substitutions and the two lengths determine all four counts. */
export function countsOfCost(cost: number, referenceLength: number, hypothesisLength: number): ErrorCounts {
  const edits = Math.floor(cost / edit)
  const substitutions = cost - edits * edit
  const gaps = edits - substitutions
  const deletions = (gaps + referenceLength - hypothesisLength) / 2
  return {
    hits: referenceLength - substitutions - deletions,
    substitutions,
    deletions,
    insertions: gaps - deletions,
  }
}

/** The four moves of a path, as small numbers for typed arrays. */
export const move = { hit: 0, substitution: 1, deletion: 2, insertion: 3 } as const

/** Moves of the canonical alignment, the leftmost drawn: a pair where one is as good, else a deletion. */
export function pathCanonical(reference: Int32Array, hypothesis: Int32Array): Uint8Array {
  const height = reference.length
  const width = hypothesis.length
  const stride = width + 1
  const costToGo = new Float64Array((height + 1) * stride)
  for (let column = width - 1; column >= 0; column -= 1) {
    costToGo[height * stride + column] = (width - column) * edit
  }
  for (let row = height - 1; row >= 0; row -= 1) {
    costToGo[row * stride + width] = (height - row) * edit
    for (let column = width - 1; column >= 0; column -= 1) {
      const here = row * stride + column
      const pair = reference[row] === hypothesis[column] ? 0 : substitution
      costToGo[here] = Math.min(
        (costToGo[here + stride + 1] as number) + pair,
        (costToGo[here + stride] as number) + edit,
        (costToGo[here + 1] as number) + edit,
      )
    }
  }
  return walk(reference, hypothesis, costToGo)
}

function walk(reference: Int32Array, hypothesis: Int32Array, costToGo: Float64Array): Uint8Array {
  const stride = hypothesis.length + 1
  const moves: number[] = []
  let row = 0
  let column = 0
  while (row < reference.length || column < hypothesis.length) {
    const here = row * stride + column
    const isHit = reference[row] === hypothesis[column]
    const pair = isHit ? 0 : substitution
    const canPair = row < reference.length && column < hypothesis.length
    if (canPair && costToGo[here] === (costToGo[here + stride + 1] as number) + pair) {
      moves.push(isHit ? move.hit : move.substitution)
      row += 1
      column += 1
    } else if (row < reference.length && costToGo[here] === (costToGo[here + stride] as number) + edit) {
      moves.push(move.deletion)
      row += 1
    } else {
      moves.push(move.insertion)
      column += 1
    }
  }
  return Uint8Array.from(moves)
}

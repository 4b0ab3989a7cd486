import type { ErrorCounts } from '../counts.ts'
import { countsOf } from './moves.ts'

/** Rows that fit in one machine word. */
export const shortLimit = 32

/**
 * The canonical counts of a pair whose reference has at most 32 tokens, as nearly all utterances have: the
 * same columns of differences and the same sweep as for long pairs, in one word a column and without any
 * table.
 *
 * @param reference 1 to 32 tokens
 * @param hypothesis at least one token
 */
export function countShort(reference: readonly string[], hypothesis: readonly string[]): ErrorCounts {
  const rows = new Map<string, number>()
  for (let row = 0; row < reference.length; row += 1) {
    const token = reference[row] as string
    rows.set(token, (rows.get(token) ?? 0) | (1 << row))
  }
  const matches: number[] = []
  const deletions: number[] = []
  const insertions: number[] = []
  const substitutions: number[] = []
  const lastRow = 1 << (reference.length - 1)
  let edits = reference.length
  let plus = -1
  let minus = 0
  for (let column = 0; column < hypothesis.length; column += 1) {
    const match = rows.get(hypothesis[column] as string) ?? 0
    const zero = ((((match & plus) + plus) | 0) ^ plus) | match | minus
    const up = minus | ~(zero | plus)
    const down = plus & zero
    if ((up & lastRow) !== 0) edits += 1
    else if ((down & lastRow) !== 0) edits -= 1
    const shifted = (up << 1) | 1
    plus = (down << 1) | ~(zero | shifted)
    minus = shifted & zero
    matches.push(match)
    deletions.push(plus)
    insertions.push(up)
    substitutions.push(~zero)
  }
  const fewest = fewestSubstitutions(reference.length, { matches, deletions, insertions, substitutions })
  return countsOf(edits, fewest, reference.length, hypothesis.length)
}

/** By column, the rows where a step back of each kind crosses a difference equal to its cost. */
interface StepsBack {
  readonly matches: readonly number[]
  readonly deletions: readonly number[]
  readonly insertions: readonly number[]
  readonly substitutions: readonly number[]
}

const unreached = 0x7fffffff

/** Sweeps the cells of shortest paths from the end, each passing on how many substitutions remain. */
function fewestSubstitutions(rowCount: number, steps: StepsBack): number {
  let current: number[] = new Array(rowCount + 1).fill(unreached)
  let previous: number[] = new Array(rowCount + 1).fill(unreached)
  current[rowCount] = 0
  let low = rowCount
  let high = rowCount
  for (let column = steps.matches.length - 1; column >= 0; column -= 1) {
    const match = steps.matches[column] as number
    const deletion = steps.deletions[column] as number
    const insertion = steps.insertions[column] as number
    const substitution = steps.substitutions[column] as number
    let previousLow = rowCount
    let previousHigh = 0
    for (let row = high; row >= low; row -= 1) {
      const count = current[row] as number
      if (count === unreached) continue
      current[row] = unreached
      const bit = row === 0 ? 0 : 1 << (row - 1)
      if ((insertion & bit) !== 0 || row === 0) {
        if (count < (previous[row] as number)) previous[row] = count
        if (row > previousHigh) previousHigh = row
        if (row < previousLow) previousLow = row
      }
      if ((deletion & bit) !== 0) {
        if (count < (current[row - 1] as number)) current[row - 1] = count
        if (row - 1 < low) low = row - 1
      }
      const isHit = (match & bit) !== 0
      if (!isHit && (substitution & bit) === 0) continue
      const after = isHit ? count : count + 1
      if (after < (previous[row - 1] as number)) previous[row - 1] = after
      if (row - 1 > previousHigh) previousHigh = row - 1
      previousLow = row - 1
    }
    ;[current, previous] = [previous, current]
    low = previousLow
    high = previousHigh
  }
  return Math.min(...current.slice(low, high + 1))
}

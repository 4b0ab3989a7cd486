import { type ColumnBits, type NumberedPair, type RowRange, visitBackward } from './column-bits.ts'
import { move } from './moves.ts'
import { movesFromEnd, type Walk } from './walk-back.ts'

/** Which of several equally short paths another scorer takes, walking back from the ends of both sides. */
export type TieRule = 'jiwer' | 'kaldi'

/**
 * The path that jiwer (rapidfuzz) or Kaldi (compute-wer) takes.
 *
 * Both walk back from (n, m) and need no more than the differences at each cell:
 *
 *   jiwer   a deletion where one is as short; else an insertion where D(i,j-1) = D(i-1,j-1) - 1; else a pair
 *   kaldi   an insertion where one is as short; else a deletion where one is; else a pair
 *
 * (Kaldi's rule is published as a forward rule, “a pair only if it is shorter than both gaps, else the shorter
 * gap, else an insertion”; looked at from the end it is this one.) jiwer sets apart what both sides begin and
 * end with, so that has to be done before.
 *
 * @returns moves in reading order
 */
export function tracePath(pair: NumberedPair, rule: TieRule): Uint8Array {
  return movesFromEnd(pair, (walk) => visitBackward(pair, (bits) => walkBack(pair, bits, walk, rule)))
}

/** @returns the row that the walk leaves the columns in */
function walkBack(pair: NumberedPair, bits: ColumnBits, walk: Walk, rule: TieRule): RowRange {
  const { reference, hypothesis } = pair
  const { moves } = walk
  let { at, row, column } = walk
  while (column > bits.first && row > 0) {
    const block = (row - 1) >>> 5
    at -= 1
    const word = (column - bits.first - 1) * bits.blockCount + block - bits.firstBlock
    const bit = 1 << ((row - 1) & 31)
    const canDelete = ((bits.verticalPlus[word] as number) & bit) !== 0
    const canInsert = ((bits.horizontalPlus[word] as number) & bit) !== 0
    const isDiagonalZero = ((bits.diagonalZero[word] as number) & bit) !== 0
    // D(i,j-1) = D(i-1,j-1) - 1 says: the horizontal difference is 1 and the diagonal one 0.
    const inserts = rule === 'kaldi' ? canInsert : !canDelete && canInsert && isDiagonalZero
    if (inserts) {
      moves[at] = move.insertion
      column -= 1
    } else if (canDelete) {
      moves[at] = move.deletion
      row -= 1
    } else {
      moves[at] = reference[row - 1] === hypothesis[column - 1] ? move.hit : move.substitution
      row -= 1
      column -= 1
    }
  }
  walk.at = at
  walk.row = row
  walk.column = column
  return { low: row, high: row }
}

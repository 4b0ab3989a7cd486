import { type MatchMasks, matchMasks } from './match-masks.ts'

/**
 * The matrix D of edit distances between all beginnings of two token lists, held as differences between
 * neighbours, 32 rows to a word. One column follows from the one before in a dozen operations a word.
 *
 *                 hypothesis →  column j
 *   reference           D(i-1,j-1)   D(i-1,j)
 *       ↓ row i         D(i,  j-1)   D(i,  j)      vertical   D(i,j) - D(i-1,j)   ∈ {-1, 0, 1}
 *                                                  horizontal D(i,j) - D(i,j-1)   ∈ {-1, 0, 1}
 *                                                  diagonal   D(i,j) - D(i-1,j-1) ∈ {0, 1}
 *
 * @see Myers 1999, doi:10.1145/316542.316550; Hyyrö 2003, "A bit-vector algorithm for computing Levenshtein
 *   and Damerau edit distances", Nordic Journal of Computing 10 (the form used here)
 */
export interface Differences {
  readonly reference: Int32Array
  readonly hypothesis: Int32Array
  readonly masks: MatchMasks
  readonly blockCount: number
  /** Current column: rows whose vertical difference is +1, and -1. */
  readonly verticalPlus: Int32Array
  readonly verticalMinus: Int32Array
  /** Current column: D in the last row of each block. */
  readonly scores: Int32Array
  /** The blocks that the next column is worked out for. */
  firstBlock: number
  lastBlock: number
}

/** Room for the differences of a pair, set to its first column, which is 0, 1, 2, … */
export function firstColumn(
  reference: Int32Array,
  hypothesis: Int32Array,
  vocabularySize: number,
): Differences {
  const blockCount = Math.ceil(reference.length / 32)
  const differences: Differences = {
    reference,
    hypothesis,
    masks: matchMasks(reference, vocabularySize),
    blockCount,
    verticalPlus: new Int32Array(blockCount),
    verticalMinus: new Int32Array(blockCount),
    scores: new Int32Array(blockCount),
    firstBlock: 0,
    lastBlock: 0,
  }
  restart(differences)
  return differences
}

/** Goes back to the first column, with all blocks open. */
export function restart(differences: Differences): void {
  const { blockCount, scores } = differences
  differences.verticalPlus.fill(-1)
  differences.verticalMinus.fill(0)
  for (let block = 0; block < blockCount; block += 1) scores[block] = 32 * (block + 1)
  differences.firstBlock = 0
  differences.lastBlock = blockCount - 1
}

/** Opens a block as if the reference went on without a match from the row above it. */
export function openBlock(differences: Differences, block: number): void {
  differences.verticalPlus[block] = -1
  differences.verticalMinus[block] = 0
  if (block > 0) differences.scores[block] = (differences.scores[block - 1] as number) + 32
}

/**
 * Moves on by one column, for the blocks that are open. Above the first of them D is taken to grow by one,
 * which is the true value above row 0 and never too small elsewhere.
 *
 * @param horizontalPlus receives, from `offset` on, the rows whose horizontal difference is +1
 * @param diagonalZero receives the rows whose diagonal difference is 0
 */
export function advance(
  differences: Differences,
  token: number,
  horizontalPlus: Int32Array,
  diagonalZero: Int32Array,
  offset: number,
): void {
  const { masks, verticalPlus, verticalMinus, scores, firstBlock, lastBlock } = differences
  const matchOffset = masks.select(token, firstBlock, lastBlock)
  const matches = masks.words
  let carryPlus = 1
  let carryMinus = 0
  let at = offset
  for (let block = firstBlock; block <= lastBlock; block += 1) {
    const plus = verticalPlus[block] as number
    const minus = verticalMinus[block] as number
    const match = matches[matchOffset + block] as number
    const matchOrCarry = match | carryMinus
    const zero = ((((matchOrCarry & plus) + plus) | 0) ^ plus) | matchOrCarry
    let up = minus | ~(zero | plus)
    let down = plus & zero
    horizontalPlus[at] = up
    diagonalZero[at] = zero | minus
    const upOut = up >>> 31
    const downOut = down >>> 31
    up = (up << 1) | carryPlus
    down = (down << 1) | carryMinus
    const matchOrMinus = match | minus
    verticalPlus[block] = down | ~(matchOrMinus | up)
    verticalMinus[block] = up & matchOrMinus
    scores[block] = (scores[block] as number) + upOut - downOut
    carryPlus = upOut
    carryMinus = downOut
    at += 1
  }
}

/** D in the last row of the current column. */
export function distanceNow(differences: Differences): number {
  const { blockCount, scores, verticalPlus, verticalMinus, reference } = differences
  const last = blockCount - 1
  const usedRows = reference.length - 32 * last
  // The rows below the reference's end have differences too; they are taken off again.
  const unused = usedRows === 32 ? 0 : -1 << usedRows
  const plus = bitCount((verticalPlus[last] as number) & unused)
  const minus = bitCount((verticalMinus[last] as number) & unused)
  return (scores[last] as number) - plus + minus
}

function bitCount(word: number): number {
  let left = word
  let count = 0
  while (left !== 0) {
    left &= left - 1
    count += 1
  }
  return count
}

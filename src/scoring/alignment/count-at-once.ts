import type { ErrorCounts } from '../shapes.ts'
import { fitsAtOnce, type NumberedPair } from './column-bits.ts'
import { countsOf } from './moves.ts'

/** An array that is reused for the next pair: to allocate one takes longer than to align a short text. */
interface ReusedArray {
  /** Contains the values of the previous pair. */
  atLeast(size: number): Int32Array
}

function reusedArray(): ReusedArray {
  let held = new Int32Array(0)
  return {
    atLeast(size) {
      if (held.length < size) held = new Int32Array(2 * size)
      return held
    },
  }
}

const arrays = /* @__PURE__ */ Array.from({ length: 8 }, reusedArray)
const maxReferenceLength = 512

/** Whether `countAtOnce` can count a pair. */
export function isCountedAtOnce(pair: NumberedPair): boolean {
  return pair.reference.length <= maxReferenceLength && fitsAtOnce(pair)
}

/**
 * The canonical counts of a pair of some length, as nearly all utterances have: the same columns of differences and the
 * same sweep as for long pairs, for all rows and without a walk.
 *
 * @param pair neither side empty
 */
export function countAtOnce(pair: NumberedPair): ErrorCounts {
  const [masks, plus, minus, deletions, insertions, diagonals, current, previous] = arrays as [
    ReusedArray,
    ReusedArray,
    ReusedArray,
    ReusedArray,
    ReusedArray,
    ReusedArray,
    ReusedArray,
    ReusedArray,
  ]
  const { reference, hypothesis } = pair
  const rowCount = reference.length
  const blockCount = (rowCount + 31) >>> 5
  const size = blockCount * hypothesis.length
  const steps: StepsBack = {
    deletions: deletions.atLeast(size),
    insertions: insertions.atLeast(size),
    diagonals: diagonals.atLeast(size),
  }
  const rows = rowsOfTokens(pair, blockCount, masks)
  const verticals = { plus: plus.atLeast(blockCount), minus: minus.atLeast(blockCount) }
  const edits = goForward(pair, blockCount, { rows, ...verticals, ...steps })
  const cells = { current: current.atLeast(rowCount + 1), previous: previous.atLeast(rowCount + 1) }
  return countsOf(
    edits,
    fewestSubstitutions(pair, blockCount, { ...steps, ...cells }),
    rowCount,
    hypothesis.length,
  )
}

/** By column and block, the rows whose vertical and horizontal difference is 1, and whose diagonal one is 0. */
interface StepsBack {
  readonly deletions: Int32Array
  readonly insertions: Int32Array
  readonly diagonals: Int32Array
}

/** Rows of each token as a bit mask, one word per block. */
function rowsOfTokens(
  { reference, vocabularySize }: NumberedPair,
  blockCount: number,
  masks: ReusedArray,
): Int32Array {
  const size = vocabularySize * blockCount
  const rows = masks.atLeast(size)
  rows.fill(0, 0, size)
  for (let row = 0; row < reference.length; row += 1) {
    const word = (reference[row] as number) * blockCount + (row >>> 5)
    rows[word] = (rows[word] as number) | (1 << (row & 31))
  }
  return rows
}

/**
 * Works out all columns.
 *
 * @returns the edits
 * @see `advance` in difference-columns.ts, which does the same for a column
 */
function goForward(
  { reference, hypothesis }: NumberedPair,
  blockCount: number,
  {
    rows,
    plus: verticalPlus,
    minus: verticalMinus,
    deletions,
    insertions,
    diagonals,
  }: StepsBack & { readonly rows: Int32Array; readonly plus: Int32Array; readonly minus: Int32Array },
): number {
  verticalPlus.fill(-1, 0, blockCount)
  verticalMinus.fill(0, 0, blockCount)
  const lastRow = 1 << ((reference.length - 1) & 31)
  let edits = reference.length
  let at = 0
  for (let column = 0; column < hypothesis.length; column += 1) {
    const matches = (hypothesis[column] as number) * blockCount
    let carryPlus = 1
    let carryMinus = 0
    let up = 0
    let down = 0
    for (let block = 0; block < blockCount; block += 1) {
      const plus = verticalPlus[block] as number
      const minus = verticalMinus[block] as number
      const match = rows[matches + block] as number
      const matchOrCarry = match | carryMinus
      const zero = ((((matchOrCarry & plus) + plus) | 0) ^ plus) | matchOrCarry
      up = minus | ~(zero | plus)
      down = plus & zero
      const shifted = (up << 1) | carryPlus
      const matchOrMinus = match | minus
      const nextPlus = (down << 1) | carryMinus | ~(matchOrMinus | shifted)
      verticalPlus[block] = nextPlus
      verticalMinus[block] = shifted & matchOrMinus
      deletions[at] = nextPlus
      insertions[at] = up
      diagonals[at] = zero | minus
      carryPlus = up >>> 31
      carryMinus = down >>> 31
      at += 1
    }
    if ((up & lastRow) !== 0) edits += 1
    else if ((down & lastRow) !== 0) edits -= 1
  }
  return edits
}

const unreached = 0x7fffffff

/** Sweeps the cells of shortest paths from the end, each passing on how many substitutions remain. */
function fewestSubstitutions(
  { reference, hypothesis }: NumberedPair,
  blockCount: number,
  steps: StepsBack & { readonly current: Int32Array; readonly previous: Int32Array },
): number {
  const { deletions, insertions, diagonals } = steps
  const rowCount = reference.length
  let current = steps.current.fill(unreached, 0, rowCount + 1)
  let previous = steps.previous.fill(unreached, 0, rowCount + 1)
  current[rowCount] = 0
  let low = rowCount
  let high = rowCount
  for (let column = hypothesis.length - 1; column >= 0; column -= 1) {
    const token = hypothesis[column] as number
    let previousLow = rowCount
    let previousHigh = 0
    for (let row = high; row >= low; row -= 1) {
      const count = current[row] as number
      if (count === unreached) continue
      current[row] = unreached
      if (row === 0) {
        if (count < (previous[0] as number)) previous[0] = count
        previousLow = 0
        continue
      }
      const word = column * blockCount + ((row - 1) >>> 5)
      const bit = 1 << ((row - 1) & 31)
      if (((insertions[word] as number) & bit) !== 0) {
        if (count < (previous[row] as number)) previous[row] = count
        if (row > previousHigh) previousHigh = row
        if (row < previousLow) previousLow = row
      }
      if (((deletions[word] as number) & bit) !== 0) {
        if (count < (current[row - 1] as number)) current[row - 1] = count
        if (row - 1 < low) low = row - 1
      }
      const isHit = reference[row - 1] === token
      // A pair that differs is on a shortest path if it crosses a difference of one.
      if (!isHit && ((diagonals[word] as number) & bit) !== 0) continue
      const after = isHit ? count : count + 1
      if (after < (previous[row - 1] as number)) previous[row - 1] = after
      if (row - 1 > previousHigh) previousHigh = row - 1
      previousLow = row - 1
    }
    ;[current, previous] = [previous, current]
    low = previousLow
    high = previousHigh
  }
  let fewest = unreached
  for (let row = low; row <= high; row += 1) fewest = Math.min(fewest, current[row] as number)
  return fewest
}

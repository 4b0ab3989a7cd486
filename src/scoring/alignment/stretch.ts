import { bitCount, type Differences, rise } from './difference-columns.ts'

/** What a column was, for going on from it again. */
export interface Checkpoint {
  readonly column: number
  readonly firstBlock: number
  /** D above the first block. */
  readonly above: number
  readonly verticalPlus: Int32Array
  readonly verticalMinus: Int32Array
}

/** Keeps the current column. */
export function checkpoint(differences: Differences, column: number): Checkpoint {
  const { firstBlock, lastBlock, above } = differences
  return {
    column,
    firstBlock,
    above,
    verticalPlus: differences.verticalPlus.slice(firstBlock, lastBlock + 1),
    verticalMinus: differences.verticalMinus.slice(firstBlock, lastBlock + 1),
  }
}

/** Cells of best paths in one column, which are to be reached from a column before it. */
export interface Goal {
  readonly column: number
  readonly low: number
  readonly high: number
  /** The largest D among them. */
  readonly distance: number
}

/** The goal in a kept column: these rows, cells of best paths. */
export function goalAt(kept: Checkpoint, { low, high }: Pick<Goal, 'low' | 'high'>): Goal {
  let value = kept.above
  let distance = low <= 32 * kept.firstBlock ? value : 0
  const last = Math.min(kept.verticalPlus.length - 1, ((high - 1) >>> 5) - kept.firstBlock)
  for (let block = 0; block <= last && high > 0; block += 1) {
    const firstRow = 32 * (kept.firstBlock + block) + 1
    const [plus, minus] = [kept.verticalPlus[block] as number, kept.verticalMinus[block] as number]
    if (firstRow + 31 < low) {
      value += bitCount(plus) - bitCount(minus)
      continue
    }
    for (let bit = 0; bit < 32 && firstRow + bit <= high; bit += 1) {
      value += ((plus >>> bit) & 1) - ((minus >>> bit) & 1)
      if (firstRow + bit >= low && value > distance) distance = value
    }
  }
  return { column: kept.column, low, high, distance }
}

/**
 * Sets the current column to a kept one, with those blocks open that best paths from it to the goal lead through.
 *
 * A path that leaves the kept column c in row r for a cell of the goal costs D(r,c) and at least as many gaps as it has
 * to leave its diagonal, so D(r,c) + |row - r - columns between| ≤ D(row, goal) where it is a best one. It never goes up,
 * so that the blocks from the first such r to the last row of the goal are enough: in them every cell of a best path has
 * its true value, and no other cell one that is too small.
 */
export function openStretch(differences: Differences, kept: Checkpoint, goal: Goal): void {
  const { verticalPlus, verticalMinus } = differences
  const { first, above } = firstNeeded(kept, goal)
  const keptEnd = kept.firstBlock + kept.verticalPlus.length
  const last = Math.max(first, (goal.high - 1) >> 5)
  const from = first - kept.firstBlock
  verticalPlus.set(kept.verticalPlus.subarray(from), first)
  verticalMinus.set(kept.verticalMinus.subarray(from), first)
  verticalPlus.fill(-1, keptEnd, last + 1)
  verticalMinus.fill(0, keptEnd, last + 1)
  differences.firstBlock = first
  differences.lastBlock = last
  differences.above = above
  differences.below = above
  for (let block = first; block <= last; block += 1) differences.below += rise(differences, block)
}

/** The first block that a best path to the goal leaves the kept column in, and D above it. */
function firstNeeded(kept: Checkpoint, goal: Goal): { readonly first: number; readonly above: number } {
  const columns = goal.column - kept.column
  let above = kept.above
  for (let index = 0; index < kept.verticalPlus.length; index += 1) {
    const block = kept.firstBlock + index
    const below =
      above + bitCount(kept.verticalPlus[index] as number) - bitCount(kept.verticalMinus[index] as number)
    // Rows 32 · block to 32 · block + 32: neighbours differ by one at most, so none is smaller than this.
    const least = (above + below - 32) / 2
    const gaps = Math.max(0, goal.low - 32 * (block + 1) - columns, 32 * block + columns - goal.high)
    if (least + gaps <= goal.distance) return { first: block, above }
    above = below
  }
  throw new RangeError('no best path leads to the goal')
}

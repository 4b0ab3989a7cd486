import {
  advance,
  advanceAndKeep,
  bitCount,
  closeFirst,
  closeLast,
  type Differences,
  distanceNow,
  firstColumn,
  openLast,
  restart,
  reusedArray,
  rise,
  type StepBits,
} from './difference-columns.ts'
import type { NumberedPair } from './numbered-pair.ts'

/** The differences of a run of columns, for walking back through them. */
export interface ColumnBits extends StepBits {
  /** The columns `first` + 1 … `last` are held, each with the same blocks. */
  readonly first: number
  readonly last: number
  readonly firstBlock: number
  readonly blockCount: number
}

export interface RowRange {
  readonly low: number
  readonly high: number
}

/** A run of columns may hold this many 32-bit blocks, over all its columns. */
const blocksAtOnce = 65_536
const columnsAlways = 64
const checkpointsAtOnce = 512

const [plusOfPair, upOfPair, zeroOfPair] = [reusedArray(), reusedArray(), reusedArray()]

function bitsOfPair(size: number): StepBits {
  return { verticalPlus: plusOfPair(size), horizontalPlus: upOfPair(size), diagonalZero: zeroOfPair(size) }
}

/** Whether all columns of a pair fit in one run. */
export function fitsAtOnce(pair: NumberedPair): boolean {
  const blockCount = Math.ceil(pair.reference.length / 32)
  return blockCount * pair.hypothesis.length <= blocksAtOnce || pair.hypothesis.length <= columnsAlways
}

/**
 * Hands the columns of a pair to `visit`, a run at a time, from the last run to the first, and returns the
 * distance. Neither side may be empty.
 *
 * A long pair is gone through twice. The first pass finds the distance and keeps a column here and there. The second
 * pass goes on from each kept column, and follows only the rows that best paths lead through. So memory grows with one
 * side and not with both.
 *
 * @param visit returns the rows of column `first` that it goes on from: cells of best paths
 */
export function visitBackward(
  pair: NumberedPair,
  visit: (bits: ColumnBits, distance: number) => RowRange,
): number {
  const differences = firstColumn(pair.reference, pair.hypothesis, pair.vocabularySize)
  const columnCount = pair.hypothesis.length
  if (fitsAtOnce(pair)) {
    const bits = keepColumns(
      { differences, buffer: bitsOfPair(differences.blockCount * columnCount) },
      0,
      columnCount,
    )
    const distance = distanceNow(differences)
    visit(bits, distance)
    return distance
  }
  const stride = strideFor(columnCount)
  const checkpoints: Checkpoint[] = []
  const distance = exactPass(differences, tightLimit(differences), (column) => {
    if (column % stride === 0 && column < columnCount) checkpoints.push(checkpoint(differences, column))
  })
  const row = pair.reference.length
  const goal: Goal = { column: columnCount, low: row, high: row, distance }
  replayBackward({ differences, buffer: null }, checkpoints, goal, (bits) => visit(bits, distance))
  return distance
}

/** The distance alone. Neither side may be empty. */
export function distanceOf(pair: NumberedPair): number {
  const differences = firstColumn(pair.reference, pair.hypothesis, pair.vocabularySize)
  return exactPass(differences, tightLimit(differences))
}

/** Follows the most promising rows, more of them as long as that lowers the bound. */
function tightLimit(differences: Differences): number {
  let limit = Math.max(differences.reference.length, differences.hypothesis.length)
  for (let slack = 128; slack < limit; slack *= 4) {
    const found = upperBound(differences, slack)
    const isTight = found > limit * 0.98
    limit = Math.min(limit, found)
    if (isTight) break
  }
  return limit
}

function strideFor(columnCount: number): number {
  const balanced = Math.ceil(Math.sqrt(columnCount))
  return Math.max(
    columnsAlways,
    Math.min(balanced, checkpointsAtOnce),
    Math.ceil(columnCount / checkpointsAtOnce),
  )
}

interface Replay {
  readonly differences: Differences
  /** 32-bit blocks for a run of columns, reused for every run. */
  buffer: StepBits | null
}

/** @returns the goal that is left in the first of the kept columns */
function replayBackward(
  replay: Replay,
  checkpoints: readonly Checkpoint[],
  last: Goal,
  visit: (bits: ColumnBits) => RowRange,
): Goal {
  let goal = last
  for (const start of checkpoints.toReversed()) {
    openStretch(replay.differences, start, goal)
    if (goal.column - start.column > checkpointsAtOnce) {
      goal = replayBackward(replay, keepAgain(replay, start, goal.column), goal, visit)
    } else {
      goal = goalAt(start, visit(keepColumns(replay, start.column, goal.column)))
    }
  }
  return goal
}

/** Goes on from a kept column and keeps columns closer together. */
function keepAgain({ differences }: Replay, start: Checkpoint, end: number): Checkpoint[] {
  const stride = strideFor(end - start.column)
  const checkpoints = [checkpoint(differences, start.column)]
  for (let column = start.column + 1; column < end; column += 1) {
    advance(differences, differences.hypothesis[column - 1] as number)
    if ((column - start.column) % stride === 0) checkpoints.push(checkpoint(differences, column))
  }
  return checkpoints
}

/** The buffer is reused for the next run: a visitor must not keep what it is given. */
function keepColumns(replay: Replay, first: number, last: number): ColumnBits {
  const { differences } = replay
  const { firstBlock, lastBlock, hypothesis } = differences
  const blockCount = lastBlock - firstBlock + 1
  const bits = bufferFor(replay, blockCount * (last - first))
  let at = 0
  for (let column = first; column < last; column += 1) {
    advanceAndKeep(differences, hypothesis[column] as number, bits, at)
    at += blockCount
  }
  return { first, last, firstBlock, blockCount, ...bits }
}

function bufferFor(replay: Replay, size: number): StepBits {
  const { buffer } = replay
  if (buffer !== null && buffer.verticalPlus.length >= size) return buffer
  const length = buffer === null ? size : size * 2
  replay.buffer = {
    verticalPlus: new Int32Array(length),
    horizontalPlus: new Int32Array(length),
    diagonalZero: new Int32Array(length),
  }
  return replay.buffer
}

/** Blocks are closed every so many columns: to keep one open for longer costs less than to look each time. */
const columnsBetweenLooks = 16

/**
 * Works out all columns, leaving out blocks of rows that no best path can cross, and returns the distance.
 *
 * A path through (i, j) costs at least D(i,j) + |(n-i) - (m-j)|: what it cost to get there, and the insertions
 * or deletions that are left. Blocks where that is more than `limit` are left out. If the distance is at most
 * `limit`, every cell of every best path stays in, and has its true value; others may be too large, never too
 * small. Along a column the bound never falls away from the two cells that part a block from its neighbours,
 * so looking at those is enough.
 *
 * @param limit an upper bound of the distance
 * @param onColumn called after each column
 * @see Ukkonen 1985, doi:10.1016/S0019-9958(85)80046-2
 */
function exactPass(differences: Differences, limit: number, onColumn?: (column: number) => void): number {
  const { hypothesis } = differences
  restart(differences)
  openBelow(differences, 0, limit)
  onColumn?.(0)
  for (let column = 1; column <= hypothesis.length; column += 1) {
    advance(differences, hypothesis[column - 1] as number)
    if (column % columnsBetweenLooks === 0) closeBlocks(differences, column, limit)
    openBelow(differences, column, limit)
    onColumn?.(column)
  }
  return distanceNow(differences)
}

/**
 * An upper bound of the distance, usually the distance itself: only blocks within `slack` edits of the most
 * promising one are followed. Every value is the cost of some path, so the last one cannot be too small.
 */
function upperBound(differences: Differences, slack: number): number {
  const { hypothesis, reference, blockCount } = differences
  restart(differences)
  let limit = mostPromising(differences, 0) + slack
  openBelow(differences, 0, limit)
  for (let column = 1; column <= hypothesis.length; column += 1) {
    advance(differences, hypothesis[column - 1] as number)
    if (column % columnsBetweenLooks === 0) {
      limit = mostPromising(differences, column) + slack
      closeBlocks(differences, column, limit)
    }
    openBelow(differences, column, limit)
  }
  const longer = Math.max(reference.length, hypothesis.length)
  return differences.lastBlock === blockCount - 1 ? Math.min(distanceNow(differences), longer) : longer
}

/** Rows of the reference that are left after `row`, less columns of the hypothesis left after `column`. */
function surplus({ reference, hypothesis }: Differences, row: number, column: number): number {
  return reference.length - row - (hypothesis.length - column)
}

function mostPromising(differences: Differences, column: number): number {
  let best = Number.POSITIVE_INFINITY
  let value = differences.above
  for (let block = differences.firstBlock; block <= differences.lastBlock; block += 1) {
    value += rise(differences, block)
    const bound = value + Math.abs(surplus(differences, 32 * (block + 1), column))
    if (bound < best) best = bound
  }
  return best
}

function closeBlocks(differences: Differences, column: number, limit: number): void {
  while (differences.firstBlock < differences.lastBlock) {
    const block = differences.firstBlock
    const surplusRows = surplus(differences, 32 * (block + 1), column)
    if (surplusRows < 0 || differences.above + rise(differences, block) + surplusRows <= limit) break
    closeFirst(differences)
  }
  while (differences.lastBlock > differences.firstBlock) {
    const block = differences.lastBlock
    const surplusRows = surplus(differences, 32 * block, column)
    if (surplusRows > 0 || differences.below - rise(differences, block) - surplusRows <= limit) break
    closeLast(differences)
  }
}

function openBelow(differences: Differences, column: number, limit: number): void {
  while (differences.lastBlock < differences.blockCount - 1) {
    const surplusRows = Math.abs(surplus(differences, 32 * (differences.lastBlock + 1) + 1, column))
    if (differences.below + surplusRows - 1 > limit) break
    openLast(differences)
  }
}

/** What a column was, for going on from it again. */
interface Checkpoint {
  readonly column: number
  readonly firstBlock: number
  /** D above the first block. */
  readonly above: number
  readonly verticalPlus: Int32Array
  readonly verticalMinus: Int32Array
}

/** Keeps the current column. */
function checkpoint(differences: Differences, column: number): Checkpoint {
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
interface Goal {
  readonly column: number
  readonly low: number
  readonly high: number
  /** The largest D among them. */
  readonly distance: number
}

/** The goal in a kept column: these rows, cells of best paths. */
function goalAt(start: Checkpoint, { low, high }: Pick<Goal, 'low' | 'high'>): Goal {
  let value = start.above
  let distance = low <= 32 * start.firstBlock ? value : 0
  const last = Math.min(start.verticalPlus.length - 1, ((high - 1) >>> 5) - start.firstBlock)
  for (let block = 0; block <= last && high > 0; block += 1) {
    const firstRow = 32 * (start.firstBlock + block) + 1
    const [plus, minus] = [start.verticalPlus[block] as number, start.verticalMinus[block] as number]
    if (firstRow + 31 < low) {
      value += bitCount(plus) - bitCount(minus)
      continue
    }
    for (let bit = 0; bit < 32 && firstRow + bit <= high; bit += 1) {
      value += ((plus >>> bit) & 1) - ((minus >>> bit) & 1)
      if (firstRow + bit >= low && value > distance) distance = value
    }
  }
  return { column: start.column, low, high, distance }
}

/**
 * Sets the current column to a kept one, with those blocks open that best paths from it to the goal lead through.
 *
 * A path that leaves the kept column c in row r for a cell of the goal costs D(r,c) and at least as many gaps as it has
 * to leave its diagonal, so D(r,c) + |row - r - columns between| ≤ D(row, goal) where it is a best one. It never goes up,
 * so that the blocks from the first such r to the last row of the goal are enough: in them every cell of a best path has
 * its true value, and no other cell one that is too small.
 */
function openStretch(differences: Differences, start: Checkpoint, goal: Goal): void {
  const { verticalPlus, verticalMinus } = differences
  const { first, above } = firstNeeded(start, goal)
  const keptEnd = start.firstBlock + start.verticalPlus.length
  const last = Math.max(first, (goal.high - 1) >> 5)
  const from = first - start.firstBlock
  verticalPlus.set(start.verticalPlus.subarray(from), first)
  verticalMinus.set(start.verticalMinus.subarray(from), first)
  verticalPlus.fill(-1, keptEnd, last + 1)
  verticalMinus.fill(0, keptEnd, last + 1)
  differences.firstBlock = first
  differences.lastBlock = last
  differences.above = above
  differences.below = above
  for (let block = first; block <= last; block += 1) differences.below += rise(differences, block)
}

/** The first block that a best path to the goal leaves the kept column in, and D above it. */
function firstNeeded(start: Checkpoint, goal: Goal): { readonly first: number; readonly above: number } {
  const columns = goal.column - start.column
  let above = start.above
  for (let index = 0; index < start.verticalPlus.length; index += 1) {
    const block = start.firstBlock + index
    const below =
      above + bitCount(start.verticalPlus[index] as number) - bitCount(start.verticalMinus[index] as number)
    // Rows 32 · block to 32 · block + 32: neighbours differ by one at most, so none is smaller than this.
    const least = (above + below - 32) / 2
    const gaps = Math.max(0, goal.low - 32 * (block + 1) - columns, 32 * block + columns - goal.high)
    if (least + gaps <= goal.distance) return { first: block, above }
    above = below
  }
  throw new RangeError('no best path leads to the goal')
}

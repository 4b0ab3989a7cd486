import { exactPass, upperBound } from './band.ts'
import {
  advance,
  advanceAndKeep,
  type Differences,
  distanceNow,
  firstColumn,
  type StepBits,
} from './difference-columns.ts'
import { type Checkpoint, checkpoint, type Goal, goalAt, openStretch } from './stretch.ts'

/** The differences of a run of columns, for walking back through them. */
export interface ColumnBits extends StepBits {
  /** The columns `first` + 1 … `last` are held, each with the same blocks. */
  readonly first: number
  readonly last: number
  readonly firstBlock: number
  readonly blockCount: number
}

/** Two token lists, numbered. */
export interface NumberedPair {
  readonly reference: Int32Array
  readonly hypothesis: Int32Array
  readonly vocabularySize: number
}

/** Rows of a column. */
export interface RowRange {
  readonly low: number
  readonly high: number
}

/** Words of one kind that a single run of columns may hold. */
const wordsAtOnce = 65_536
const columnsAlways = 64
const checkpointsAtOnce = 512

/** Whether all columns of a pair fit in one run. */
export function fitsAtOnce(pair: NumberedPair): boolean {
  const blockCount = Math.ceil(pair.reference.length / 32)
  return blockCount * pair.hypothesis.length <= wordsAtOnce || pair.hypothesis.length <= columnsAlways
}

/**
 * Hands the columns of a pair to `visit`, a run at a time, from the last run to the first, and returns the
 * distance. Neither side may be empty.
 *
 * A long pair is gone through twice: first for the distance, keeping a column here and there, then from each
 * kept column again, for those rows alone that best paths lead through. So memory grows with one side and not with both.
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
    const bits = keepColumns({ differences, buffer: null }, 0, columnCount)
    const distance = distanceNow(differences)
    visit(bits, distance)
    return distance
  }
  const stride = strideFor(columnCount)
  const kept: Checkpoint[] = []
  const distance = exactPass(differences, tightLimit(differences), (column) => {
    if (column % stride === 0 && column < columnCount) kept.push(checkpoint(differences, column))
  })
  const row = pair.reference.length
  const goal: Goal = { column: columnCount, low: row, high: row, distance }
  replayBackward({ differences, buffer: null }, kept, goal, (bits) => visit(bits, distance))
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
    const isSettled = found > limit * 0.98
    limit = Math.min(limit, found)
    if (isSettled) break
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
  /** Words for a run of columns, reused for every run. */
  buffer: StepBits | null
}

/** @returns the goal that is left in the first of the kept columns */
function replayBackward(
  replay: Replay,
  kept: readonly Checkpoint[],
  last: Goal,
  visit: (bits: ColumnBits) => RowRange,
): Goal {
  let goal = last
  for (const start of kept.toReversed()) {
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
  const kept = [checkpoint(differences, start.column)]
  for (let column = start.column + 1; column < end; column += 1) {
    advance(differences, differences.hypothesis[column - 1] as number)
    if ((column - start.column) % stride === 0) kept.push(checkpoint(differences, column))
  }
  return kept
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

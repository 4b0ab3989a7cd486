import { type Band, exactPass, upperBound } from './band.ts'
import {
  advance,
  type Differences,
  distanceNow,
  firstColumn,
  openBlock,
  restart,
} from './difference-columns.ts'

/** The differences of a run of columns, for walking back through them. */
export interface ColumnBits {
  /** The columns `first` + 1 … `last` are held. */
  readonly first: number
  readonly last: number
  /** By column less `first`: where its words begin, less its first block. */
  readonly offsets: Int32Array
  readonly firstBlocks: Int32Array
  readonly lastBlocks: Int32Array
  readonly verticalPlus: Int32Array
  readonly horizontalPlus: Int32Array
  readonly diagonalZero: Int32Array
}

/** Two token lists, numbered. */
export interface NumberedPair {
  readonly reference: Int32Array
  readonly hypothesis: Int32Array
  readonly vocabularySize: number
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
 * kept column again, so that memory grows with one side and not with both.
 */
export function visitBackward(
  pair: NumberedPair,
  visit: (bits: ColumnBits, distance: number) => void,
): number {
  const differences = firstColumn(pair.reference, pair.hypothesis, pair.vocabularySize)
  const columnCount = pair.hypothesis.length
  if (fitsAtOnce(pair)) {
    const last = differences.blockCount - 1
    const band = { first: new Int32Array(columnCount + 1), last: new Int32Array(columnCount + 1).fill(last) }
    const bits = recordColumns({ differences, band, room: [] }, 0, columnCount)
    const distance = distanceNow(differences)
    visit(bits, distance)
    return distance
  }
  const limit = tightLimit(differences)
  const stride = strideFor(columnCount)
  const kept: Checkpoint[] = []
  const { distance, band } = exactPass(differences, limit, (column) => {
    if (column % stride === 0 && column < columnCount) kept.push(checkpoint(differences, column))
  })
  replayBackward({ differences, band, room: [] }, kept, columnCount, (bits) => visit(bits, distance))
  return distance
}

/** The distance alone. Neither side may be empty. */
export function distanceOf(pair: NumberedPair): number {
  const differences = firstColumn(pair.reference, pair.hypothesis, pair.vocabularySize)
  return exactPass(differences, tightLimit(differences)).distance
}

/** Follows the most promising rows, more of them as long as that lowers the bound. */
function tightLimit(differences: Differences): number {
  let limit = Math.max(differences.reference.length, differences.hypothesis.length)
  for (let slack = 128; slack < limit; slack *= 4) {
    const found = upperBound(differences, slack)
    restart(differences)
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

/** What a column was, for the blocks of the next one. */
interface Checkpoint {
  readonly column: number
  readonly firstBlock: number
  readonly verticalPlus: Int32Array
  readonly verticalMinus: Int32Array
}

function checkpoint(differences: Differences, column: number): Checkpoint {
  const { firstBlock, lastBlock } = differences
  return {
    column,
    firstBlock,
    verticalPlus: differences.verticalPlus.slice(firstBlock, lastBlock + 1),
    verticalMinus: differences.verticalMinus.slice(firstBlock, lastBlock + 1),
  }
}

interface Replay {
  readonly differences: Differences
  readonly band: Band
  /** Words for a run of columns, used again for every run. */
  room: readonly Int32Array[]
}

function replayBackward(
  replay: Replay,
  kept: readonly Checkpoint[],
  lastColumn: number,
  visit: (bits: ColumnBits) => void,
): void {
  let end = lastColumn
  for (const start of kept.toReversed()) {
    restore(replay.differences, start)
    if (end - start.column <= checkpointsAtOnce) visit(recordColumns(replay, start.column, end))
    else replayBackward(replay, keepAgain(replay, start, end), end, visit)
    end = start.column
  }
}

/** Goes on from a kept column and keeps columns closer together. */
function keepAgain(replay: Replay, start: Checkpoint, end: number): Checkpoint[] {
  const { differences, band } = replay
  const stride = strideFor(end - start.column)
  const kept = [start]
  const scratch = new Int32Array(differences.blockCount)
  for (let column = start.column + 1; column < end; column += 1) {
    openBand(differences, band, column, start.column)
    advance(differences, differences.hypothesis[column - 1] as number, scratch, scratch, 0)
    if ((column - start.column) % stride !== 0) continue
    openBand(differences, band, column + 1, start.column)
    kept.push(checkpoint(differences, column))
  }
  return kept
}

function restore(differences: Differences, start: Checkpoint): void {
  differences.verticalPlus.set(start.verticalPlus, start.firstBlock)
  differences.verticalMinus.set(start.verticalMinus, start.firstBlock)
}

/** Opens and closes the blocks that the first pass had for this column. */
function openBand(differences: Differences, band: Band, column: number, start: number): void {
  const last = band.last[column] as number
  if (column > start + 1) {
    for (let block = (band.last[column - 1] as number) + 1; block <= last; block += 1)
      openBlock(differences, block)
  }
  differences.firstBlock = band.first[column] as number
  differences.lastBlock = last
}

/** The room is used again for the next run: a visitor must not keep what it is given. */
function recordColumns(replay: Replay, first: number, last: number): ColumnBits {
  const { differences, band } = replay
  const offsets = new Int32Array(last - first + 1)
  let size = 0
  for (let column = first + 1; column <= last; column += 1) {
    offsets[column - first] = size - (band.first[column] as number)
    size += (band.last[column] as number) - (band.first[column] as number) + 1
  }
  const isTooSmall = size > (replay.room[0]?.length ?? 0)
  if (isTooSmall)
    replay.room = [0, 1, 2].map(() => new Int32Array(replay.room.length === 0 ? size : size * 2))
  const [verticalPlus, horizontalPlus, diagonalZero] = replay.room as [Int32Array, Int32Array, Int32Array]
  for (let column = first + 1; column <= last; column += 1) {
    openBand(differences, band, column, first)
    const { firstBlock, lastBlock } = differences
    const at = (offsets[column - first] as number) + firstBlock
    advance(differences, differences.hypothesis[column - 1] as number, horizontalPlus, diagonalZero, at)
    verticalPlus.set(differences.verticalPlus.subarray(firstBlock, lastBlock + 1), at)
  }
  return {
    first,
    last,
    offsets,
    firstBlocks: band.first.subarray(first, last + 1),
    lastBlocks: band.last.subarray(first, last + 1),
    verticalPlus,
    horizontalPlus,
    diagonalZero,
  }
}

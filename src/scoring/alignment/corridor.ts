import { type ColumnBits, fitsAtOnce, type RowRange, visitBackward } from './column-bits.ts'
import { reusedArray } from './difference-columns.ts'
import { move, type NumberedPair } from './numbered-pair.ts'

/**
 * The canonical alignment: of all paths with the fewest edits the one with the fewest substitutions, which has
 * the most hits.
 *
 * The cells of shortest paths form a corridor. It is swept from the end: a step back is part of a shortest
 * path exactly if the difference that it crosses equals its cost, and each cell passes on how many
 * substitutions remain from it to the end. Where several next moves are as good, a pair goes before a deletion
 * and a deletion before an insertion, which moves pairs as far left as possible.
 */
const rank = { pair: 0, deletion: 1, insertion: 2 } as const

/** Cells hold substitutions to the end · 4 + rank of the best next move, so that the smaller number is the better. */
const unreached = 0x7fffffff

const [cellsOfPair, previousOfPair] = [reusedArray(), reusedArray()]

interface Corridor {
  readonly pair: NumberedPair
  /** By row, for the column that is swept and the one before it. */
  current: Int32Array
  previous: Int32Array
  /** Rows of the current column that are reached lie between these. */
  low: number
  high: number
  /** By cell, column · (n + 1) + row: the rank of the best next move. Kept for short pairs. */
  readonly choices: Uint8Array | null
  /** By row: in which row the best path leaves the column of the last boundary. Kept for long pairs. */
  readonly exits: { current: Int32Array; previous: Int32Array } | null
}

/** The edits of the shortest paths, and the fewest substitutions among them. Neither side may be empty. */
export function sweepCounts(pair: NumberedPair): { edits: number; substitutions: number } {
  const corridor = corridorOf(pair, null, false)
  const edits = visitBackward(pair, (bits) => sweepColumns(corridor, bits))
  return { edits, substitutions: finishSweep(corridor) }
}

/** The moves of the canonical path, in reading order. */
export function canonicalMoves(pair: NumberedPair): Uint8Array {
  const { reference, hypothesis } = pair
  if (hypothesis.length === 0) return new Uint8Array(reference.length).fill(move.deletion)
  if (reference.length === 0) return new Uint8Array(hypothesis.length).fill(move.insertion)
  return fitsAtOnce(pair) ? movesOfShort(pair) : movesOfLong(pair)
}

function movesOfShort(pair: NumberedPair): Uint8Array {
  const { reference, hypothesis } = pair
  const stride = reference.length + 1
  const choices = new Uint8Array(stride * (hypothesis.length + 1))
  const corridor = corridorOf(pair, choices, false)
  visitBackward(pair, (bits) => sweepColumns(corridor, bits))
  finishSweep(corridor)
  const moves = new Uint8Array(reference.length + hypothesis.length)
  let count = 0
  let row = 0
  let column = 0
  while (row < reference.length || column < hypothesis.length) {
    const choice = choices[column * stride + row]
    if (choice === rank.pair) {
      moves[count] = reference[row] === hypothesis[column] ? move.hit : move.substitution
    } else moves[count] = choice === rank.deletion ? move.deletion : move.insertion
    if (choice !== rank.insertion) row += 1
    if (choice !== rank.deletion) column += 1
    count += 1
  }
  return moves.subarray(0, count)
}

/**
 * Cuts a long pair where its path leaves a run of columns for the next one, and solves the pieces. A piece of
 * the best path is the best path of its piece, and so is the choice among equals.
 */
function movesOfLong(pair: NumberedPair): Uint8Array {
  const corridor = corridorOf(pair, null, true)
  const boundaries: Boundary[] = []
  visitBackward(pair, (bits) => {
    const rows = sweepColumns(corridor, bits)
    boundaries.push(boundaryOf(corridor, bits.first))
    return rows
  })
  finishSweep(corridor)
  let row = corridor.exits?.current[0] as number
  const pieces: Uint8Array[] = [new Uint8Array(row).fill(move.deletion)]
  boundaries.reverse()
  for (const [index, { column, low, exits }] of boundaries.entries()) {
    const nextRow = exits[row - low] as number
    const nextColumn = boundaries[index + 1]?.column ?? pair.hypothesis.length
    pieces.push(
      canonicalMoves({
        reference: pair.reference.subarray(row, nextRow),
        hypothesis: pair.hypothesis.subarray(column, nextColumn),
        vocabularySize: pair.vocabularySize,
      }),
    )
    row = nextRow
  }
  return joined(pieces)
}

/** The row in which the best path leaves the column of the next boundary, for each row of a column from `low` on. */
interface Boundary {
  readonly column: number
  readonly low: number
  readonly exits: Int32Array
}

function boundaryOf(corridor: Corridor, column: number): Boundary {
  const { low, high } = corridor
  const here = corridor.exits?.current ?? new Int32Array(0)
  const exits = here.slice(low, high + 1)
  // From here on, this is the boundary that is left next.
  for (let row = low; row <= high; row += 1) here[row] = row
  return { column, low, exits }
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

function corridorOf(pair: NumberedPair, choices: Uint8Array | null, keepsExits: boolean): Corridor {
  const rows = pair.reference.length
  const current = cellsOfPair(rows + 1).fill(unreached, 0, rows + 1)
  current[rows] = 0
  const exits = keepsExits ? { current: new Int32Array(rows + 1), previous: new Int32Array(rows + 1) } : null
  if (exits !== null) exits.current[rows] = rows
  return {
    pair,
    current,
    previous: previousOfPair(rows + 1).fill(unreached, 0, rows + 1),
    low: rows,
    high: rows,
    choices,
    exits,
  }
}

/**
 * Passes what the cells of each column know on to the cells before them, above and to the left.
 *
 * @returns the rows that are reached in the column before
 */
function sweepColumns(corridor: Corridor, bits: ColumnBits): RowRange {
  const { pair, choices, exits } = corridor
  const { verticalPlus, horizontalPlus, diagonalZero, blockCount } = bits
  const { reference, hypothesis } = pair
  for (let column = bits.last; column > bits.first; column -= 1) {
    const { current, previous } = corridor
    const token = hypothesis[column - 1] as number
    const offset = (column - bits.first - 1) * blockCount - bits.firstBlock
    const choicesAt = column * (reference.length + 1)
    let low = corridor.low
    let previousLow = reference.length + 1
    let previousHigh = -1
    for (let row = corridor.high; row >= low; row -= 1) {
      const packed = current[row] as number
      if (packed === unreached) continue
      current[row] = unreached
      if (choices !== null) choices[choicesAt + row] = packed & 3
      const substitutions = packed & ~3
      const exit = exits === null ? 0 : (exits.current[row] as number)
      const word = offset + ((row - 1) >>> 5)
      const bit = 1 << ((row - 1) & 31)
      const canDelete = row > 0 && ((verticalPlus[word] as number) & bit) !== 0
      const canInsert = row === 0 || ((horizontalPlus[word] as number) & bit) !== 0
      if (canDelete) {
        offer(current, row - 1, substitutions | rank.deletion, exits?.current, exit)
        if (row - 1 < low) low = row - 1
      }
      if (canInsert) {
        offer(previous, row, substitutions | rank.insertion, exits?.previous, exit)
        if (row > previousHigh) previousHigh = row
        if (row < previousLow) previousLow = row
      }
      if (row === 0) continue
      const isHit = reference[row - 1] === token
      // A pair that differs is on a shortest path if it crosses a difference of one.
      if (!isHit && ((diagonalZero[word] as number) & bit) !== 0) continue
      offer(previous, row - 1, isHit ? substitutions : substitutions + 4, exits?.previous, exit)
      if (row > previousHigh) previousHigh = row
      previousLow = row - 1
    }
    corridor.low = previousLow
    corridor.high = previousHigh
    corridor.current = previous
    corridor.previous = current
    if (exits !== null) [exits.current, exits.previous] = [exits.previous, exits.current]
  }
  return corridor
}

/** Offers a path to a cell, which keeps the best one and its crossing of the next boundary. */
function offer(
  cells: Int32Array,
  row: number,
  packed: number,
  exits: Int32Array | undefined,
  exit: number,
): void {
  if (packed >= (cells[row] as number)) return
  cells[row] = packed
  if (exits !== undefined) exits[row] = exit
}

/** The first column, where only deletions lead on. Returns the fewest substitutions from the start. */
function finishSweep(corridor: Corridor): number {
  const { current, choices, exits } = corridor
  for (let row = corridor.high; row > 0; row -= 1) {
    const packed = current[row] as number
    if (packed === unreached) continue
    if (choices !== null) choices[row] = packed & 3
    const packedDeletion = (packed & ~3) | rank.deletion
    if (packedDeletion >= (current[row - 1] as number)) continue
    current[row - 1] = packedDeletion
    if (exits !== null) exits.current[row - 1] = exits.current[row] as number
  }
  if (choices !== null) choices[0] = (current[0] as number) & 3
  return (current[0] as number) >> 2
}

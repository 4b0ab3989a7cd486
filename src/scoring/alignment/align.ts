import type { AlignmentStep, ErrorCounts } from '../shapes.ts'
import { type ColumnBits, distanceOf, type RowRange, visitBackward } from './column-bits.ts'
import { canonicalMoves, sweepCounts } from './corridor.ts'
import { move, movesFromEnd, type NumberedPair, numberTokens, type Walk } from './numbered-pair.ts'

/**
 * Which alignment is taken. Those of `canonical`, `jiwer` and `kaldi` have the fewest edits, and so the same
 * error rate; hits, substitutions, deletions and insertions, and with them MER, WIL, WIP and confusions, depend
 * on the rule. `canonical` has the most hits; the others are what those three scorers take. `sclite` prefers
 * three gaps on either side to five substitutions, and can count more errors than the fewest.
 */
export type AlignmentRule = 'canonical' | 'jiwer' | 'kaldi' | 'sclite'

/** Every alignment rule, the default first. */
export const alignmentRules: readonly AlignmentRule[] = ['canonical', 'jiwer', 'kaldi', 'sclite']

/** Which tokens answer to which, and how many do not. */
export interface Alignment {
  readonly counts: ErrorCounts
  readonly steps: readonly AlignmentStep[]
}

/**
 * Aligns a hypothesis with its reference using the fewest edits and, among those, the most tokens right. The
 * second condition makes the counts unique and the same in both directions; what is then left to choose only
 * moves the drawing, and the leftmost is drawn: reading from the left, a pair where a pair is as good, else a
 * deletion, else an insertion.
 *
 *   reference   the  big  cat  sat   ·
 *   hypothesis  the   ·   cat  sad  now
 *                =    D    =    S    I     (three substitutions are as few edits, with one word right)
 *
 * @param reference normalised tokens, length n ≥ 0
 * @param hypothesis normalised tokens, length m ≥ 0
 * @param rule default: `canonical`
 * @returns n + insertions steps in reading order; empty when both are empty. Never throws.
 * @see Wagner and Fischer 1974, doi:10.1145/321796.321811, for the distance; Myers 1999 and Hyyrö 2003 for
 *   how it is found, 32 cells at a time. Memory linear in n + m; time O(n · m / 32), and about
 *   O(distance · m / 32) where few tokens differ.
 */
export function align(
  reference: readonly string[],
  hypothesis: readonly string[],
  rule: AlignmentRule = 'canonical',
): Alignment {
  const moves = movesBetween(reference, hypothesis, rule)
  return { counts: countMoves(moves), steps: stepsOf(moves, reference, hypothesis) }
}

/** The counts of `align` alone, faster. */
export function countErrors(
  reference: readonly string[],
  hypothesis: readonly string[],
  rule: AlignmentRule = 'canonical',
): ErrorCounts {
  if (rule === 'kaldi' || rule === 'sclite') return countMoves(movesBetween(reference, hypothesis, rule))
  return countNumbered(numberTokens(reference, hypothesis), rule)
}

export function countNumbered(pair: NumberedPair, rule: 'canonical' | 'jiwer'): ErrorCounts {
  const { start, end } = commonEnds(pair.reference, pair.hypothesis)
  const matched = start + end
  if (matched === 0) return countMiddle(pair, rule)
  const reference = pair.reference.subarray(start, pair.reference.length - end)
  const hypothesis = pair.hypothesis.subarray(start, pair.hypothesis.length - end)
  const counts = countMiddle({ ...pair, reference, hypothesis }, rule)
  return { ...counts, hits: counts.hits + matched }
}

/** @param pair both sides begin and end with another token */
function countMiddle(pair: NumberedPair, rule: 'canonical' | 'jiwer'): ErrorCounts {
  const [n, m] = [pair.reference.length, pair.hypothesis.length]
  if (n === 0 || m === 0) return { hits: 0, substitutions: 0, deletions: n, insertions: m }
  if (rule === 'jiwer') return countMoves(tracePath(pair, rule))
  const { edits, substitutions } = sweepCounts(pair)
  return countsOf(edits, substitutions, n, m)
}

/**
 * The fewest edits between two token lists, without an alignment.
 *
 * @see Ukkonen 1985, doi:10.1016/S0019-9958(85)80046-2; Myers 1999, doi:10.1145/316542.316550
 */
export function editDistance(reference: readonly string[], hypothesis: readonly string[]): number {
  const { start, end } = commonEnds(reference, hypothesis)
  const n = reference.length - start - end
  const m = hypothesis.length - start - end
  if (n === 0 || m === 0) return n + m
  return distanceOf(numberTokens(reference.slice(start, start + n), hypothesis.slice(start, start + m)))
}

function movesBetween(
  reference: readonly string[],
  hypothesis: readonly string[],
  rule: AlignmentRule,
): Uint8Array {
  if (rule === 'kaldi') return tracePath(numberTokens(reference, hypothesis), rule)
  if (rule === 'sclite') return weightedPath(numberTokens(reference, hypothesis))
  if (rule === 'canonical') return canonicalMoves(numberTokens(reference, hypothesis))
  const { start, end } = commonEnds(reference, hypothesis)
  const moves = tracePath(
    numberTokens(
      reference.slice(start, reference.length - end),
      hypothesis.slice(start, hypothesis.length - end),
    ),
    rule,
  )
  // Hits are moves of number 0, which a new array holds.
  const whole = new Uint8Array(start + moves.length + end)
  whole.set(moves, start)
  return whole
}

/**
 * How many tokens both sides begin with, and then end with. Those can always be matched: a best path that
 * does otherwise can be changed at its first (last) token without another edit or a lost hit.
 */
function commonEnds(
  reference: ArrayLike<unknown>,
  hypothesis: ArrayLike<unknown>,
): { readonly start: number; readonly end: number } {
  const shorter = Math.min(reference.length, hypothesis.length)
  let start = 0
  while (start < shorter && reference[start] === hypothesis[start]) start += 1
  let end = 0
  while (
    end < shorter - start &&
    reference[reference.length - 1 - end] === hypothesis[hypothesis.length - 1 - end]
  ) {
    end += 1
  }
  return { start, end }
}

/** Which of several equally short paths another scorer takes, walking back from the ends of both sides. */
type TieRule = 'jiwer' | 'kaldi'

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
function tracePath(pair: NumberedPair, rule: TieRule): Uint8Array {
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

const gap = 3
const replacement = 4
const outside = 0x3fffffff

/**
 * The path that sclite takes between two plain word lists: costs 4 for a substitution and 3 for a gap; at each
 * cell a pair if no gap is cheaper, else a deletion if it is cheaper than an insertion, else an insertion.
 *
 * Three deletions with three insertions are cheaper than five substitutions, so there can be more errors than
 * the fewest possible.
 *
 * Rows are worked out within a band that holds every cell of every cheapest path: what it cost to get there
 * and three for every gap that the rest needs must not exceed what the canonical alignment costs. Of a long
 * reference at most 128 rows of costs are kept, and the moves are found from the last kept row to the first, so
 * that memory is linear in the hypothesis.
 *
 * @returns moves in reading order
 * @see SCTK, net_dp.c and word.c; Ukkonen 1985, doi:10.1016/S0019-9958(85)80046-2, for the band
 */
function weightedPath(pair: NumberedPair): Uint8Array {
  return movesFromEnd(pair, (walk) => traceRows(firstRow(pair), walk, pair.reference.length))
}

/** The costs of one row of the matrix, between the columns `low` and `high`. */
interface CostRow {
  readonly pair: NumberedPair
  readonly limit: number
  costs: Int32Array
  previous: Int32Array
  row: number
  low: number
  high: number
}

function firstRow(pair: NumberedPair): CostRow {
  const { edits, substitutions } = sweepCounts(pair)
  const limit = replacement * substitutions + gap * (edits - substitutions)
  const width = pair.hypothesis.length + 2
  const costs = new Int32Array(width).fill(outside)
  const previous = new Int32Array(width).fill(outside)
  const first: CostRow = { pair, limit, costs, previous, row: 0, low: 0, high: 0 }
  costs[0] = 0
  while (
    first.high < pair.hypothesis.length &&
    gap * (first.high + 1) + rest(first, first.high + 1) <= limit
  ) {
    first.high += 1
    costs[first.high] = gap * first.high
  }
  return first
}

/** The least that is left to pay from a column of the current row. */
function rest({ pair, row }: CostRow, column: number): number {
  return gap * Math.abs(pair.reference.length - row - (pair.hypothesis.length - column))
}

const rowsAtOnce = 512
const rowsKept = 128

/** Goes through the rows up to `end`, keeps some, and walks back from the last kept one to the first. */
function traceRows(current: CostRow, walk: Walk, end: number): void {
  const count = end - current.row
  if (count <= rowsAtOnce) {
    walkRows(current, walk, end)
    return
  }
  const stride = Math.max(rowsAtOnce, Math.ceil(count / rowsKept))
  const first = current.row
  const keptRows: KeptRow[] = []
  while (current.row < end) {
    if ((current.row - first) % stride === 0) keptRows.push(keep(current))
    nextRow(current, null)
  }
  for (const row of keptRows.toReversed()) {
    restore(current, row)
    traceRows(current, walk, Math.min(row.row + stride, end))
  }
}

interface KeptRow {
  readonly row: number
  readonly low: number
  readonly costs: Int32Array
}

function keep({ row, low, high, costs }: CostRow): KeptRow {
  return { row, low, costs: costs.slice(low, high + 1) }
}

function restore(current: CostRow, { row, low, costs }: KeptRow): void {
  current.costs.fill(outside)
  current.previous.fill(outside)
  current.costs.set(costs, low)
  current.row = row
  current.low = low
  current.high = low + costs.length - 1
}

const choice = { pair: 0, deletion: 1, insertion: 2 } as const

/** Works out the next row of costs; the move that reached each cell goes to `choices`. */
function nextRow(current: CostRow, choices: Uint8Array | null): void {
  const { pair, limit, costs: above, previous: costs, low, high: lastAbove } = current
  const { hypothesis } = pair
  const token = pair.reference[current.row] as number
  const lastPaired = Math.min(lastAbove + 1, hypothesis.length)
  current.row += 1
  current.costs = costs
  current.previous = above
  let column = low
  let diagonal = column === 0 ? (above[0] as number) : outside
  let left = diagonal === outside ? outside : diagonal + gap
  if (column === 0) {
    costs[0] = left
    if (choices !== null) choices[0] = choice.deletion
    column = 1
  }
  for (; column <= lastPaired; column += 1) {
    const up = above[column] as number
    const paired = hypothesis[column - 1] === token ? diagonal : diagonal + replacement
    const deleted = up + gap
    const inserted = left + gap
    let chosen: number = choice.pair
    left = paired
    if (paired > deleted || paired > inserted) {
      chosen = deleted < inserted ? choice.deletion : choice.insertion
      left = Math.min(deleted, inserted)
    }
    costs[column] = left
    if (choices !== null) choices[column - low] = chosen
    diagonal = up
  }
  // Beyond the row above only insertions follow, each dearer than the one before.
  for (; column <= hypothesis.length && left + gap + rest(current, column) <= limit; column += 1) {
    left += gap
    costs[column] = left
    if (choices !== null) choices[column - low] = choice.insertion
  }
  current.high = column - 1
  closeRow(current, lastAbove)
}

/** Clears the strip of the row above, which is used again for the next row, and fits the band. */
function closeRow(current: CostRow, lastAbove: number): void {
  current.previous.fill(outside, current.low, lastAbove + 1)
  narrow(current)
}

/** Leaves out cells at both ends that no cheapest path can cross. */
function narrow(current: CostRow): void {
  const { costs, limit } = current
  while (
    current.high > current.low &&
    (costs[current.high] as number) + rest(current, current.high) > limit
  ) {
    costs[current.high] = outside
    current.high -= 1
  }
  while (current.low < current.high && (costs[current.low] as number) + rest(current, current.low) > limit) {
    costs[current.low] = outside
    current.low += 1
  }
}

/** Works out the rows up to `end` with the move that reached each cell, and walks back through them. */
function walkRows(current: CostRow, walk: Walk, end: number): void {
  const { reference, hypothesis } = current.pair
  const first = current.row
  const lows: number[] = []
  const rows: Uint8Array[] = []
  while (current.row < end) {
    lows.push(current.low)
    const row = new Uint8Array(rowWidth(current))
    nextRow(current, row)
    rows.push(row)
  }
  const { moves } = walk
  while (walk.row > first && walk.column >= 0) {
    const low = lows[walk.row - 1 - first] as number
    const chosen = (rows[walk.row - 1 - first] as Uint8Array)[walk.column - low]
    walk.at -= 1
    if (chosen === choice.pair) {
      const isHit = reference[walk.row - 1] === hypothesis[walk.column - 1]
      moves[walk.at] = isHit ? move.hit : move.substitution
    } else moves[walk.at] = chosen === choice.deletion ? move.deletion : move.insertion
    if (chosen !== choice.insertion) walk.row -= 1
    if (chosen !== choice.deletion) walk.column -= 1
  }
}

/** The most cells that the next row can have: those below the current one, and the insertions that follow. */
function rowWidth({ low, high, limit, costs, pair }: CostRow): number {
  const spare = Math.floor((limit - (costs[high] as number)) / gap) + 2
  return Math.min(high - low + 2 + Math.max(0, spare), pair.hypothesis.length - low + 1)
}

/** How often each move occurs. */
function countMoves(moves: Uint8Array): ErrorCounts {
  const counts = [0, 0, 0, 0]
  for (const code of moves) counts[code] = (counts[code] as number) + 1
  const [hits = 0, substitutions = 0, deletions = 0, insertions = 0] = counts
  return { hits, substitutions, deletions, insertions }
}

/**
 * Edits, substitutions and the two lengths determine all four counts: a hit and a substitution use up a token
 * of each side, a deletion one of the reference, an insertion one of the hypothesis.
 */
function countsOf(
  edits: number,
  substitutions: number,
  referenceLength: number,
  hypothesisLength: number,
): ErrorCounts {
  const gaps = edits - substitutions
  const deletions = (gaps + referenceLength - hypothesisLength) / 2
  return {
    hits: referenceLength - substitutions - deletions,
    substitutions,
    deletions,
    insertions: gaps - deletions,
  }
}

/** The tokens of both sides, written out along the moves. */
function stepsOf(
  moves: Uint8Array,
  reference: readonly string[],
  hypothesis: readonly string[],
): AlignmentStep[] {
  const steps: AlignmentStep[] = []
  let row = 0
  let column = 0
  for (const code of moves) {
    const expected = reference[row] as string
    const heard = hypothesis[column] as string
    if (code === move.deletion) steps.push({ kind: 'deletion', reference: expected, hypothesis: null })
    else if (code === move.insertion) steps.push({ kind: 'insertion', reference: null, hypothesis: heard })
    else if (code === move.hit) steps.push({ kind: 'hit', reference: expected, hypothesis: heard })
    else steps.push({ kind: 'substitution', reference: expected, hypothesis: heard })
    if (code !== move.insertion) row += 1
    if (code !== move.deletion) column += 1
  }
  return steps
}

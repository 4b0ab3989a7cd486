import type { NumberedPair } from './column-bits.ts'
import { move } from './moves.ts'

/** The way from the last corner of a matrix towards its first, and the moves that were found on it. */
export interface Walk {
  readonly moves: Uint8Array
  /** Index of the last written move. */
  at: number
  row: number
  column: number
}

/**
 * Finds the moves of a pair from its end.
 *
 * @param goBack walks until one side is used up; not called where one is empty. What is left of the other are gaps
 * @returns moves in reading order
 */
export function movesFromEnd(pair: NumberedPair, goBack: (walk: Walk) => void): Uint8Array {
  const { reference, hypothesis } = pair
  const moves = new Uint8Array(reference.length + hypothesis.length)
  const walk: Walk = { moves, at: moves.length, row: reference.length, column: hypothesis.length }
  if (reference.length > 0 && hypothesis.length > 0) goBack(walk)
  const { at, row, column } = walk
  moves.fill(move.deletion, at - row, at)
  moves.fill(move.insertion, at - row - column, at - row)
  return moves.subarray(at - row - column)
}

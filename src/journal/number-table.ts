type Piece = readonly (number | Float64Array | Uint32Array)[]

/**
 * Rows of numbers of one width, in pieces: a table grows without being copied. Of a column that says the same all
 * through a piece, that one number is kept: the columns of a run mostly do, or never.
 */
export interface NumberTable {
  readonly pieces: readonly Piece[]
}

export interface GrowingTable {
  /** Adds the row that comes next. */
  add(numbers: readonly number[]): void
  /** All that was added; nothing can be added afterwards. */
  table(): NumberTable
}

/** Large enough that a piece is memory of its own, which goes back to the system with the run. */
const rowBits = 14
const rowsInPiece = 2 ** rowBits

/** @param kind `double` for times and sizes, `code` for whole numbers from 0 to 2³² - 1 */
export function growingTable(width: number, kind: 'double' | 'code'): GrowingTable {
  const pieces: Piece[] = []
  const columns = Array.from({ length: width }, () =>
    kind === 'double' ? new Float64Array(rowsInPiece) : new Uint32Array(rowsInPiece),
  )
  let filled = 0
  const close = (): void => {
    pieces.push(columns.map((column) => shortest(column.subarray(0, filled))))
    filled = 0
  }
  return {
    add(numbers) {
      for (let column = 0; column < width; column += 1) {
        ;(columns[column] as Float64Array)[filled] = numbers[column] as number
      }
      filled += 1
      if (filled === rowsInPiece) close()
    },
    table() {
      if (filled > 0) close()
      return { pieces }
    },
  }
}

export function numberAt({ pieces }: NumberTable, row: number, column: number): number {
  const values = (pieces[row >>> rowBits] as Piece)[column] as Piece[number]
  return typeof values === 'number' ? values : (values[row & (rowsInPiece - 1)] as number)
}

function shortest(column: Float64Array | Uint32Array): Piece[number] {
  const [first = 0] = column
  return column.every((value) => Object.is(value, first)) ? first : column.slice()
}

type Piece = Float64Array<ArrayBuffer> | Uint32Array<ArrayBuffer>

/** Rows of numbers of one width, in pieces: a table grows without being copied. */
export interface NumberTable {
  readonly width: number
  readonly pieces: readonly Piece[]
}

export interface GrowingTable {
  /** Adds the row that comes next. */
  add(numbers: readonly number[]): void
  table(): NumberTable
}

/** Small, because many small runs may be open at once. */
const rowBits = 10
const rowsInPiece = 2 ** rowBits

/** @param kind `double` for times and sizes, `code` for whole numbers from 0 to 2³² - 1 */
export function growingTable(width: number, kind: 'double' | 'code'): GrowingTable {
  const pieces: Piece[] = []
  const length = rowsInPiece * width
  let piece: Piece = new Float64Array(0)
  let at = length
  return {
    table: () => ({ width, pieces }),
    add(numbers) {
      if (at === length) {
        piece = kind === 'double' ? new Float64Array(length) : new Uint32Array(length)
        pieces.push(piece)
        at = 0
      }
      for (let column = 0; column < width; column += 1) piece[at + column] = numbers[column] as number
      at += width
    },
  }
}

export function numberAt({ pieces, width }: NumberTable, row: number, column: number): number {
  const piece = pieces[row >>> rowBits] as Piece
  return piece[(row & (rowsInPiece - 1)) * width + column] as number
}

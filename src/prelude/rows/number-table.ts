/**
 * Rows of numbers of one width, in pieces: a table grows without being copied, and each column of a piece is kept in the
 * shortest way that gives the same numbers back. Columns of a run mostly say the same all through a piece, or the same as
 * another, or are times in microseconds.
 */
export interface NumberTable {
  readonly pieces: readonly Piece[]
}

type Piece = readonly (number | KeptColumn)[]
type Numbers = Float64Array | Uint32Array

interface KeptColumn {
  readonly numbers: Numbers
  /** Null where the numbers are kept as they are; otherwise they are thousandths above this many. */
  readonly leastThousandths: number | null
}

export interface GrowingTable {
  /** Adds the row that comes next. */
  add(numbers: readonly number[]): void
  /** All that was added; nothing can be added afterwards. */
  table(): NumberTable
}

const rowBits = 14
const rowsInPiece = 2 ** rowBits

/** @param kind `double` for times and sizes, `code` for whole numbers from 0 to 2³² - 1 */
export function growingTable(width: number, kind: 'double' | 'code'): GrowingTable {
  const pieces: Piece[] = []
  const columns = Array.from({ length: width }, () =>
    kind === 'double' ? new Float64Array(rowsInPiece) : new Uint32Array(rowsInPiece),
  )
  const inSlabs = slabs()
  let filled = 0
  const close = (): void => {
    const full = columns.map((column) => column.subarray(0, filled))
    pieces.push(shortestOf(full, pieces.length < slabFromPiece ? (numbers) => numbers.slice() : inSlabs))
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
  const kept = (pieces[row >>> rowBits] as Piece)[column] as Piece[number]
  if (typeof kept === 'number') return kept
  const number = kept.numbers[row & (rowsInPiece - 1)] as number
  if (kept.leastThousandths === null) return number
  return number === absent ? Number.NaN : (kept.leastThousandths + number) / 1000
}

function shortestOf(columns: readonly Numbers[], copy: (numbers: Numbers) => Numbers): Piece {
  const kept: Piece[number][] = []
  for (const column of columns) {
    const [first = 0] = column
    const equal = kept[columns.findIndex((other) => isEqual(other, column))]
    if (isConstant(column)) kept.push(first)
    else if (equal !== undefined) kept.push(equal)
    else {
      const short = column instanceof Float64Array ? inThousandths(column) : null
      const { numbers, leastThousandths } = short ?? { numbers: column, leastThousandths: null }
      kept.push({ numbers: copy(numbers), leastThousandths })
    }
  }
  return kept
}

function isConstant(column: Numbers): boolean {
  const [first] = column
  return column.every((number) => Object.is(number, first))
}

function isEqual(one: Numbers, other: Numbers): boolean {
  return one.every((number, row) => Object.is(number, other[row]))
}

/** In place of a number that is NaN. */
const absent = 2 ** 32 - 1

/**
 * A double is the nearest one to its decimals, and so is a whole number of thousandths divided by 1000: times that were
 * written with three decimals come back as they were read.
 *
 * @returns null where a number has more decimals, or lies too far from another
 */
function inThousandths(column: Float64Array): KeptColumn | null {
  const thousandths = new Float64Array(column.length)
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (let row = 0; row < column.length; row += 1) {
    const number = column[row] as number
    const rounded = Math.round(number * 1000)
    thousandths[row] = rounded
    if (Number.isNaN(number)) continue
    if (rounded / 1000 !== number || Object.is(number, -0)) return null
    if (rounded < least) least = rounded
    if (rounded > most) most = rounded
  }
  if (!(most - least < absent)) return null
  const numbers = new Uint32Array(column.length)
  for (let row = 0; row < column.length; row += 1) {
    const rounded = thousandths[row] as number
    numbers[row] = Number.isNaN(rounded) ? absent : rounded - least
  }
  return { numbers, leastThousandths: least }
}

/**
 * Just above 32 MiB, from where on the C library maps memory by itself and gives it back as soon as it is free: what is
 * smaller stays with the process.
 */
const slabBytes = 33 * 2 ** 20
/** A small table is no slab's worth. */
const slabFromPiece = 8

/** Copies columns into slabs, one behind the other. */
function slabs(): (numbers: Numbers) => Numbers {
  let slab = new ArrayBuffer(0)
  let used = 0
  return (numbers) => {
    if (used + numbers.byteLength > slab.byteLength) {
      slab = new ArrayBuffer(slabBytes)
      used = 0
    }
    const copy =
      numbers instanceof Float64Array
        ? new Float64Array(slab, used, numbers.length)
        : new Uint32Array(slab, used, numbers.length)
    copy.set(numbers)
    // Whatever comes next may be doubles.
    used += Math.ceil(numbers.byteLength / 8) * 8
    return copy
  }
}

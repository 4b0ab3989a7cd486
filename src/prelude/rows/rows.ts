import { groupNumbers } from './number-rows.ts'

/**
 * Rows that can be looked at one by one. An array is such a list; `lazyRows` is one whose rows are made when they are
 * asked for, so that a million of them need no more memory than the figures behind them.
 */
export interface Rows<Row> extends Iterable<Row> {
  readonly length: number
  at(position: number): Row | undefined
  map<Made>(make: (row: Row, position: number) => Made): Made[]
  flatMap<Made>(make: (row: Row, position: number) => Made | readonly Made[]): Made[]
  filter(holds: (row: Row, position: number) => boolean): Rows<Row>
  find(holds: (row: Row, position: number) => boolean): Row | undefined
  some(holds: (row: Row, position: number) => boolean): boolean
  every(holds: (row: Row, position: number) => boolean): boolean
  reduce<Sum>(add: (sum: Sum, row: Row, position: number) => Sum, start: Sum): Sum
}

/**
 * @param length how many rows there are
 * @param rowAt makes the row at a position, 0 ≤ position < length; the same row whenever it is asked for
 */
export function lazyRows<Row>(length: number, rowAt: (position: number) => Row): Rows<Row> {
  const find: Rows<Row>['find'] = (holds) => {
    for (let position = 0; position < length; position += 1) {
      const row = rowAt(position)
      if (holds(row, position)) return row
    }
    return undefined
  }
  const some: Rows<Row>['some'] = (holds) => {
    for (let position = 0; position < length; position += 1) if (holds(rowAt(position), position)) return true
    return false
  }
  return {
    length,
    at(position) {
      const place = position < 0 ? length + position : position
      return place >= 0 && place < length ? rowAt(place) : undefined
    },
    map(make) {
      const made = new Array<ReturnType<typeof make>>(length)
      for (let position = 0; position < length; position += 1)
        made[position] = make(rowAt(position), position)
      return made
    },
    flatMap<Made>(make: (row: Row, position: number) => Made | readonly Made[]) {
      const all: Made[] = []
      for (let position = 0; position < length; position += 1) {
        const made = make(rowAt(position), position)
        if (!Array.isArray(made)) all.push(made as Made)
        else for (const one of made) all.push(one)
      }
      return all
    },
    filter(holds) {
      let first = 0
      while (first < length && holds(rowAt(first), first)) first += 1
      if (first === length) return lazyRows(length, rowAt)
      const places = new Uint32Array(length)
      for (let position = 0; position < first; position += 1) places[position] = position
      let count = first
      for (let position = first + 1; position < length; position += 1) {
        if (!holds(rowAt(position), position)) continue
        places[count] = position
        count += 1
      }
      return rowsAtPlaces(rowAt, places.slice(0, count))
    },
    find,
    some,
    every: (holds) => !some((row, position) => !holds(row, position)),
    reduce(add, start) {
      let sum = start
      for (let position = 0; position < length; position += 1) sum = add(sum, rowAt(position), position)
      return sum
    },
    *[Symbol.iterator]() {
      for (let position = 0; position < length; position += 1) yield rowAt(position)
    },
  }
}

function rowsAtPlaces<Row>(rowAt: (position: number) => Row, places: Uint32Array): Rows<Row> {
  return lazyRows(places.length, (position) => rowAt(places[position] as number))
}

/** Something of every row, made when it is asked for. */
export function mapRows<Row, Made>(rows: Rows<Row>, make: (row: Row) => Made): Rows<Made> {
  return lazyRows(rows.length, (position) => make(rows.at(position) as Row))
}

/** How many rows hold; without a list of them, as `filter` makes one. */
export function countRows<Row>(rows: Rows<Row>, holds: (row: Row) => boolean): number {
  return rows.reduce((count, row) => (holds(row) ? count + 1 : count), 0)
}

/**
 * The same rows in groups, in the order in which each group is met first, and within a group in their own.
 *
 * @param keyOf what the rows of a group have in common
 */
export function groupRows<Row>(rows: Rows<Row>, keyOf: (row: Row) => number | string): Rows<Row>[] {
  const numbers = new Map<number | string, number>()
  const keys = new Uint32Array(rows.length)
  let position = 0
  for (const row of rows) {
    const key = keyOf(row)
    let number = numbers.get(key)
    if (number === undefined) {
      number = numbers.size
      numbers.set(key, number)
    }
    keys[position] = number
    position += 1
  }
  if (numbers.size === 1) return [rows]
  const groups = groupNumbers(keys)
  return Array.from(groups.ends, (end, group) =>
    rowsAtPlaces((at) => rows.at(at) as Row, groups.rows.subarray(groups.ends[group - 1] ?? 0, end)),
  )
}

/** The rows of all parts, one part after the other. */
export function joinRows<Row>(parts: readonly Rows<Row>[]): Rows<Row> {
  const [only] = parts
  if (only !== undefined && parts.length === 1) return only
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  return lazyRows(length, (position) => {
    let place = position
    for (const part of parts) {
      if (place < part.length) return part.at(place) as Row
      place -= part.length
    }
    throw new RangeError(`${position} is beyond the last of ${length} rows`)
  })
}

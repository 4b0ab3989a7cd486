import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64'
import { uniformInt } from 'pure-rand/distribution/uniformInt'
import { mersenne } from 'pure-rand/generator/mersenne'

/** A growing sequence of numbers, eight bytes each. */
export interface NumberColumn {
  add(value: number): void
  /** All values added so far; a view, not a copy. */
  values(): Float64Array
}

/** @param maxLength maximum number of values; memory for all of them is allocated at once */
export function numberColumn(maxLength: number): NumberColumn {
  const column = new Float64Array(maxLength)
  let count = 0
  return {
    add(value) {
      column[count] = value
      count += 1
    },
    values: () => column.subarray(0, count),
  }
}

/**
 * Rows grouped by a numeric key. Groups are in order of first occurrence, and rows keep their order within a
 * group. A million rows in a hundred thousand groups are three typed arrays.
 *
 *   keys 7 3 7 7 3      groups 7, 3      rows 0 2 3 | 1 4      ends 3, 5
 */
export interface NumberGroups {
  /** The key of each group. */
  readonly keys: Uint32Array
  /** End of each group in `rows`, exclusive; a group begins where the one before it ends. */
  readonly ends: Uint32Array
  /** Row indices, group by group. */
  readonly rows: Uint32Array
}

/** @param keys non-negative whole numbers, one for each row */
export function groupNumbers(keys: ArrayLike<number>): NumberGroups {
  let largest = -1
  for (let row = 0; row < keys.length; row += 1) largest = Math.max(largest, keys[row] as number)
  /** One-based group number by key; 0 marks a key not seen yet. */
  const groupOf = new Uint32Array(largest + 1)
  const met = new Uint32Array(Math.min(largest + 1, keys.length))
  const counts = new Uint32Array(met.length)
  let groupCount = 0
  for (let row = 0; row < keys.length; row += 1) {
    const key = keys[row] as number
    if (groupOf[key] === 0) {
      met[groupCount] = key
      groupCount += 1
      groupOf[key] = groupCount
    }
    const group = (groupOf[key] as number) - 1
    counts[group] = (counts[group] as number) + 1
  }
  const ends = new Uint32Array(groupCount)
  for (let group = 1; group < groupCount; group += 1) {
    ends[group] = (ends[group - 1] as number) + (counts[group - 1] as number)
  }
  // Each entry of `ends` starts as the start of its group and advances by one with every row.
  const rows = new Uint32Array(keys.length)
  for (let row = 0; row < keys.length; row += 1) {
    const group = (groupOf[keys[row] as number] as number) - 1
    const at = ends[group] as number
    rows[at] = row
    ends[group] = at + 1
  }
  return { keys: met.slice(0, groupCount), ends, rows }
}

/**
 * The values of a group, in the order of its rows.
 *
 * @param values one for each row
 */
export function groupedValues(groups: NumberGroups, values: Float64Array): (group: number) => Float64Array {
  return partsOfColumn(
    groups,
    Float64Array.from(groups.rows, (row) => values[row] as number),
  )
}

/**
 * The part of a column that belongs to a group.
 *
 * @param arranged one value for each row, group by group
 */
export function partsOfColumn(
  { ends }: Pick<NumberGroups, 'ends'>,
  arranged: Float64Array,
): (group: number) => Float64Array {
  return (group) => arranged.subarray(ends[group - 1] ?? 0, ends[group])
}

/** The sum of a quantity over all items; 0 for an empty list. */
export function sumOf<Item>(items: readonly Item[], quantity: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + quantity(item), 0)
}

/** A seeded stream of random numbers. The same seed gives the same stream on every platform. */
export interface Random {
  /** A whole number from 0 up to, not including, `bound`. */
  below(bound: number): number
  /** A number in [0, 1). */
  unit(): number
  /** A new array with the same elements in random order (Fisher and Yates). */
  shuffled<Element>(elements: readonly Element[]): Element[]
}

/**
 * @param seed any 32-bit whole number; stored with every result that depends on it
 * @see MT19937, Matsumoto and Nishimura 1998, doi:10.1145/272991.272995; its initialisation spreads the small
 * seeds that users type
 */
export function seededRandom(seed: number): Random {
  const generator = mersenne(seed)
  const below = (bound: number): number => uniformInt(generator, 0, bound - 1)
  return {
    below,
    unit: () => uniformFloat64(generator),
    shuffled<Element>(elements: readonly Element[]): Element[] {
      const result = [...elements]
      for (let last = result.length - 1; last > 0; last -= 1) {
        const other = below(last + 1)
        const moved = result[last] as Element
        result[last] = result[other] as Element
        result[other] = moved
      }
      return result
    },
  }
}

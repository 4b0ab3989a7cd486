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

/** Returns the number of values, in ascending order, that are at most a limit. */
export function countUpTo(ascending: ArrayLike<number>, limit: number): number {
  let [low, high] = [0, ascending.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ascending[middle] as number) <= limit) low = middle + 1
    else high = middle
  }
  return low
}

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { countRows, groupRows, joinRows, lazyRows, mapRows, type Rows } from '#prelude'

const numbers = fc.array(fc.integer({ min: -5, max: 5 }))
const lazy = (values: readonly number[]): Rows<number> =>
  lazyRows(values.length, (position) => values[position] as number)

describe('rows made on demand', () => {
  test('answer as an array of them does', () => {
    fc.assert(
      fc.property(numbers, fc.integer({ min: -9, max: 9 }), (values, wanted) => {
        const rows = lazy(values)
        const isWanted = (value: number): boolean => value >= wanted
        expect(rows).toHaveLength(values.length)
        expect([...rows]).toEqual(values)
        expect(rows.at(wanted)).toBe(values.at(wanted))
        expect(rows.map((value, position) => value * position)).toEqual(
          values.map((value, position) => value * position),
        )
        const doubled = (value: number): number | number[] => (isWanted(value) ? [value, value] : value)
        expect(rows.flatMap(doubled)).toEqual(values.flatMap(doubled))
        expect([...rows.filter(isWanted)]).toEqual(values.filter(isWanted))
        expect([...rows.filter(isWanted).filter((value) => value % 2 === 0)]).toEqual(
          values.filter(isWanted).filter((value) => value % 2 === 0),
        )
        expect(countRows(rows, isWanted)).toBe(values.filter(isWanted).length)
        expect([...mapRows(rows, isWanted)]).toEqual(values.map(isWanted))
        expect(rows.find(isWanted)).toBe(values.find(isWanted))
        expect(rows.some(isWanted)).toBe(values.some(isWanted))
        expect(rows.every(isWanted)).toBe(values.every(isWanted))
        const sum = (total: string, value: number, position: number): string =>
          `${total} ${position}:${value}`
        expect(rows.reduce(sum, '')).toBe(values.reduce(sum, ''))
      }),
    )
  })

  test('fall into groups as an array of them does, in the order in which they are met', () => {
    fc.assert(
      fc.property(numbers, (values) => {
        const groups = groupRows(lazy(values), (value) => Math.abs(value)).map((group) => [...group])
        expect(groups).toEqual([...Map.groupBy(values, (value) => Math.abs(value)).values()])
      }),
    )
  })

  test('are joined part after part', () => {
    fc.assert(
      fc.property(fc.array(numbers), (parts) => {
        const joined = joinRows(parts.map(lazy))
        expect([...joined]).toEqual(parts.flat())
        expect(joined.at(-1)).toBe(parts.flat().at(-1))
      }),
    )
  })
})

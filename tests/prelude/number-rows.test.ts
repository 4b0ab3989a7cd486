import fc from 'fast-check'
import { expect, test } from 'vitest'
import { groupedValues, groupNumbers, numberColumn } from '#prelude'

test('a column holds what was added, and nothing of the room that is left', () => {
  const column = numberColumn(4)
  for (const value of [3, -1, 0.5]) column.add(value)
  expect([...column.values()]).toEqual([3, -1, 0.5])
})

test('rows fall into groups in the order in which they are met, each with its own values', () => {
  const row = fc.record({ key: fc.nat(7), value: fc.double({ noNaN: true }) })
  fc.assert(
    fc.property(fc.array(row), (rows) => {
      const groups = groupNumbers(rows.map(({ key }) => key))
      const valuesOf = groupedValues(
        groups,
        Float64Array.from(rows, ({ value }) => value),
      )
      const expected = [...Map.groupBy(rows, ({ key }) => key)]
      expect([...groups.keys]).toEqual(expected.map(([key]) => key))
      expect(expected.map((_, group) => [...valuesOf(group)])).toEqual(
        expected.map(([, own]) => own.map(({ value }) => value)),
      )
    }),
  )
})

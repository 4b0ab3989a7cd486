import fc from 'fast-check'
import { expect, test } from 'vitest'
import { growingTable, type NumberTable, numberAt } from '../../src/prelude/rows/number-table.ts'

const column = (table: NumberTable, at: number, length: number): number[] =>
  Array.from({ length }, (_, row) => numberAt(table, row, at))

/** Times as journals have them, numbers of any kind, and what is absent. */
const number = fc.oneof(
  fc.integer({ min: -1e9, max: 1e12 }).map((microseconds) => microseconds / 1000),
  fc.integer({ min: 0, max: 2000 }).map((microseconds) => microseconds / 1000),
  fc.double(),
  fc.constantFrom(0, -0, Number.NaN, 4_294_967.295, 4_294_967.294, 2 ** 53),
)
const columns = fc.array(fc.tuple(number, number, number), { minLength: 1, maxLength: 40 }).chain((rows) =>
  fc.constantFrom(
    rows,
    rows.map(([first]) => [first, first, first] as const),
  ),
)

test('whatever a table of doubles is given, it gives back', () => {
  fc.assert(
    fc.property(columns, (rows) => {
      const growing = growingTable(3, 'double')
      for (const row of rows) growing.add(row)
      const table = growing.table()
      for (const at of [0, 1, 2]) {
        expect(column(table, at, rows.length)).toEqual(rows.map((row) => row[at]))
      }
    }),
    { numRuns: 500 },
  )
})

test('times in microseconds take half of what doubles take, and none where they are those of another column', () => {
  const growing = growingTable(3, 'double')
  const times = Array.from({ length: 1000 }, (_, row) => 81_234.567 + row * 17.003)
  for (const [row, ms] of times.entries()) growing.add([Math.round(ms * 1000) / 1000, ms, row === 0 ? 0 : ms])
  const [piece] = growing.table().pieces
  const widths = piece?.map((kept) => (typeof kept === 'number' ? 0 : kept.numbers.BYTES_PER_ELEMENT))
  expect(widths).toEqual([4, 8, 8])
  const alike = growingTable(3, 'double')
  for (const ms of times) alike.add([ms, 5, ms])
  const [first, constant, again] = alike.table().pieces[0] ?? []
  expect(constant).toBe(5)
  expect(again).toBe(first)
})

test('a table of many pieces gives back doubles and codes of every one of them', () => {
  const length = 10 * 2 ** 14 + 5
  const [doubles, codes] = [growingTable(2, 'double'), growingTable(1, 'code')]
  for (let row = 0; row < length; row += 1) {
    doubles.add([row / 1000, Math.sqrt(row)])
    codes.add([2 ** 32 - 1 - row])
  }
  const [double, code] = [doubles.table(), codes.table()]
  let wrong = 0
  for (let row = 0; row < length; row += 1) {
    if (numberAt(double, row, 0) !== row / 1000 || numberAt(double, row, 1) !== Math.sqrt(row)) wrong += 1
    if (numberAt(code, row, 0) !== 2 ** 32 - 1 - row) wrong += 1
  }
  expect(wrong).toBe(0)
})

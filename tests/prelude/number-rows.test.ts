import { expect, test } from 'vitest'
import { numberColumn } from '#prelude'

test('a column holds what was added, and nothing of the room that is left', () => {
  const column = numberColumn(4)
  for (const value of [3, -1, 0.5]) column.add(value)
  expect([...column.values()]).toEqual([3, -1, 0.5])
})

import { describe, expect, test } from 'vitest'
import { relativeSpeed } from '#capacity'

const own = { integerMillionsPerSecond: 400, floatBillionsPerSecond: 2, memoryBillionsPerSecond: 10 }

describe('another machine', () => {
  test('is as fast as its matrix products say, within what integers and memory say', () => {
    const other = { integerMillionsPerSecond: 600, floatBillionsPerSecond: 4, memoryBillionsPerSecond: 9 }
    expect(relativeSpeed(own, other)).toEqual({ estimate: 2, range: { low: 0.9, high: 2 } })
  })

  test('that is the same one is as fast as itself', () => {
    expect(relativeSpeed(own, own)).toEqual({ estimate: 1, range: { low: 1, high: 1 } })
  })
})

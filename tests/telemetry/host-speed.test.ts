import { expect, test } from 'vitest'
import { measureHostSpeed } from '#telemetry'

test('the host’s speed is work over time, by the clock that is handed in', () => {
  // Every look at the clock is 100 ms later: so each piece of work takes that long.
  let nowMs = 0
  const clock = {
    nowMs: () => {
      nowMs += 100
      return nowMs
    },
  }
  const { integerMillionsPerSecond, floatBillionsPerSecond, memoryBillionsPerSecond } = measureHostSpeed(
    clock,
    0.9,
  )
  // Ten pieces a second: a million rounds, 2 · 128³ operations, 64 MiB.
  expect(integerMillionsPerSecond).toBeCloseTo(10, 6)
  expect(floatBillionsPerSecond).toBeCloseTo((10 * 2 * 128 ** 3) / 1e9, 6)
  expect(memoryBillionsPerSecond).toBeCloseTo((10 * 64 * 2 ** 20) / 1e9, 6)
})

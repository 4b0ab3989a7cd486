import { expect, test } from 'vitest'
import { measureHostSpeed } from '#telemetry/host-speed'

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
  // Ten pieces a second: a million rounds, 2 · 128³ operations, 32 MiB.
  expect(integerMillionsPerSecond).toBeCloseTo(10, 6)
  expect(floatBillionsPerSecond).toBeCloseTo((10 * 2 * 128 ** 3) / 1e9, 6)
  expect(memoryBillionsPerSecond).toBeCloseTo((10 * 32 * 2 ** 20) / 1e9, 6)
})

test('the best piece counts, because other programs can only make one slower', () => {
  const steps = [0, 100, 500, 550, 900]
  let nowMs = 0
  let looks = 0
  const clock = {
    nowMs: () => {
      const at = nowMs + (steps[looks % steps.length] ?? 0)
      looks += 1
      if (looks % steps.length === 0) nowMs += 1000
      return at
    },
  }
  // In each of three turns four pieces of each kind, the fastest of which takes 50 ms.
  expect(measureHostSpeed(clock, 8.1).integerMillionsPerSecond).toBeCloseTo(20, 6)
})

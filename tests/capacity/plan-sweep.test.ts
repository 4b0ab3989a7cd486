import { describe, expect, test } from 'vitest'
import { planSweep } from '../../src/session/capacity/run-sweep.ts'

describe('a sweep in turns', () => {
  const inFlights = [1, 2, 4, 8, 16]

  test('takes as many rounds as its time suffices for, up to four', () => {
    expect(planSweep({ inFlights, budgetSeconds: 600, aloneSeconds: 0.1 }).rounds).toBe(4)
    expect(planSweep({ inFlights, budgetSeconds: 60, aloneSeconds: 0.1 }).rounds).toBe(1)
    expect(planSweep({ inFlights, budgetSeconds: 600, aloneSeconds: null }).rounds).toBe(1)
  })

  test('works a full queue off twice in each turn', () => {
    expect(planSweep({ inFlights, budgetSeconds: 600, aloneSeconds: 0.4 }).rounds).toBe(1)
    expect(planSweep({ inFlights: [1, 2, 4], budgetSeconds: 600, aloneSeconds: 0.4 }).rounds).toBe(4)
  })

  test('looks twice as long at the first and the last number in flight, with which everything is compared', () => {
    const { levels } = planSweep({ inFlights, budgetSeconds: 180, aloneSeconds: 0.1 })
    const [first, second] = levels.map(({ turnSeconds }) => turnSeconds)
    expect(first).toBeCloseTo(2 * (second ?? 0), 9)
    expect(levels.at(-1)?.turnSeconds).toBe(first)
  })

  test('fills no queue that a small budget cannot work off, and sees at least six requests alone', () => {
    const { levels } = planSweep({ inFlights, budgetSeconds: 180, aloneSeconds: 4 })
    expect(levels.map(({ inFlight }) => inFlight)).toEqual([1, 2])
    expect(levels[0]?.turnSeconds).toBeGreaterThanOrEqual(24)
  })
})

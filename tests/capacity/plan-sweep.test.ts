import { describe, expect, test } from 'vitest'
import { planSweep } from '../../src/session/capacity/run-sweep.ts'

describe('a sweep in turns', () => {
  const levels = { levels: 5, mostInFlight: 8 }

  test('takes as many rounds as its time suffices for, up to four', () => {
    expect(planSweep({ ...levels, budgetSeconds: 600, aloneSeconds: 0.1 })).toEqual({
      turnSeconds: 3.75,
      rounds: 4,
    })
    expect(planSweep({ ...levels, budgetSeconds: 60, aloneSeconds: 0.1 })).toEqual({
      turnSeconds: 1.5,
      rounds: 1,
    })
  })

  test('works a full queue off twice in each turn', () => {
    expect(planSweep({ ...levels, budgetSeconds: 600, aloneSeconds: 0.4 }).rounds).toBe(2)
    expect(planSweep({ ...levels, budgetSeconds: 600, aloneSeconds: null }).rounds).toBe(1)
  })
})

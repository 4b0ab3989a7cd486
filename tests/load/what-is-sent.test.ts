import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { poissonSchedule } from '#load/loads/steady'
import { offeredLoad, requestsPerSecondAt } from '#load/rate'
import { equalIssueOrder } from '#load/what-is-sent'
import { seededRandom } from '#prelude'

describe('equal issue', () => {
  test('sends every utterance equally often, in a new order in every pass', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 0, max: 60 }),
        fc.integer(),
        (itemCount, count, seed) => {
          const items = [...Array(itemCount).keys()]
          const order = equalIssueOrder(items, count, seededRandom(seed))
          expect(order).toHaveLength(count)
          const times = items.map((item) => order.filter((other) => other === item).length)
          expect(Math.max(...times) - Math.min(...times)).toBeLessThanOrEqual(count % itemCount === 0 ? 0 : 1)
          const firstPass = order.slice(0, itemCount)
          expect(new Set(firstPass).size).toBe(firstPass.length)
        },
      ),
    )
    const passes = equalIssueOrder([...Array(20).keys()], 40, seededRandom(1))
    expect(passes.slice(0, 20)).not.toEqual(passes.slice(20))
    expect(equalIssueOrder(['a', 'b', 'c'], 9, seededRandom(2))).toEqual(
      equalIssueOrder(['a', 'b', 'c'], 9, seededRandom(2)),
    )
  })

  test('needs something to send', () => {
    expect(() => equalIssueOrder([], 1, seededRandom(1))).toThrow(RangeError)
    expect(equalIssueOrder([], 0, seededRandom(1))).toEqual([])
  })
})

describe('offered load', () => {
  const arrivals = (due: readonly number[], lengths: readonly number[]) =>
    due.map((dueAtMs, index) => ({ dueAtMs, audioSeconds: lengths[index] ?? Number.NaN }))

  test('is described in requests and in speech', () => {
    expect(offeredLoad([arrivals([0, 500, 1_000, 1_500, 2_000], [1, 2, 3, 4, 5])])).toEqual({
      requestsPerSecond: 2,
      audioSecondsPerSecond: 6,
    })
  })

  test('of several blocks is that of each: what lies between two of them is no interval', () => {
    const block = arrivals([0, 500, 1_000], [2, 2, 2])
    expect(offeredLoad([block, block, block])).toEqual({ requestsPerSecond: 2, audioSecondsPerSecond: 4 })
  })

  test('of one arrival, or of several at one moment, is not known', () => {
    expect(offeredLoad([])).toBeNull()
    expect(offeredLoad([arrivals([7], [3]), arrivals([9], [3])])).toBeNull()
    expect(offeredLoad([arrivals([7, 7], [3, 3])])).toBeNull()
  })

  test('of planned Poisson arrivals is close to what was asked for, and what was asked for may be speech', () => {
    const perSecond = requestsPerSecondAt({ audioSecondsPerSecond: 12 }, 4)
    expect(perSecond).toBe(3)
    expect(requestsPerSecondAt({ requestsPerSecond: 3 }, 4)).toBe(3)
    const planned = poissonSchedule({ perSecond, forSeconds: null, seed: 1 }).plan({ count: 20_000 })
    const due = planned.map((send) => (send.kind === 'due' ? send.dueAtMs : Number.NaN))
    const { audioSecondsPerSecond = 0 } = offeredLoad([arrivals(due, Array(20_000).fill(4))]) ?? {}
    expect(Math.abs(audioSecondsPerSecond / 12 - 1)).toBeLessThan(0.03)
  })
})

import { describe, expect, test } from 'vitest'
import { closedSchedule } from '#load/loads/closed'
import { dispatchAgainst } from './dispatch-against.ts'

describe('a closed schedule', () => {
  test('never has more in flight than its limit, and no fewer while there is work', async () => {
    const { peak } = await dispatchAgainst(closedSchedule(3), { serviceMs: Array(20).fill(10), workers: 20 })
    expect(peak).toBe(3)
  })

  test('sends the next one at the moment the previous one has come back', async () => {
    const { sent } = await dispatchAgainst(closedSchedule(2), {
      serviceMs: [30, 10, 10, 10, 30],
      workers: 5,
    })
    expect(sent.map(({ dueAtMs }) => dueAtMs)).toEqual([0, 0, 10, 20, 30])
  })

  test('goes on as long as there are requests, and its latency is service time', () => {
    expect(closedSchedule(2).requestCount()).toBeNull()
    expect(closedSchedule(2).latencyCountsFrom).toBe('sent')
    expect(closedSchedule(2).plan({ count: 2 })).toEqual([{ kind: 'next' }, { kind: 'next' }])
  })

  test.each([0, -1, 1.5, Number.NaN])('cannot keep %s requests in flight', (concurrency) => {
    expect(() => closedSchedule(concurrency)).toThrow(RangeError)
  })
})

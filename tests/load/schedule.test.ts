import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { closedSchedule, type Schedule, systemClock } from '#load'
import { virtualClock } from './virtual-clock.ts'

interface Sent {
  readonly position: number
  readonly dueAtMs: number
  readonly endedAtMs: number
}

/** Dispatches to a server whose service times are known, on a clock that does not run by itself. */
async function dispatchAgainst(
  schedule: Schedule,
  serviceTimesMs: readonly number[],
  stopAfter = Number.POSITIVE_INFINITY,
): Promise<{ sent: Sent[]; count: number; peak: number }> {
  const clock = virtualClock()
  const stop = new AbortController()
  const sent: Sent[] = []
  let inFlight = 0
  let peak = 0
  const dispatched = schedule.dispatch({
    count: serviceTimesMs.length,
    clock,
    stop: stop.signal,
    async send(position, dueAtMs) {
      inFlight += 1
      peak = Math.max(peak, inFlight)
      await clock.sleepUntil(clock.nowMs() + (serviceTimesMs[position] ?? 0))
      inFlight -= 1
      sent.push({ position, dueAtMs, endedAtMs: clock.nowMs() })
      if (sent.length >= stopAfter) stop.abort()
    },
  })
  await clock.runUntilIdle()
  return { sent, count: (await dispatched).sent, peak }
}

describe.each([
  ['closed, 1 in flight', () => closedSchedule(1)],
  ['closed, 4 in flight', () => closedSchedule(4)],
])('every schedule: %s', (name, make) => {
  test('says what it is', () => {
    expect(make().describe()).toBe(name)
  })

  test('sends every request exactly once and waits for all of them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 40 }), async (times) => {
        const { sent, count } = await dispatchAgainst(make(), times)
        expect(count).toBe(times.length)
        expect(sent.map(({ position }) => position).toSorted((a, b) => a - b)).toEqual([...times.keys()])
      }),
      { numRuns: 50 },
    )
  })

  test('sends nothing after the stop, and still waits for what is in flight', async () => {
    const { sent, count } = await dispatchAgainst(make(), Array(40).fill(10), 8)
    expect(count).toBeGreaterThanOrEqual(8)
    expect(count).toBeLessThan(40)
    expect(sent).toHaveLength(count)
  })
})

describe('a closed schedule', () => {
  test('never has more in flight than it was told, and no fewer while there is work', async () => {
    const { peak } = await dispatchAgainst(closedSchedule(3), Array(20).fill(10))
    expect(peak).toBe(3)
  })

  test('sends the next one at the moment the previous one has come back', async () => {
    const { sent } = await dispatchAgainst(closedSchedule(2), [30, 10, 10, 10, 30])
    const dueAt = Object.fromEntries(sent.map(({ position, dueAtMs }) => [position, dueAtMs]))
    expect(dueAt).toEqual({ 0: 0, 1: 0, 2: 10, 3: 20, 4: 30 })
  })

  test.each([0, -1, 1.5, Number.NaN])('cannot keep %s requests in flight', (concurrency) => {
    expect(() => closedSchedule(concurrency)).toThrow(RangeError)
  })
})

test('the system clock wakes early when the signal aborts', async () => {
  const controller = new AbortController()
  const sleeping = systemClock.sleepUntil(systemClock.nowMs() + 3_600_000, controller.signal)
  controller.abort()
  await expect(sleeping).resolves.toBeUndefined()
})

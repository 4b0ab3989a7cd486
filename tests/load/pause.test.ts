import { describe, expect, test } from 'vitest'
import { closedSchedule } from '#load/loads/closed'
import { constantSchedule } from '#load/loads/steady'
import { quantile, sortSamples } from '#statistics/quantiles'
import { dispatchAgainst, type Sent } from './dispatch-against.ts'
import { virtualClock } from './virtual-clock.ts'

const perSecond = 200
const count = 12_000
const serviceMs = 1
const pauseMs = 1_400
const pauseFromMs = 20_000

/**
 * Requests that are due k intervals after the beginning of a pause wait for its rest, so the longest times are
 * pause, pause - 1 interval, pause - 2 intervals, …; the 99th percentile (type 7) lies (1 - 0.99)(n - 1)
 * intervals from the longest.
 */
const arithmeticMs = pauseMs + serviceMs - ((1 - 0.99) * (count - 1) * 1_000) / perSecond

const p99 = (times: readonly number[]): number => quantile(sortSamples(times), 0.99) ?? Number.NaN
const fromDue = (sent: readonly Sent[]): number[] => sent.map((each) => each.endedAtMs - each.dueAtMs)
const fromSent = (sent: readonly Sent[]): number[] => sent.map((each) => each.endedAtMs - each.sentAtMs)

describe('a pause of 1.4 s at 200 requests a second', () => {
  test('of the server: shows in p99 from due times as the arithmetic says', async () => {
    const clock = virtualClock()
    const sent: Sent[] = []
    const dispatched = constantSchedule({ perSecond, forSeconds: null }).dispatch({
      count,
      clock,
      stop: new AbortController().signal,
      async send(position, dueAtMs) {
        const sentAtMs = clock.nowMs()
        const isPaused = sentAtMs >= pauseFromMs && sentAtMs < pauseFromMs + pauseMs
        await clock.sleepUntil((isPaused ? pauseFromMs + pauseMs : sentAtMs) + serviceMs)
        sent.push({ position, dueAtMs, sentAtMs, endedAtMs: clock.nowMs() })
      },
    })
    await clock.runUntilIdle()
    await dispatched
    expect(sent).toHaveLength(count)
    expect(p99(fromDue(sent))).toBeCloseTo(arithmeticMs, 6)
    expect(arithmeticMs).toBeCloseTo(801.05, 6)
  })

  test('of this process: shows just the same, because late requests leave at once and keep their due times', async () => {
    const { sent } = await dispatchAgainst(constantSchedule({ perSecond, forSeconds: null }), {
      serviceMs: Array(count).fill(serviceMs),
      workers: count,
      prepare: (clock) => clock.stall(pauseFromMs, pauseMs),
    })
    expect(p99(fromDue(sent))).toBeCloseTo(arithmeticMs, 6)
    const late = sent.filter(({ dueAtMs, sentAtMs }) => sentAtMs > dueAtMs)
    expect(late).toHaveLength((pauseMs / 1_000) * perSecond)
    expect(new Set(late.map(({ sentAtMs }) => sentAtMs))).toEqual(new Set([pauseFromMs + pauseMs]))
    expect(sent.map(({ dueAtMs }) => dueAtMs)).toEqual(Array.from({ length: count }, (_, k) => k * 5))
  })

  test('is not seen from the moments of sending, nor by a schedule that waits for answers', async () => {
    const pausing = { serviceMs: Array(count).fill(serviceMs), workers: 1 }
    const late = await dispatchAgainst(constantSchedule({ perSecond, forSeconds: null }), {
      ...pausing,
      workers: count,
      prepare: (clock) => clock.stall(pauseFromMs, pauseMs),
    })
    expect(p99(fromSent(late.sent))).toBeCloseTo(serviceMs, 6)
    const closed = await dispatchAgainst(closedSchedule(1), {
      serviceMs: pausing.serviceMs.map((usual, position) => (position === 4_000 ? pauseMs : usual)),
      workers: 1,
    })
    expect(p99(fromDue(closed.sent))).toBeCloseTo(serviceMs, 6)
  })
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Clock } from '#load/clock'
import type { Schedule } from '#load/schedule'
import { dispatchAgainst, lengthOf } from './dispatch-against.ts'
import { simulate } from './simulation.ts'
import { virtualClock } from './virtual-clock.ts'

export interface ScheduleCase {
  /** How it describes itself, without and with the mean length of the utterances (4 s). */
  readonly says: string
  readonly saysOfSpeech: string
  /** Most requests that it keeps in flight by itself; 1 for schedules without such a limit. */
  readonly places?: number
  /** Whether rounds differ. */
  readonly isRandom: boolean
  /** With arrivals for at least 60 requests. */
  make(seed?: number): Schedule
}

/** Service times without two alike, so that no two events fall on one moment and their order is never in doubt. */
const services = fc
  .array(fc.double({ min: 0.1, max: 5_000, noNaN: true }), { minLength: 1, maxLength: 60 })
  .map((times) => times.map((time, position) => time + Math.sqrt(position + 2) / 1_000))

/** Sixty requests, of which none was sent and none is stopped. */
function sixty(clock: Clock) {
  return { count: 60, audioSeconds: lengthOf, clock, stop: new AbortController().signal }
}

/** What every schedule promises, whatever its load looks like. */
export function describeSchedule(
  name: string,
  { make, says, saysOfSpeech, places = 1, isRandom }: ScheduleCase,
): void {
  describe(`every schedule: ${name}`, () => {
    test('says what it is, in requests and in speech', () => {
      expect(make().describe()).toBe(says)
      expect(make().describe(4)).toBe(saysOfSpeech)
    })

    test('plans the same for the same list, however often it is asked, from any instance', () => {
      const schedule = make()
      const list = { count: 40, audioSeconds: lengthOf, round: 3 }
      expect(schedule.plan(list)).toHaveLength(40)
      expect(schedule.plan(list)).toEqual(schedule.plan(list))
      expect(make().plan(list)).toEqual(schedule.plan(list))
    })

    test(`has ${isRandom ? 'other' : 'the same'} arrivals in another round, and with another seed`, () => {
      const planned = (round: number, seed?: number) =>
        make(seed).plan({ count: 20, audioSeconds: lengthOf, round })
      for (const other of [planned(2), planned(1, 77)]) {
        if (isRandom) expect(other).not.toEqual(planned(1))
        else expect(other).toEqual(planned(1))
      }
    })

    test('keeps its rate in a part of its length, or has no parts', () => {
      const [whole, part] = [make(), make().part(4)]
      const count = whole.requestCount()
      if (part === null || count === null) return
      const counts = Array.from({ length: 40 }, (_, round) => part.requestCount(round) ?? 0)
      const mean = counts.reduce((sum, each) => sum + each, 0) / 40
      expect(Math.abs(mean - count / 4)).toBeLessThan(1 + count / 8)
    })

    test('plans a shorter list like the beginning of a longer one', () => {
      const [long, short] = [40, 25].map((count) => make().plan({ count, audioSeconds: lengthOf }))
      expect(short).toEqual(long?.slice(0, 25))
    })

    test('gives every response the time that a simulation of the same arrivals gives it', async () => {
      await fc.assert(
        fc.asyncProperty(
          services,
          fc.integer({ min: 1, max: 5 }),
          fc.integer({ min: 0, max: 9 }),
          async (serviceMs, workers, round) => {
            const { sent } = await dispatchAgainst(make(), { serviceMs, workers, round })
            const plan = make().plan({ count: serviceMs.length, audioSeconds: lengthOf, round })
            const exact = simulate({ plan, places, serviceMs, workers })
            const responseMs = (times: { dueAtMs: number; endedAtMs: number }): number =>
              times.endedAtMs - times.dueAtMs
            expect(sent.map(responseMs)).toEqual(exact.map(responseMs))
            expect(sent.map(({ dueAtMs }) => dueAtMs)).toEqual(exact.map(({ dueAtMs }) => dueAtMs))
          },
        ),
        { numRuns: 30 },
      )
    })

    test('sends every request exactly once, waits for all of them, and sends at the due time', async () => {
      const { sent } = await dispatchAgainst(make(), { serviceMs: Array(60).fill(70), workers: 2 })
      expect(sent.map(({ position }) => position)).toEqual([...Array(60).keys()])
      expect(sent.map(({ sentAtMs }) => sentAtMs)).toEqual(sent.map(({ dueAtMs }) => dueAtMs))
    })

    test('passes over what was sent before, and begins at once with the rest', async () => {
      const positions: number[] = []
      const clock = virtualClock()
      const dispatched = make().dispatch({
        ...sixty(clock),
        isSent: (position) => position < 30 || position % 2 === 0,
        send: async (position) => {
          positions.push(position)
        },
      })
      await clock.runUntilIdle()
      await dispatched
      expect(positions.toSorted((a, b) => a - b)).toEqual(
        Array.from({ length: 15 }, (_, index) => 31 + 2 * index),
      )
    })

    test('does nothing with an empty list', async () => {
      expect(make().plan({ count: 0, audioSeconds: lengthOf })).toEqual([])
      expect(await dispatchAgainst(make(), { serviceMs: [], workers: 1 })).toEqual({
        sent: [],
        peak: 0,
      })
    })

    test('sends nothing after the stop, and still waits for what is in flight', async () => {
      const { sent } = await dispatchAgainst(make(), {
        serviceMs: Array(60).fill(40),
        workers: 5,
        stopAfter: 8,
      })
      expect(sent.length).toBeGreaterThanOrEqual(8)
      expect(sent.length).toBeLessThan(60)
      const stoppedAtMs = sent.map(({ endedAtMs }) => endedAtMs).toSorted((a, b) => a - b)[7] ?? 0
      expect(sent.every(({ sentAtMs }) => sentAtMs <= stoppedAtMs)).toBe(true)
    })

    test('does not sleep on after the stop', async () => {
      let stoppedAtMs = Number.NaN
      const clock = virtualClock()
      const stop = new AbortController()
      const dispatched = make().dispatch({
        ...sixty(clock),
        stop: stop.signal,
        send: async () => {
          stoppedAtMs = clock.nowMs()
          stop.abort()
        },
      })
      await clock.runUntilIdle()
      await dispatched
      expect(clock.nowMs()).toBe(stoppedAtMs)
    })

    test('sends no more when a sending throws, which is a bug, and ends with it when all are back', async () => {
      let sent = 0
      let back = 0
      const clock = virtualClock()
      const dispatched = make().dispatch({
        ...sixty(clock),
        send: async (position) => {
          sent += 1
          await clock.sleepUntil(clock.nowMs() + 100 * (position + 1))
          back += 1
          if (position === 0) throw new TypeError('not in the plan')
        },
      })
      const ended = expect(dispatched).rejects.toThrow('not in the plan')
      const backAtEnd = dispatched.catch(() => back)
      await clock.runUntilIdle()
      await ended
      expect(sent).toBeLessThan(60)
      expect(await backAtEnd).toBe(sent)
    })
  })
}

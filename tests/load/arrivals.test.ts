import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rampSchedule } from '#load/loads/ramp'
import { constantSchedule, gammaSchedule, poissonSchedule } from '#load/loads/steady'
import { stepsSchedule } from '#load/loads/steps'
import type { PlannedSend, Schedule } from '#load/schedule'
import { intervalsOf, judgeArrivals, randomArrivals } from './arrival-distributions.ts'
import { exponential, gamma, kolmogorovSmirnovP, uniform } from './kolmogorov-smirnov.ts'

const even = { kind: 'even' } as const
const dueAtMs = (schedule: Schedule, count = schedule.requestCount() ?? 0): number[] =>
  schedule.plan({ count }).map((send: PlannedSend) => (send.kind === 'due' ? send.dueAtMs : Number.NaN))

describe('the distribution of random arrivals', () => {
  test.each(randomArrivals)('$name is what it is called, over many seeds', (arrivals) => {
    const { p, refused } = judgeArrivals(arrivals.make, arrivals, { seeds: 150, count: 400 })
    expect(p).toBeGreaterThan(0.001)
    // 150 tests at 5 %: more than 16 refusals have a probability below 0.001.
    expect(refused).toBeLessThanOrEqual(16 / 150)
  })

  test('a rate that is 5 % off, even arrivals and another burstiness would be noticed', () => {
    const size = { seeds: 100, count: 1_000 }
    const claimed = { perSecond: 3, distribution: exponential }
    const tooFast = (seed: number): Schedule => poissonSchedule({ perSecond: 3.15, forSeconds: null, seed })
    const bursty = (seed: number): Schedule =>
      gammaSchedule({ perSecond: 3, burstiness: 0.8, forSeconds: null, seed })
    const inStep = (): Schedule => constantSchedule({ perSecond: 3, forSeconds: null })
    for (const make of [tooFast, bursty, inStep]) {
      expect(judgeArrivals(make, claimed, size).p).toBeLessThan(0.001)
    }
  })

  test('the first arrival is as far from the start as any other from the one before', () => {
    const firsts = Array.from(
      { length: 500 },
      (_, seed) =>
        (intervalsOf(poissonSchedule({ perSecond: 3, forSeconds: null, seed }), 1)[0] ?? 0) * 0.003,
    )
    expect(kolmogorovSmirnovP(firsts, exponential)).toBeGreaterThan(0.01)
  })

  test('the intervals know nothing of each other', () => {
    for (const { make, perSecond } of randomArrivals) {
      const intervals = intervalsOf(make(5), 20_000).map((intervalMs) => (intervalMs * perSecond) / 1_000 - 1)
      const variance = intervals.reduce((sum, value) => sum + value ** 2, 0)
      const lagged = intervals.reduce((sum, value, k) => sum + value * (intervals[k - 1] ?? 0), 0)
      // The correlation of 20,000 independent pairs has a standard deviation of 1/141.
      expect(Math.abs(lagged / variance)).toBeLessThan(3.3 / Math.sqrt(20_000))
    }
  })

  test('the yardstick itself: gamma of shape 1 is exponential, of shape 2 is Erlang', () => {
    for (const value of [0.01, 0.3, 1, 2.5, 7]) {
      expect(gamma(1)(value)).toBeCloseTo(exponential(value), 12)
      expect(gamma(2)(value)).toBeCloseTo(1 - Math.exp(-2 * value) * (1 + 2 * value), 12)
    }
    // From scipy 1.17.1: stats.gamma(0.25, scale=4).cdf(1) and stats.gamma(9, scale=1/9).cdf(1.3).
    expect(gamma(0.25)(1)).toBeCloseTo(0.7436779447314609, 12)
    expect(gamma(9)(1.3)).toBeCloseTo(0.8243166575713137, 12)
    // scipy.stats.kstest(sample, 'uniform') gives 0.2975; the approximation for small samples is within 0.02.
    const sample = [
      0.02, 0.11, 0.13, 0.2, 0.38, 0.41, 0.5, 0.55, 0.61, 0.64, 0.7, 0.72, 0.74, 0.81, 0.83, 0.9, 0.93, 0.94,
      0.97, 0.99,
    ]
    expect(Math.abs(kolmogorovSmirnovP(sample, uniform) - 0.2975)).toBeLessThan(0.02)
  })

  test('the arrivals of a random ramp are a Poisson process on the scale of the area under its line', () => {
    const offsets = dueAtMs(
      rampSchedule({
        fromPerSecond: 50,
        toPerSecond: 5,
        forSeconds: 100,
        intervals: { kind: 'exponential' },
        seed: 3,
      }),
    )
    const areas = offsets.map((offsetMs) => 50 * (offsetMs / 1_000) - 0.225 * (offsetMs / 1_000) ** 2)
    const intervals = areas.map((area, position) => area - (areas[position - 1] ?? 0))
    expect(areas.length).toBeGreaterThan(2_500)
    expect(kolmogorovSmirnovP(intervals, exponential)).toBeGreaterThan(0.01)
  })
})

describe('even arrivals', () => {
  test('constant: the first at once, the others 1 / rate apart, none at the very end', () => {
    const schedule = constantSchedule({ perSecond: 4, forSeconds: 2 })
    expect(dueAtMs(schedule)).toEqual([0, 250, 500, 750, 1_000, 1_250, 1_500, 1_750])
    expect(constantSchedule({ perSecond: 1.1, forSeconds: 50 }).requestCount()).toBe(55)
  })

  test('a ramp from 0 to 10/s in 10 s sends 50, each when the area under the line has reached its number', () => {
    const offsets = dueAtMs(
      rampSchedule({ fromPerSecond: 0, toPerSecond: 10, forSeconds: 10, intervals: even, seed: 1 }),
    )
    expect(offsets).toHaveLength(50)
    for (const [k, offsetMs] of offsets.entries()) expect(offsetMs).toBeCloseTo(1_000 * Math.sqrt(2 * k), 6)
  })

  test('a step of no load sends nothing and delays nothing', () => {
    const steps = [
      { perSecond: 2, forSeconds: 1 },
      { perSecond: 0, forSeconds: 60 },
      { perSecond: 1, forSeconds: 2 },
    ]
    expect(dueAtMs(stepsSchedule({ steps, intervals: even, seed: 1 }))).toEqual([0, 500, 61_000, 62_000])
  })

  test('an arrival between two steps belongs to the second, also where the arithmetic rounds up', () => {
    const steps = [
      { perSecond: 1.1, forSeconds: 50 },
      { perSecond: 4, forSeconds: 1 },
    ]
    const offsets = dueAtMs(stepsSchedule({ steps, intervals: even, seed: 1 }))
    expect(offsets).toHaveLength(59)
    expect(offsets.slice(55).map((offsetMs) => Math.round(offsetMs * 1_000) / 1_000)).toEqual([
      50_000, 50_250, 50_500, 50_750,
    ])
  })

  test('a ramp that goes nowhere is constant', () => {
    const flat = rampSchedule({
      fromPerSecond: 3,
      toPerSecond: 3,
      forSeconds: 20,
      intervals: even,
      seed: 1,
    })
    expect(dueAtMs(flat)).toEqual(dueAtMs(constantSchedule({ perSecond: 3, forSeconds: 20 })))
  })

  const rates = fc.double({ min: 0, max: 50, noNaN: true })
  const lengths = fc.double({ min: 0.01, max: 60, noNaN: true })

  test('along any ramp, the area up to arrival k is k, and there are as many as the area has room for', () => {
    fc.assert(
      fc.property(rates, rates, lengths, (fromPerSecond, toPerSecond, forSeconds) => {
        const area = ((fromPerSecond + toPerSecond) / 2) * forSeconds
        fc.pre(area > 1e-6 && Math.abs(area - Math.round(area)) > 1e-6)
        const offsets = dueAtMs(
          rampSchedule({ fromPerSecond, toPerSecond, forSeconds, intervals: even, seed: 1 }),
        )
        expect(offsets).toHaveLength(Math.ceil(area))
        const slope = (toPerSecond - fromPerSecond) / forSeconds
        for (const [k, offsetMs] of offsets.entries()) {
          const seconds = offsetMs / 1_000
          expect(fromPerSecond * seconds + (slope / 2) * seconds ** 2).toBeCloseTo(k, 6)
          expect(seconds).toBeLessThanOrEqual(forSeconds)
        }
      }),
    )
  })

  test('along any steps, arrivals are in order, and each step gets as many as its area, but for one', () => {
    const anySteps = fc.array(fc.record({ perSecond: rates, forSeconds: lengths }), {
      minLength: 1,
      maxLength: 6,
    })
    fc.assert(
      fc.property(anySteps, (steps) => {
        fc.pre(steps.some(({ perSecond }) => perSecond > 1e-6))
        const offsets = dueAtMs(stepsSchedule({ steps, intervals: even, seed: 1 }))
        expect(offsets).toEqual(offsets.toSorted((left, right) => left - right))
        let startMs = 0
        for (const { perSecond, forSeconds } of steps) {
          const endMs = startMs + 1_000 * forSeconds
          const within = offsets.filter((offsetMs) => offsetMs >= startMs && offsetMs < endMs).length
          expect(Math.abs(within - perSecond * forSeconds)).toBeLessThanOrEqual(1 + 1e-6)
          startMs = endMs
        }
      }),
    )
  })
})

describe('what no schedule can do', () => {
  test('sending more than there are arrivals: the plan is refused before anything is sent', () => {
    const schedule = constantSchedule({ perSecond: 2, forSeconds: 5 })
    expect(schedule.requestCount()).toBe(10)
    expect(() => schedule.plan({ count: 11 })).toThrow('11 requests are planned and the schedule has 10')
  })

  test('sending more than there are arrivals in a round whose times are drawn anew', () => {
    const varies = poissonSchedule({ perSecond: 10, forSeconds: 60, seed: 1 })
    for (const round of [1, 2, 3]) {
      const arrivals = varies.requestCount(round) ?? Number.NaN
      expect(() => varies.plan({ count: arrivals + 1, round })).toThrow(RangeError)
    }
  })

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('a rate of %s, or a length', (value) => {
    expect(() => constantSchedule({ perSecond: value, forSeconds: null })).toThrow(RangeError)
    expect(() => poissonSchedule({ perSecond: 1, forSeconds: value, seed: 1 })).toThrow(RangeError)
    expect(() => gammaSchedule({ perSecond: 1, burstiness: value, forSeconds: null, seed: 1 })).toThrow(
      RangeError,
    )
    const minute = { perSecond: 1, forSeconds: 60 }
    const steps = [minute, { perSecond: 1, forSeconds: value }]
    expect(() => stepsSchedule({ steps, intervals: even, seed: 1 })).toThrow(RangeError)
    const intervals = { kind: 'gamma', shape: value } as const
    expect(() => stepsSchedule({ steps: [minute], intervals, seed: 1 })).toThrow(RangeError)
  })

  test('bursts so long that the schedule would never end', () => {
    const refused = 'the shape of gamma intervals is 0.001 or more, not 1e-12'
    const rate = { perSecond: 2, forSeconds: 10, seed: 1 }
    expect(() => gammaSchedule({ ...rate, burstiness: 1e-12 })).toThrow(refused)
    expect(gammaSchedule({ ...rate, burstiness: 0.001 }).requestCount()).toBeLessThan(10_000)
  })

  test.each([
    ['a rate below 0', -1, 3],
    ['no rate at all', 0, 0],
    ['an endless rate', 1, Number.POSITIVE_INFINITY],
  ])('a ramp with %s', (_what, fromPerSecond, toPerSecond) => {
    const ramp = { fromPerSecond, toPerSecond, forSeconds: 1, intervals: even, seed: 1 }
    expect(() => rampSchedule(ramp)).toThrow(RangeError)
  })

  test('no steps', () => {
    expect(() => stepsSchedule({ steps: [], intervals: even, seed: 1 })).toThrow(RangeError)
  })
})

test('steps of different lengths are reported one by one', () => {
  const steps = [
    { perSecond: 1, forSeconds: 30 },
    { perSecond: 2.5, forSeconds: 60 },
  ]
  const intervals = { kind: 'gamma', shape: 0.5 } as const
  expect(stepsSchedule({ steps, intervals, seed: 1 }).describe()).toBe(
    'steps of requests/s: 1 for 30 s, 2.5 for 60 s, gamma arrivals of burstiness 0.5',
  )
})

test('a rate that asks for more requests than a run ends with is refused before any is made', () => {
  const schedule = poissonSchedule({ perSecond: 1e11, forSeconds: 3600, seed: 1 })
  const refused = { code: 'LOAD_TOO_LARGE', message: expect.stringContaining('360,000,000,000,000 requests') }
  expect(() => schedule.requestCount()).toThrow(expect.objectContaining(refused))
  expect(schedule.plan({ count: 3 })).toHaveLength(3)
})

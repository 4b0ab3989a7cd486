import { describe, expect, test } from 'vitest'
import {
  erlangC,
  meanInSystem,
  meanWaitSeconds,
  relaxationSeconds,
  usualRelaxationSeconds,
} from '#capacity/loaded-server'
import { type SimulatedJobs, simulateQueue } from '#capacity/simulated-server'
import { poissonSchedule } from '#load/loads/steady'

const exponentialQueue = {
  perSecond: 0.8,
  serviceSeconds: 1,
  servers: 1,
  serviceVariation: 1,
}

describe('the formulas of a queue', () => {
  test('have the textbook values', () => {
    // M/M/1 at ρ = 0.8: W = ρS/(1-ρ) = 4 s, L = 4. Erlang C for 2 servers and a = 1: 1/3.
    expect(erlangC(1, 0.8)).toBeCloseTo(0.8, 12)
    expect(erlangC(2, 1)).toBeCloseTo(1 / 3, 12)
    expect(meanWaitSeconds(exponentialQueue)).toBeCloseTo(4, 12)
    expect(meanInSystem(exponentialQueue)).toBeCloseTo(4, 12)
    // M/D/1 waits half as long (Pollaczek and Khinchine).
    expect(meanWaitSeconds({ ...exponentialQueue, serviceVariation: 0 })).toBeCloseTo(2, 12)
  })

  test('know that an overloaded queue never settles', () => {
    expect(meanWaitSeconds({ ...exponentialQueue, perSecond: 1 })).toBe(Number.POSITIVE_INFINITY)
    expect(relaxationSeconds(1, 1)).toBe(Number.POSITIVE_INFINITY)
    expect(relaxationSeconds(0.8, 1)).toBeCloseTo(89.7, 1)
    // Half of the bound where service varies as the lengths of dictations do, a third where it does not vary.
    expect(usualRelaxationSeconds(0.8, 1, 0.4) / relaxationSeconds(0.8, 1)).toBeCloseTo(0.5, 12)
    expect(usualRelaxationSeconds(0.8, 1, 0) / relaxationSeconds(0.8, 1)).toBeCloseTo(1 / 2.8, 12)
  })
})

describe('a simulated queue', () => {
  /** Requests of 100 ms of work that are due at such moments, and what else each takes. */
  const jobs = (dueAtMs: readonly number[], extraMs = 0): SimulatedJobs => ({
    dueAtMs: Float64Array.from(dueAtMs),
    workMs: new Float64Array(dueAtMs.length).fill(100),
    extraMs: new Float64Array(dueAtMs.length).fill(extraMs),
  })
  const machine = { workers: 1, slowdowns: [1], idleSlowdown: 1, queueBound: null }
  const rounded = (responseMs: Float64Array): number[] => [...responseMs].map(Math.round)

  test('serves in the order of coming', () => {
    expect(rounded(simulateQueue(jobs([0, 10, 20, 1000]), machine))).toEqual([100, 190, 280, 100])
  })

  test('refuses what does not fit into its queue', () => {
    const answers = simulateQueue(jobs([0, 1, 2]), { ...machine, queueBound: 1 })
    expect([...answers].map(Number.isNaN)).toEqual([false, false, true])
  })

  test('slows those at work down as much as so many are in each other’s way', () => {
    const two = { ...machine, workers: 2, slowdowns: [1, 1.5] }
    expect(rounded(simulateQueue(jobs([0, 0]), two))).toEqual([150, 150])
    // Alone for 50 ms, then both at two thirds of the speed: 75 ms for the rest of the first, and the second is alone again.
    expect(rounded(simulateQueue(jobs([0, 50]), two))).toEqual([125, 125])
    // More than were ever seen only share what there is.
    expect(rounded(simulateQueue(jobs([0, 0, 0, 0]), { ...two, workers: 4 }))).toEqual([300, 300, 300, 300])
  })

  test('gives more work to those that find an idle server', () => {
    const answers = simulateQueue(jobs([0, 10, 1000]), { ...machine, idleSlowdown: 1.2 })
    expect(rounded(answers)).toEqual([120, 210, 120])
  })

  test('holds no worker for what a request takes besides its work', () => {
    expect(rounded(simulateQueue(jobs([0, 0], 30), machine))).toEqual([130, 230])
  })

  test('takes arrivals that come closer together, and a server that is faster', () => {
    expect(rounded(simulateQueue(jobs([0, 100], 30), machine, { loadFactor: 2 }))).toEqual([130, 180])
    expect(rounded(simulateQueue(jobs([0, 10], 30), machine, { speed: 2 }))).toEqual([65, 105])
  })

  test('waits as long as Pollaczek and Khinchine say, within the noise of 200,000 requests', () => {
    const plan = poissonSchedule({ perSecond: 7, forSeconds: null, seed: 4 }).plan({ count: 200_000 })
    const arrivals = plan.map((send) => (send.kind === 'due' ? send.dueAtMs : Number.NaN))
    const answers = simulateQueue(jobs(arrivals), machine)
    const meanMs = answers.reduce((sum, responseMs) => sum + responseMs, 0) / answers.length
    const wait =
      1000 * meanWaitSeconds({ ...exponentialQueue, perSecond: 7, serviceSeconds: 0.1, serviceVariation: 0 })
    expect(Math.abs(meanMs / (100 + wait) - 1)).toBeLessThan(0.03)
  })
})

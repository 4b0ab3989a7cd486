import { describe, expect, test } from 'vitest'
import {
  erlangC,
  meanInSystem,
  meanWaitSeconds,
  relaxationSeconds,
  simulateQueue,
  usualRelaxationSeconds,
} from '#capacity'
import { poissonSchedule } from '#load'

const exponentialQueue = {
  perSecond: 0.8,
  serviceSeconds: 1,
  servers: 1,
  arrivalVariation: 1,
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
  const arrive = (dueAtMs: number, workMs = 100, besideMs = 0) => ({
    dueAtMs,
    workMs,
    besideMs,
    audioSeconds: 1,
  })
  const machine = { workers: 1, slowdowns: [1], idleSlowdown: 1, queueBound: null }

  test('serves in the order of coming', () => {
    const answers = simulateQueue([arrive(0), arrive(10), arrive(20), arrive(1000)], machine)
    expect(answers.map(({ responseMs }) => Math.round(responseMs ?? -1))).toEqual([100, 190, 280, 100])
  })

  test('refuses what does not fit into its queue', () => {
    const answers = simulateQueue([arrive(0), arrive(1), arrive(2)], { ...machine, queueBound: 1 })
    expect(answers.map(({ responseMs }) => responseMs === null)).toEqual([false, false, true])
  })

  test('slows those at work down as much as so many are in each other’s way', () => {
    const two = { ...machine, workers: 2, slowdowns: [1, 1.5] }
    const rounded = (answers: ReturnType<typeof simulateQueue>) =>
      answers.map(({ responseMs }) => Math.round(responseMs ?? -1))
    expect(rounded(simulateQueue([arrive(0), arrive(0)], two))).toEqual([150, 150])
    // Alone for 50 ms, then both at two thirds of the speed: 75 ms for the rest of the first, and the second is alone again.
    expect(rounded(simulateQueue([arrive(0), arrive(50)], two))).toEqual([125, 125])
    // More than were ever seen only share what there is.
    const four = Array.from({ length: 4 }, () => arrive(0))
    expect(rounded(simulateQueue(four, { ...two, workers: 4 }))).toEqual([300, 300, 300, 300])
  })

  test('gives more work to those that find nobody', () => {
    const answers = simulateQueue([arrive(0), arrive(10), arrive(1000)], { ...machine, idleSlowdown: 1.2 })
    expect(answers.map(({ responseMs }) => Math.round(responseMs ?? -1))).toEqual([120, 210, 120])
  })

  test('holds no worker for what a request takes beside its work', () => {
    const answers = simulateQueue([arrive(0, 100, 30), arrive(0, 100, 30)], machine)
    expect(answers.map(({ responseMs }) => Math.round(responseMs ?? -1))).toEqual([130, 230])
  })

  test('waits as long as Pollaczek and Khinchine say, within the noise of 200,000 requests', () => {
    const plan = poissonSchedule({ perSecond: 7, forSeconds: null, seed: 4 }).plan({ count: 200_000 })
    const arrivals = plan.map((send) => arrive(send.kind === 'due' ? send.dueAtMs : Number.NaN))
    const answers = simulateQueue(arrivals, machine)
    const meanMs =
      answers.reduce((sum, { responseMs }) => sum + (responseMs ?? Number.NaN), 0) / answers.length
    const wait =
      1000 * meanWaitSeconds({ ...exponentialQueue, perSecond: 7, serviceSeconds: 0.1, serviceVariation: 0 })
    expect(Math.abs(meanMs / (100 + wait) - 1)).toBeLessThan(0.03)
  })
})

import { describe, expect, test } from 'vitest'
import { type LevelSample, paceOf, workOfWaiting } from '#capacity'
import { ask } from '../../src/session/capacity/simulation.ts'
import { asked, mix, promises, simulationOf } from './a-simulation.ts'
import { oneAtOnce, type SimulatedServer, twoAtOnce } from './simulated-servers.ts'
import { trueCapacity } from './true-capacity.ts'

const sample = (sentAtMs: number, endedAtMs: number, isAnswered = true): LevelSample => ({
  utteranceId: 'a',
  audioSeconds: sentAtMs,
  dueAtMs: sentAtMs,
  sentAtMs,
  endedAtMs,
  isAnswered,
  text: null,
})

describe('the work of those that had to wait', () => {
  test('begins where the one before is over', () => {
    const samples = [sample(0, 100), sample(50, 180), sample(60, 300), sample(400, 500)]
    expect(workOfWaiting(samples, { workers: 1, slowdowns: [1] })).toEqual([
      { audioSeconds: 50, workMs: 80 },
      { audioSeconds: 60, workMs: 120 },
    ])
  })

  test('is that of a request alone, whatever others were in its way', () => {
    // From 100 to 200 two are at work, each 1.25 times as long as alone; from 200 to 300 it is alone.
    const samples = [sample(0, 100), sample(10, 200), sample(20, 300)]
    const [only, ...others] = workOfWaiting(samples, { workers: 2, slowdowns: [1, 1.25] })
    expect(others).toEqual([])
    expect(only?.audioSeconds).toBe(20)
    expect(only?.workMs).toBeCloseTo(100 / 1.25 + 100, 9)
  })

  test('is not known of one that failed, nor of one that was over before its turn', () => {
    const samples = [sample(0, 100), sample(10, 20), sample(30, 150, false), sample(40, 210)]
    expect(workOfWaiting(samples, { workers: 1, slowdowns: [1] })).toEqual([{ audioSeconds: 40, workMs: 60 }])
  })
})

test('a pace is the middle of what they took over what was expected, and 1 where too few had to wait', () => {
  const works = Array.from({ length: 51 }, (_, index) => ({ audioSeconds: 1, workMs: 100 + index }))
  expect(paceOf(works, () => 100)).toBeCloseTo(1.25, 12)
  expect(paceOf(works.slice(0, 49), () => 100)).toBe(1)
})

/** The same server on a machine that has become slower. */
function slower(server: SimulatedServer, times: number): SimulatedServer {
  return { ...server, workMs: (audioSeconds) => times * server.workMs(audioSeconds) }
}

test.each([
  { server: oneAtOnce, loads: [2, 3] },
  { server: twoAtOnce, loads: [5, 7] },
])(
  'a machine that becomes slower after the sweep is simulated as it was under load: $server.name',
  ({ server, loads }) => {
    const simulation = simulationOf(server, { loads, underLoad: slower(server, 1.25) })
    expect(simulation.silentBecause).toBeNull()
    expect(Math.abs(simulation.pace / 1.25 - 1)).toBeLessThan(0.04)
    const [promise] = promises
    if (promise === undefined) throw new TypeError('there is a promise')
    const truth = trueCapacity(slower(server, 1.25), promise, 0.05, { requests: 60_000, seed: 9 })
    const answer = ask(simulation, asked, { words: 'itself', mix })
    expect(Math.abs((answer.capacity?.requestsPerSecond ?? 0) / truth - 1)).toBeLessThan(0.08)
  },
)

import { describe, expect, test } from 'vitest'
import { evaluateWhatIf } from '#capacity/simulation'
import { asked, mix, simulationOf } from './a-simulation.ts'
import { objectiveOf, trueCapacity } from './limits-of.ts'
import { queueLimited, serverCalled, twoAtOnce } from './simulated-servers.ts'

const objective = objectiveOf('p95 <= 0.5s + 0.1d')

describe('the simulation of a server', () => {
  const two = simulationOf(twoAtOnce, [6, 9])

  test('finds in the sweep how many requests are at work, and how much longer each takes then', () => {
    expect(two.workers).toBe(2)
    expect(two.slowdowns).toHaveLength(2)
    expect(Math.abs((two.slowdowns[1] ?? 0) - 2 / 1.7)).toBeLessThan(0.08)
    expect(two.atWorkShare).toBeGreaterThan(0.9)
  })

  test('reproduces the loads that it is compared with', () => {
    expect(two.reproductions.map(({ isReproduced }) => isReproduced)).toEqual([true, true])
  })

  test('turns away what finds no place, where the server does', () => {
    const { queueBound, silentBecause } = simulationOf(queueLimited, [5, 7])
    expect({ queueBound, silentBecause }).toEqual({ queueBound: 10, silentBecause: null })
    expect(two.queueBound).toBeNull()
  })

  test.each([
    ['two at once', [6, 9], 0.1],
    ['thrashing', [6, 9], 0.1],
    ['serialised by a lock', [4, 7], 0.15],
    ['failing 1 %', [3, 4], 0.1],
    ['deterministic', [5, 8], 0.1],
  ])('has the capacity of the server that is %s', (name, loads, tolerance) => {
    const server = name === twoAtOnce.name ? twoAtOnce : serverCalled(name)
    const simulation = simulationOf(server, loads)
    expect(simulation.silentBecause).toBeNull()
    const truth = trueCapacity(server, objective, 0.05, { requests: 60_000, seed: 9 })
    const { capacity } = evaluateWhatIf(simulation, asked, { words: 'as it was measured', mix })
    expect(Math.abs((capacity?.requestsPerSecond ?? 0) / truth - 1)).toBeLessThan(tolerance)
  })
})

const measurement = {
  ...asked,
  command: ['transcribench', 'capacity', '--exclude', 'long-ago', '--seed', '3'],
  excluded: ['long-ago'],
}
const sorted = mix.toSorted((a, b) => a.durationSeconds - b.durationSeconds)
const mixes = [
  { words: 'the shorter half', asked: sorted.slice(0, 20) },
  { words: 'the longer half', asked: sorted.slice(20) },
  { words: 'the ten shortest and the ten longest', asked: [...sorted.slice(0, 10), ...sorted.slice(30)] },
]

describe.each([
  { server: serverCalled('lognormal'), loads: [8, 12] },
  { server: twoAtOnce, loads: [6, 9] },
  { server: serverCalled('failing 1 %'), loads: [3, 4] },
])('another mix of lengths on the server $server.name', ({ server, loads }) => {
  const simulation = simulationOf(server, loads)

  test.each(mixes)('is foreseen within 15 %: $words', ({ words, asked }) => {
    const seconds = asked.map(({ durationSeconds }) => durationSeconds)
    const truth = trueCapacity({ ...server, mix: seconds }, objective, 0.05, { requests: 30_000, seed: 9 })
    const answer = evaluateWhatIf(simulation, measurement, { words, mix: asked })
    expect(Math.abs((answer.capacity?.requestsPerSecond ?? 0) / truth - 1)).toBeLessThan(0.15)
  })
})

test('what is measured to check an answer is reported as a command', () => {
  const simulation = simulationOf(twoAtOnce, [6, 9])
  const without = mix.slice(0, 3).map(({ id }) => id)
  expect(evaluateWhatIf(simulation, measurement, { words: 'fewer', mix: mix.slice(3), without }).check).toBe(
    "transcribench capacity --seed 3 --exclude 'long-ago,r0,r1,r2'",
  )
  expect(evaluateWhatIf(simulation, measurement, { words: 'as it was', mix }).check).toBeNull()
})

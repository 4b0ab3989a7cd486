import { describe, expect, test } from 'vitest'
import { evaluateWhatIf } from '#capacity/simulation'
import { asked, mix, objectives, simulationOf } from './a-simulation.ts'
import { queueLimited, type SimulatedServer, simulatedServers, twoAtOnce } from './simulated-servers.ts'
import { trueCapacity } from './true-capacity.ts'

const [objective] = objectives
if (objective === undefined) throw new TypeError('there is an objective')

describe('the simulation of a server', () => {
  const two = simulationOf(twoAtOnce, { loads: [6, 9] })

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
    const { queueBound, silentBecause } = simulationOf(queueLimited, { loads: [5, 7] })
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
    const server = [...simulatedServers, twoAtOnce].find((each) => each.name === name) as SimulatedServer
    const simulation = simulationOf(server, { loads })
    expect(simulation.silentBecause).toBeNull()
    const truth = trueCapacity(server, objective, 0.05, { requests: 60_000, seed: 9 })
    const { capacity } = evaluateWhatIf(simulation, asked, { words: 'as it was measured', mix })
    expect(Math.abs((capacity?.requestsPerSecond ?? 0) / truth - 1)).toBeLessThan(tolerance)
  })
})

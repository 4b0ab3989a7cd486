import { describe, expect, test } from 'vitest'
import { extendSlowdowns, processorSlowdown, spreadSlowdowns } from '#capacity'
import { ask } from '../../src/session/capacity/simulation.ts'
import { asked, mix, promises, simulationOf } from './a-simulation.ts'
import { oneAtOnce, type SimulatedServer, simulatedServers, twoAtOnce } from './simulated-servers.ts'
import { trueCapacity } from './true-capacity.ts'

const [promise] = promises
if (promise === undefined) throw new TypeError('there is a promise')
const truthOf = (server: SimulatedServer): number =>
  trueCapacity(server, promise, 0.05, { requests: 60_000, seed: 9 })
const machine = {
  ...asked,
  speed: {
    integerMillionsPerSecond: 400,
    floatBillionsPerSecond: 2,
    memoryBillionsPerSecond: 10,
    // Two of them do 1.7 times as much as one.
    allAtOnce: 0.85,
  },
}
const off = (answer: ReturnType<typeof ask>, truth: number): number =>
  Math.abs((answer.capacity?.requestsPerSecond ?? 0) / truth - 1)

describe('workers that are in each other’s way', () => {
  const two = simulationOf(twoAtOnce, { loads: [6, 9] })

  test('are told from the sweep: how many, and how much longer each takes', () => {
    expect(two.workers).toBe(2)
    expect(two.slowdowns).toHaveLength(2)
    expect(Math.abs((two.slowdowns[1] ?? 0) - 2 / 1.7)).toBeLessThan(0.08)
    expect(two.atWorkShare).toBeGreaterThan(0.9)
  })

  test('give a simulation that reproduces its own loads and the capacity', () => {
    expect(two.reproductions.map(({ isReproduced }) => isReproduced)).toEqual([true, true])
    expect(off(ask(two, machine, { words: 'itself', mix }), truthOf(twoAtOnce))).toBeLessThan(0.1)
  })

  test('are foreseen from one at a time, by what the host’s processors do all at once', () => {
    const one = simulationOf(oneAtOnce, { loads: [3, 4], busyProcessors: 1 })
    expect(one).toMatchObject({ workers: 1, silentBecause: null })
    expect(one.slowdowns[0]).toBeCloseTo(1, 1)
    const answer = ask(one, machine, { words: 'one more', mix, workers: 2 })
    expect(off(answer, truthOf(twoAtOnce))).toBeLessThan(0.15)
    expect(answer.evidence).toContain('with all busy each does 85% of what one does alone (by matrices')
  })

  test('are not foreseen beyond the processors, nor where nobody sees them', () => {
    expect(ask(two, machine, { words: 'three', mix, workers: 3 })).toMatchObject({
      capacity: null,
      refusedBecause: 'nobody can see from here how busy that server’s processors are',
    })
    const seen = { ...two, processorsPerWorker: 1 }
    expect(ask(seen, machine, { words: 'three', mix, workers: 3 })).toMatchObject({
      capacity: null,
      refusedBecause: 'it works on 2 at once on 2 processors; what more would do has to be measured',
    })
  })

  test.each([
    ['thrashing', [6, 9], 0.1],
    ['serialised by a lock', [4, 7], 0.15],
    ['failing 1 %', [3, 4], 0.1],
    ['deterministic', [5, 8], 0.1],
  ])('have their capacity where the server is %s', (name, loads, tolerance) => {
    const server = simulatedServers.find((each) => each.name === name) as SimulatedServer
    const simulation = simulationOf(server, { loads })
    expect(simulation.silentBecause).toBeNull()
    expect(off(ask(simulation, machine, { words: 'itself', mix }), truthOf(server))).toBeLessThan(tolerance)
  })
})

describe('what processors tell', () => {
  test('together they give no more than there are, and each less while the others are busy', () => {
    const shared = { processors: 4, perWorker: 1, allAtOnce: 0.8 }
    expect(processorSlowdown(shared, 1)).toBe(1)
    expect(processorSlowdown(shared, 4)).toBeCloseTo(1.25, 12)
    expect(processorSlowdown(shared, 8)).toBeCloseTo(2.5, 12)
    expect(processorSlowdown({ ...shared, allAtOnce: null }, 4)).toBe(1)
    expect(processorSlowdown({ ...shared, processors: 1 }, 2)).toBe(2)
  })

  test('what was measured stands, and goes on from where it ends', () => {
    const shared = { processors: 4, perWorker: 1, allAtOnce: null }
    expect(extendSlowdowns([1, 1.3], 4, shared)).toEqual([1, 1.3, 1.3, 1.3])
    expect(extendSlowdowns([1, 1.3], 8, shared).at(-1)).toBeCloseTo(2.6, 12)
  })

  test('twice the processors bear twice as many with the same loss', () => {
    expect(spreadSlowdowns([1, 1.4], 4, 2)).toEqual([1, 1, 1.2, 1.4])
  })
})

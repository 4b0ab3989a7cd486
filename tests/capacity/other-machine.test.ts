import { describe, expect, test } from 'vitest'
import { relativeSpeed } from '#capacity'
import { ask, standardQuestions } from '../../src/session/capacity/simulation.ts'
import { asked, mix, simulationOf } from './a-simulation.ts'
import { type SimulatedServer, simulatedServers } from './simulated-servers.ts'

const own = { integerMillionsPerSecond: 400, floatBillionsPerSecond: 2, memoryBillionsPerSecond: 10 }
const server = simulatedServers.find(({ name }) => name === 'lognormal') as SimulatedServer
const machine = { ...asked, speed: own }

describe('another machine', () => {
  test('is as fast as its matrix products say, within what integers and memory say', () => {
    const other = { integerMillionsPerSecond: 600, floatBillionsPerSecond: 4, memoryBillionsPerSecond: 9 }
    expect(relativeSpeed(own, other)).toEqual({ estimate: 2, range: { low: 0.9, high: 2 } })
  })

  test('bears what this one does where it is like this one, and more where it is faster and has more processors', () => {
    const simulation = simulationOf(server, { loads: [8, 12] })
    const asked = standardQuestions(simulation, machine, mix, [
      { name: 'like this one', processors: 2, speed: own },
      { name: 'a larger one', processors: 8, speed: { ...own, floatBillionsPerSecond: 4 } },
    ]).map((question) => ask(simulation, machine, question))
    const [like, larger] = asked.slice(-2)
    expect(like?.capacity).toEqual(asked[0]?.capacity)
    expect(larger?.question).toBe(
      'a larger one: 2.00 times as fast (1.00 to 2.00 by kind of work), 8 processors',
    )
    expect(larger?.workers).toBe(8)
    // Eight times the work, and many workers wait less for each other.
    expect(larger?.capacity?.requestsPerSecond).toBeGreaterThan(8 * (like?.capacity?.requestsPerSecond ?? 0))
  })
})

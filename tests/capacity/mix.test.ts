import { describe, expect, test } from 'vitest'
import { evaluateWhatIf } from '#capacity/simulation'
import { asked, mix, objectives, simulationOf } from './a-simulation.ts'
import { type SimulatedServer, simulatedServers, twoAtOnce } from './simulated-servers.ts'
import { trueCapacity } from './true-capacity.ts'

const measurement = {
  ...asked,
  command: ['transcribench', 'capacity', '--exclude', 'long-ago', '--seed', '3'],
  excluded: ['long-ago'],
}
const sorted = mix.toSorted((a, b) => a.durationSeconds - b.durationSeconds)
const lognormal = simulatedServers.find(({ name }) => name === 'lognormal') as SimulatedServer
const failing = simulatedServers.find(({ name }) => name === 'failing 1 %') as SimulatedServer
const [objective] = objectives
if (objective === undefined) throw new TypeError('there is an objective')

const mixes = [
  { words: 'the shorter half', asked: sorted.slice(0, 20) },
  { words: 'the longer half', asked: sorted.slice(20) },
  { words: 'the ten shortest and the ten longest', asked: [...sorted.slice(0, 10), ...sorted.slice(30)] },
  { words: 'one in four', asked: sorted.filter((_, index) => index % 4 === 0) },
]

describe.each([
  { server: lognormal, loads: [8, 12] },
  { server: twoAtOnce, loads: [6, 9] },
  { server: failing, loads: [3, 4] },
])('another mix of lengths on the server $server.name', ({ server, loads }) => {
  const simulation = simulationOf(server, { loads })

  test.each(mixes)('is foreseen within 15 %: $words', ({ words, asked }) => {
    const seconds = asked.map(({ durationSeconds }) => durationSeconds)
    const truth = trueCapacity({ ...server, mix: seconds }, objective, 0.05, { requests: 30_000, seed: 9 })
    const answer = evaluateWhatIf(simulation, measurement, { words, mix: asked })
    expect(Math.abs((answer.capacity?.requestsPerSecond ?? 0) / truth - 1)).toBeLessThan(0.15)
  })
})

test('what is measured to check an answer is reported as a command', () => {
  const simulation = simulationOf(twoAtOnce, { loads: [6, 9] })
  const without = mix.slice(0, 3).map(({ id }) => id)
  expect(evaluateWhatIf(simulation, measurement, { words: 'fewer', mix: mix.slice(3), without }).check).toBe(
    "transcribench capacity --seed 3 --exclude 'long-ago,r0,r1,r2'",
  )
  expect(evaluateWhatIf(simulation, measurement, { words: 'as it was', mix }).check).toBeNull()
})

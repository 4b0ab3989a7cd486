import process from 'node:process'
import { describe, expect, test } from 'vitest'
import { allowance, measureLevel, parsePromises, searchCapacity } from '#capacity'
import { knownCapacities } from '../capacity/known-capacities.ts'
import { limitsOf } from '../capacity/limits-of.ts'
import { simulatedInstrument, simulatedServers, smallServers } from '../capacity/simulated-servers.ts'
import { trueCapacity } from '../capacity/true-capacity.ts'

const seeds = 200
const promises = parsePromises(['p95 <= 0.5s + 0.1d', 'failures <= 3%'])
const [latency] = promises
if (latency === undefined) throw new TypeError('there is a promise')

describe.each(simulatedServers)('a server that is $name', (server) => {
  const truth = knownCapacities[server.name] ?? Number.NaN

  test('has the capacity that is on record', () => {
    const again = trueCapacity(server, latency, allowance(latency), { requests: 1_000_000, seed: 5 })
    expect(Math.abs(again / truth - 1)).toBeLessThan(0.01)
  })

  test(`has its capacity found within 10 % in 180 of ${seeds} searches, in an interval that holds it in 181 to 199`, async () => {
    let near = 0
    let held = 0
    let requests = 0
    const confirmations = { kept: 0, broken: 0, undecided: 0 }
    for (let seed = 1; seed <= seeds; seed += 1) {
      const instrument = simulatedInstrument(server)
      const known = await limitsOf(instrument, { seed: seed * 1000, promises })
      const found = await searchCapacity(instrument, {
        promises,
        ...known,
        budgetSeconds: 14_400,
        seed: seed * 1000 + 10,
        precision: 0.05,
      })
      const crossing = found.first?.crossing
      for (const { stretches } of found.levels)
        requests += stretches.reduce((sum, { samples }) => sum + samples.length, 0)
      if (found.confirmation !== null) confirmations[found.confirmation.verdict] += 1
      if (crossing === undefined || crossing === null) continue
      if (Math.abs(crossing.perSecond / truth - 1) <= 0.1) near += 1
      if ((crossing.low ?? 0) <= truth && truth <= (crossing.high ?? Number.POSITIVE_INFINITY)) held += 1
    }
    process.stdout.write(
      `${server.name}: within 10 % ${near}, interval holds ${held} of ${seeds}; confirmations kept ${confirmations.kept}, ` +
        `undecided ${confirmations.undecided}, broken ${confirmations.broken}; ${Math.round(requests / seeds)} requests a search\n`,
    )
    expect(near).toBeGreaterThanOrEqual(180)
    expect(held).toBeGreaterThanOrEqual(181)
    expect(held).toBeLessThanOrEqual(199)
  })

  test('is never said to keep a promise at a load that it cannot bear', async () => {
    const verdicts: string[] = []
    for (let seed = 1; seed <= seeds; seed += 1) {
      const instrument = simulatedInstrument(server)
      const { limits } = await limitsOf(instrument, { seed: seed * 1000, promises })
      // The ceiling of this seed may be a little off the true one: 2 % over the higher of two is over it.
      const other = await limitsOf(instrument, { seed: seed * 1000 + 500, promises })
      const most = Math.max(limits.mostPerSecond, other.limits.mostPerSecond)
      for (const times of [1.02, 1.2]) {
        const level = await measureLevel(instrument, {
          perSecond: times * most,
          promises,
          limits,
          seed: seed * 1000 + 10,
        })
        verdicts.push(level.verdict)
      }
    }
    expect(verdicts).toHaveLength(2 * seeds)
    expect(verdicts.filter((verdict) => verdict === 'kept')).toEqual([])
  })
})

/** What seven minutes leave for the search, after a sweep that is as long as theirs. */
const sevenMinutes = { searchSeconds: 300, aloneSeconds: 25, fullSeconds: 12, inFlight: 8 }
const smallPromises = parsePromises(['p95 <= 0.4s + 0.1d', 'failures <= 1%'])

describe.each(smallServers)('a small model, $name', (server) => {
  test('has the capacity that is on record', () => {
    const [latency] = smallPromises
    if (latency === undefined) throw new TypeError('there is a promise')
    const again = trueCapacity(server, latency, allowance(latency), { requests: 1_000_000, seed: 5 })
    expect(Math.abs(again / (knownCapacities[server.name] ?? Number.NaN) - 1)).toBeLessThan(0.01)
  })

  test(`has its capacity found in seven minutes, in an interval that holds it in 170 of ${seeds}, with a confirmation`, async () => {
    const truth = knownCapacities[server.name] ?? Number.NaN
    let [near, held, bounded, confirmed] = [0, 0, 0, 0]
    const verdicts = { kept: 0, broken: 0, undecided: 0 }
    for (let seed = 1; seed <= seeds; seed += 1) {
      const instrument = simulatedInstrument(server)
      const known = await limitsOf(instrument, {
        seed: seed * 1000,
        promises: smallPromises,
        ...sevenMinutes,
      })
      const found = await searchCapacity(instrument, {
        promises: smallPromises,
        ...known,
        budgetSeconds: sevenMinutes.searchSeconds,
        seed: seed * 1000 + 10,
        precision: 0.05,
      })
      const { perSecond = 0, low = null, high = null } = found.first?.crossing ?? {}
      if (Math.abs(perSecond / truth - 1) <= 0.1) near += 1
      if (low !== null && high !== null) bounded += 1
      if ((low ?? 0) <= truth && truth <= (high ?? Number.POSITIVE_INFINITY)) held += 1
      if (found.confirmation === null) continue
      confirmed += 1
      verdicts[found.confirmation.verdict] += 1
    }
    process.stdout.write(
      `${server.name}, seven minutes: within 10 % ${near}, interval ${bounded}, holds ${held} of ${seeds}; confirmations kept ` +
        `${verdicts.kept}, undecided ${verdicts.undecided}, broken ${verdicts.broken}\n`,
    )
    expect(near).toBeGreaterThanOrEqual(160)
    expect(bounded).toBeGreaterThanOrEqual(190)
    // Of a short search: its interval leans on a model, and holds the truth a little less often than it claims.
    expect(held).toBeGreaterThanOrEqual(170)
    expect(confirmed).toBeGreaterThanOrEqual(198)
  })
})

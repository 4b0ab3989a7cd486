import { describe, expect, test } from 'vitest'
import { type ControlledBatch, fitCrossing, missBatches, parsePromises, withoutLuck } from '#capacity'
import { seededRandom } from '#prelude'
import { knownCapacities } from './known-capacities.ts'
import { limitsOf } from './limits-of.ts'
import { simulatedInstrument, simulateOrder, smallServers } from './simulated-servers.ts'

const [promise] = parsePromises(['p95 <= 0.4s + 0.1d'])
if (promise === undefined) throw new TypeError('there is a promise')

describe('a queue made of requests alone', () => {
  test.each(smallServers)(
    'puts the capacity near where it is, and misses there what it may: $name',
    async (server) => {
      const { model } = await limitsOf(simulatedInstrument(server), { seed: 1, promises: [promise] })
      const truth = knownCapacities[server.name] ?? Number.NaN
      expect(Math.abs((model?.perSecond ?? 0) / truth - 1)).toBeLessThan(0.15)
      expect(Math.abs((model?.missShare(model.perSecond ?? 0, promise) ?? 1) - 0.05)).toBeLessThan(0.015)
    },
  )
})

test('a queue that is far too full misses all requests of a batch, and one with nobody in it none', async () => {
  const [server] = smallServers
  if (server === undefined) throw new TypeError('there is a small server')
  const { model } = await limitsOf(simulatedInstrument(server), { seed: 1, promises: [promise] })
  const missesOf = (perSecond: number): readonly (readonly [number, number])[] => {
    const order = { kind: 'open', perSecond, forSeconds: 50, prefill: 0, seed: 4 } as const
    const samples = simulateOrder(server, order)
    const stretch = { perSecond, fromMs: 30_000, forMs: 20_000, batchMs: 5_000, samples }
    const misses = model?.missesOf(stretch, promise) ?? []
    return missBatches(stretch, promise).map(({ requests }, batch) => [misses[batch] ?? Number.NaN, requests])
  }
  const full = missesOf(20)
  expect(full).toHaveLength(4)
  for (const [misses, requests] of full) expect(misses).toBeCloseTo(requests, 9)
  for (const [misses] of missesOf(0.2)) expect(misses).toBe(0)
})

describe('misses without luck', () => {
  const random = seededRandom(3)
  const luck = Array.from({ length: 30 }, () => 8 * random.unit() - 4)
  const batches = (misses: (luck: number) => number): ControlledBatch[] =>
    luck.map((badLuck, index) => ({
      perSecond: 1 + (index % 3),
      requests: 100,
      misses: misses(badLuck),
      failures: 0,
      badLuck,
    }))
  const spread = (all: readonly { readonly misses: number }[]): number =>
    Math.max(...all.map(({ misses }) => misses)) - Math.min(...all.map(({ misses }) => misses))

  test('are the same for all batches where the model explains everything', () => {
    const [first, ...others] = withoutLuck(batches((badLuck) => 5 + badLuck))
    for (const other of others) expect(other.misses).toBeCloseTo(first?.misses ?? Number.NaN, 9)
  })

  test('are the misses where the model explains nothing, or the contrary', () => {
    const against = batches((badLuck) => 5 - badLuck)
    expect(withoutLuck(against).map(({ misses }) => misses)).toEqual(against.map(({ misses }) => misses))
    const nothing = batches(() => 5)
    expect(spread(withoutLuck(nothing))).toBe(0)
  })
})

test('what is known of the slope gives an interval where a few batches at one side would give none', () => {
  const few = Array.from({ length: 12 }, (_, index) => ({
    perSecond: index % 2 === 0 ? 0.97 : 1.03,
    requests: 60,
    misses: index % 4 === 1 ? 4 : index % 4 === 3 ? 3 : 2.5,
  }))
  const alone = fitCrossing(few, 0.05)
  expect(alone === null || alone.low === null || alone.high === null).toBe(true)
  const helped = fitCrossing(few, 0.05, { slope: 6, spread: 1.8 })
  expect(helped?.low).toBeLessThan(1)
  expect(helped?.high).toBeGreaterThan(1)
  expect(helped?.slope).toBeGreaterThan(4)
})

import { describe, expect, test } from 'vitest'
import {
  arrivalsOf,
  type LevelResult,
  measureLevel,
  parsePromises,
  type SearchResult,
  searchCapacity,
} from '#capacity'
import { arrivalsSchedule } from '#load'
import { seededRandom } from '#prelude'
import { virtualClock } from '../load/virtual-clock.ts'
import { knownCapacities } from './known-capacities.ts'
import {
  drawJobs,
  type SimulatedServer,
  simulatedInstrument,
  simulatedServers,
  simulateOrder,
} from './simulated-servers.ts'

const promises = parsePromises(['p95 <= 0.5s + 0.1d'])
const server = simulatedServers.find(({ name }) => name === 'failing 1 %') as SimulatedServer
/** What a closed load with 1 and with 16 in flight shows of it. */
const limits = { aloneSeconds: 0.123, serviceVariation: 0.4, mostPerSecond: 8.15 }

function search(
  options: Partial<Parameters<typeof searchCapacity>[1]> = {},
  { onLevel }: { onLevel?: (level: LevelResult) => void } = {},
): Promise<SearchResult> {
  return searchCapacity(simulatedInstrument(server), {
    promises,
    limits,
    model: null,
    budgetSeconds: 14_400,
    seed: 3,
    precision: 0.05,
    ...(onLevel === undefined ? {} : { onLevel }),
    ...options,
  })
}

describe('the search', () => {
  test('finds the capacity, confirms it with fresh seeds, and says so level by level', async () => {
    const told: number[] = []
    const found = await search({}, { onLevel: ({ perSecond }) => told.push(perSecond) })
    const truth = knownCapacities[server.name] ?? Number.NaN
    expect(found.ended).toBe('precise')
    expect(Math.abs((found.first?.crossing?.perSecond ?? 0) / truth - 1)).toBeLessThan(0.1)
    expect(found.confirmation).not.toBeNull()
    expect(told).toHaveLength(found.levels.reduce((sum, { stretches }) => sum + stretches.length, 0))
    expect(found.levels.some(({ stretches }) => stretches.length > 1)).toBe(true)
  })

  test('gives the same answer to the same seed, and stays within its budget', async () => {
    const [once, again] = [await search({ budgetSeconds: 900 }), await search({ budgetSeconds: 900 })]
    expect(again.first?.crossing).toEqual(once.first?.crossing)
    expect(once.ended).toBe('budget')
  })

  test('confirms what it reached where the budget did not suffice for a capacity, and says how much more it takes', async () => {
    const found = await search({ budgetSeconds: 60 })
    expect(found).toMatchObject({ ended: 'budget', first: null, budgetsNeeded: 2 })
    expect(found.confirmation?.perSecond).toBeLessThanOrEqual(found.levels.at(-1)?.perSecond ?? 0)
    expect(found.confirmation?.stretches).toHaveLength(1)
  })

  test('names no promise as the first to break that no load was seen to break', async () => {
    const promises = parsePromises(['p95 <= 0.4s + 0.1d', 'failures <= 1%'])
    const limits = { aloneSeconds: 0.2, serviceVariation: 0.4, mostPerSecond: 5 }
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      const { first, levels } = await search({ promises, limits, budgetSeconds: 60, seed })
      const missed = levels.flatMap((level) =>
        level.promises.filter(
          ({ promise, misses, requests }) => promise === first?.promise && misses > requests / 100,
        ),
      )
      expect(first === null || missed.length > 0, `seed ${seed}`).toBe(true)
    }
  })

  test('says nothing where the budget does not suffice for one look', async () => {
    expect(await search({ budgetSeconds: 1 })).toMatchObject({ levels: [], first: null, confirmation: null })
  })

  test('ends where nothing breaks short of the most that the server can do', async () => {
    const found = await search({ promises: parsePromises(['p50 <= 60s']) })
    expect(found).toMatchObject({ ended: 'saturated', first: null })
  })

  test('ends where even the lowest load breaks the promise', async () => {
    const found = await search({ promises: parsePromises(['p95 <= 10ms']) })
    expect(found).toMatchObject({ ended: 'hopeless', first: null })
    expect(found.levels.every(({ verdict }) => verdict === 'broken')).toBe(true)
  })

  test('names the promise that breaks first', async () => {
    const both = parsePromises(['p50 <= 60s', 'p95 <= 0.5s + 0.1d'])
    const found = await search({ promises: both, budgetSeconds: 900 })
    expect(found.first?.promise.text).toBe('p95 <= 0.5s + 0.1d')
  })

  test('never says that a load beyond the most is kept', async () => {
    const over = { perSecond: 1.05 * limits.mostPerSecond, promises, limits }
    for (let seed = 0; seed < 2; seed += 1) {
      expect((await measureLevel(simulatedInstrument(server), { ...over, seed })).verdict).not.toBe('kept')
    }
  })
})

describe('the simulated servers of the search', () => {
  test.each(simulatedServers)(
    'have the times that the dispatcher gives them on the virtual clock: $name',
    async (simulated) => {
      const order = { kind: 'open', perSecond: 5, forSeconds: 60, prefill: 3, seed: 11 } as const
      const due = arrivalsOf(order)
      const { jobs } = drawJobs(simulated, due.length, seededRandom(order.seed))
      const clock = virtualClock()
      const station = simulated.makeStation()
      const waiting = new Map<number, () => void>()
      const endedAtMs: number[] = []
      const wakeAtNextEvent = async (): Promise<void> => {
        const nextMs = station.nextEventMs()
        if (nextMs === Number.POSITIVE_INFINITY) return
        await clock.sleepUntil(nextMs)
        // What came meanwhile has moved the next event: whoever set that one wakes for it.
        if (station.nextEventMs() > clock.nowMs() + 1e-6) return
        for (const { position } of station.advance(station.nextEventMs())) {
          endedAtMs[position] = clock.nowMs()
          waiting.get(position)?.()
        }
        void wakeAtNextEvent()
      }
      const dispatched = arrivalsSchedule(due).dispatch({
        count: due.length,
        clock,
        stop: new AbortController().signal,
        send: async (position) => {
          const job = jobs[position]
          if (job === undefined) throw new RangeError('nothing to do')
          station.arrive(job, clock.nowMs())
          const over = new Promise<void>((resolve) => waiting.set(position, resolve))
          void wakeAtNextEvent()
          await over
        },
      })
      await clock.runUntilIdle()
      await dispatched
      const exact = simulateOrder(simulated, order)
      expect(exact).toHaveLength(due.length)
      for (const [position, sample] of exact.entries()) {
        expect(
          Math.abs((endedAtMs[position] ?? Number.NaN) - sample.endedAtMs),
          `request ${position}`,
        ).toBeLessThan(0.01)
      }
    },
  )
})

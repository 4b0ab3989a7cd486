import { describe, expect, test } from 'vitest'
import type { Level } from '#capacity/level'
import { type LoadedServer, planArrivals } from '#capacity/loaded-server'
import { parseObjectives } from '#capacity/objective'
import { startSearch } from '#capacity/search'
import { planConfirmation } from '#capacity/search-steps'
import { arrivalsSchedule } from '#load/open-schedule'
import { seededRandom } from '#prelude'
import { virtualClock } from '../load/virtual-clock.ts'
import { limitsOf, measureLevel, searchCapacity, shortConfirmations } from './limits-of.ts'
import {
  drawJobs,
  guardedStation,
  knownCapacities,
  queueLimited,
  rateLimited,
  type SimulatedServer,
  serverCalled,
  simulatedInstrument,
  simulatedServers,
  simulateOrder,
  slowing,
  workerStation,
} from './simulated-servers.ts'

const objectives = parseObjectives(['p95 <= 0.5s + 0.1d'])
const server = serverCalled('failing 1 %')
/** What a closed load with 1 and with 16 in flight shows of it. */
const limits = { aloneSeconds: 0.123, longestAudioSeconds: 15, serviceVariation: 0.4, maxPerSecond: 8.15 }

function search(
  options: Partial<Parameters<typeof searchCapacity>[1]> = {},
): ReturnType<typeof searchCapacity> {
  return searchCapacity(simulatedInstrument(server), {
    objectives,
    limits,
    model: null,
    budgetSeconds: 14_400,
    seed: 3,
    precision: null,
    ...options,
  })
}

const truth = knownCapacities[server.name] ?? Number.NaN

describe('the search', () => {
  test('ends when the precision that was asked for is reached and confirmed, and says so level by level', async () => {
    const told: number[] = []
    const onLevel = ({ perSecond }: Level): number => told.push(perSecond)
    const found = await search({ precision: 0.05, onLevel })
    expect(found.ended).toBe('precise')
    expect(Math.abs((found.capacity?.estimate.perSecond ?? 0) / truth - 1)).toBeLessThan(0.1)
    expect(found.confirmation).not.toBeNull()
    expect(told).toHaveLength(found.levels.reduce((sum, { stretches }) => sum + stretches.length, 0))
    expect(found.levels.some(({ stretches }) => stretches.length > 1)).toBe(true)
  })

  test('gives the same answer to the same seed', async () => {
    const [once, again] = [await search({ budgetSeconds: 900 }), await search({ budgetSeconds: 900 })]
    expect(again.capacity?.estimate).toEqual(once.capacity?.estimate)
    expect(once.ended).toBe('budget')
  })

  test.each([
    [60, 1],
    [900, 3],
  ])('uses a budget of %i s in whole, and not more', async (budgetSeconds, seed) => {
    const instrument = simulatedInstrument(server)
    const { model, limits } = await limitsOf(instrument, { seed: 1000 * seed })
    const from = instrument.elapsedSeconds()
    const asked = { objectives, limits, model, budgetSeconds, seed, precision: null }
    const { capacity } = await searchCapacity(instrument, asked)
    const spent = instrument.elapsedSeconds() - from
    expect(spent).toBeGreaterThan(budgetSeconds - 5)
    expect(spent).toBeLessThanOrEqual(budgetSeconds)
    expect(Math.abs((capacity?.estimate.perSecond ?? 0) / truth - 1)).toBeLessThan(0.3)
  })

  test('keeps the time that a confirmation needs where nothing fails', async () => {
    expect(await shortConfirmations([240], [1])).toEqual([])
  })

  test('continues a confirmation at exactly the load at which it began, so that both stretches count together', () => {
    const [objective] = objectives
    if (objective === undefined) throw new TypeError('there is an objective')
    for (let maxPerSecond = 1; maxPerSecond < 10; maxPerSecond += 0.1) {
      const [perSecond, low, high] = [0.8 * maxPerSecond, 0.75 * maxPerSecond, 0.85 * maxPerSecond]
      const estimate = { perSecond, low, high, slope: 10, isMeasured: true }
      const use = { objectives, limits: { ...limits, maxPerSecond }, maxSeconds: 120, fill: false }
      const begun = planConfirmation(estimate.low, { ...use, capacity: { objective, estimate } })
      const continued = planConfirmation(begun?.perSecond ?? Number.NaN, { ...use, capacity: null })
      expect(continued?.perSecond, `of at most ${maxPerSecond} a second`).toBe(begun?.perSecond)
    }
  })

  test('gives the simulated capacity, and says that it is not measured, where nothing was sent', async () => {
    const { model, limits } = await limitsOf(simulatedInstrument(server), { seed: 1 })
    const found = startSearch(simulatedInstrument(server), {
      objectives,
      limits,
      model,
      seed: 1,
      precision: null,
    }).result()
    expect(found.levels).toEqual([])
    expect(found.capacity?.estimate.isMeasured).toBe(false)
    expect(Math.abs((found.capacity?.estimate.perSecond ?? 0) / truth - 1)).toBeLessThan(0.2)
  })

  test('does without a simulation in which even single requests violate the objective', async () => {
    const asked = { objectives: parseObjectives(['p95 <= 0.9s']), budgetSeconds: 900, seed: 1 }
    const { model, limits } = await limitsOf(simulatedInstrument(server), { seed: 1, mix: [200] })
    const found = await search({ ...asked, model, limits })
    const without = await search({ ...asked, model: null, limits })
    expect(without.capacity?.estimate.perSecond).toBeGreaterThan(4)
    expect(found.capacity?.estimate.perSecond).toBe(without.capacity?.estimate.perSecond)
  })

  test('judges nothing of the stretch in which it is stopped', async () => {
    const instrument = simulatedInstrument(server)
    let stretches = 0
    const stopping: LoadedServer = {
      ...instrument,
      async measure(order) {
        const samples = await instrument.measure(order)
        stretches += 1
        return stretches < 3 ? samples : samples.slice(0, 20)
      },
    }
    const shown: Level[] = []
    const asked = { objectives, limits, model: null, budgetSeconds: 900, seed: 3, precision: null }
    const found = await searchCapacity(stopping, {
      ...asked,
      isStopped: () => stretches === 3,
      onLevel: (level) => shown.push(level),
    })
    expect(stretches).toBe(3)
    expect(shown).toHaveLength(2)
    expect(found.levels.flatMap((level) => level.stretches)).toHaveLength(2)
    expect(found.confirmation).toBeNull()
  })

  test('looks at a load at all where the simulation expects a capacity too low for the time', async () => {
    const instrument = simulatedInstrument(server)
    const { model, limits } = await limitsOf(instrument, { seed: 1, mix: [15] })
    const from = instrument.elapsedSeconds()
    const tight = parseObjectives(['p95 <= 0.6s'])
    const asked = { objectives: tight, limits, model, budgetSeconds: 25, seed: 1, precision: null }
    const expected = startSearch(instrument, asked).result().capacity?.estimate.perSecond ?? 0
    expect(expected).toBeGreaterThan(0)
    expect(expected * 25).toBeLessThan(10)
    const found = await searchCapacity(instrument, asked)
    expect(found.levels.length).toBeGreaterThan(0)
    expect(instrument.elapsedSeconds() - from).toBeGreaterThan(20)
  })

  test('names no objective as the first one violated that no load was seen to violate, where there is no simulation', async () => {
    const both = parseObjectives(['p95 <= 0.4s + 0.1d', 'failures <= 1%'])
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      const { capacity, levels } = await search({ objectives: both, budgetSeconds: 60, seed })
      const missed = levels.flatMap((level) =>
        level.objectives.filter(
          (each) => each.objective === capacity?.objective.text && each.misses > each.requests / 100,
        ),
      )
      expect(capacity === null || missed.length > 0, `seed ${seed}`).toBe(true)
    }
  })

  test('is saturated where no objective is violated short of the most that the server does', async () => {
    const found = await search({ objectives: parseObjectives(['p50 <= 60s']) })
    expect(found).toMatchObject({ ended: 'saturated', capacity: null })
    expect(found.levels.at(-1)?.perSecond).toBeGreaterThan(0.9 * limits.maxPerSecond)
  })

  test('is not called saturated where the confirmation violated the objective', async () => {
    const instrument = simulatedInstrument(server)
    let isSlow = false
    const becomesSlow: LoadedServer = {
      ...instrument,
      async measure(order) {
        const samples = await instrument.measure(order)
        const lateMs = isSlow ? 100_000 : 0
        return samples.map((sample) => ({ ...sample, endedAtMs: sample.endedAtMs + lateMs }))
      },
    }
    const asked = { objectives: parseObjectives(['p50 <= 60s']), limits, model: null, precision: null }
    const found = startSearch(becomesSlow, { ...asked, seed: 3 })
    await found.explore(7200)
    expect(found.result().ended).toBe('saturated')
    isSlow = true
    await found.confirm(14_400)
    expect(found.result()).toMatchObject({ ended: 'budget', confirmation: { verdict: 'violated' } })
  })

  test('is hopeless where even the lowest load violates the objective', async () => {
    const found = await search({ objectives: parseObjectives(['p95 <= 10ms']) })
    expect(found).toMatchObject({ ended: 'hopeless', capacity: null })
    expect(found.levels.every(({ verdict }) => verdict === 'violated')).toBe(true)
  })

  test('names the objective that is violated first', async () => {
    const both = parseObjectives(['p50 <= 60s', 'p95 <= 0.5s + 0.1d'])
    const found = await search({ objectives: both, budgetSeconds: 900 })
    expect(found.capacity?.objective.text).toBe('p95 <= 0.5s + 0.1d')
  })

  test('never says that a load beyond the most meets the objectives', async () => {
    const over = { perSecond: 1.05 * limits.maxPerSecond, objectives, limits }
    for (const seed of [0, 1])
      expect((await measureLevel(simulatedInstrument(server), { ...over, seed })).verdict).not.toBe('met')
  })
})

describe('four minutes of a server that', () => {
  const asked = parseObjectives(['p95 <= 3s', 'failures <= 1%'])
  const found = async (simulated: SimulatedServer, { budgetSeconds = 170, seed = 1 } = {}) => {
    const instrument = simulatedInstrument(simulated)
    const sweep = { seed: 1000 * seed, aloneSeconds: 12, fullSeconds: 12 }
    const { model, limits } = await limitsOf(instrument, sweep)
    const options = { objectives: asked, limits, model, seed, precision: null }
    return await searchCapacity(instrument, { ...options, budgetSeconds })
  }

  test('refuses what finds ten waiting: refusals are a part of the model', async () => {
    const known = 5.82
    const { capacity, change } = await found(queueLimited)
    expect(capacity?.objective.text).toBe('failures <= 1%')
    expect(capacity?.estimate.low).toBeLessThan(known)
    expect(capacity?.estimate.high).toBeGreaterThan(known)
    expect(Math.abs((capacity?.estimate.perSecond ?? 0) / known - 1)).toBeLessThan(0.06)
    expect(change).toBeNull()
  })

  test('refuses what finds no place: few refusals show where, long before their share is known', async () => {
    const waitingRoom = {
      ...queueLimited,
      makeStation: () => guardedStation(workerStation(2), (inside) => inside < 4),
      workMs: (audioSeconds: number) => 40 + 20 * audioSeconds,
      spread: 0.4,
    }
    for (const [simulated, known, seed] of [
      [queueLimited, 5.82, 1],
      [waitingRoom, 5.88, 2],
    ] as const) {
      const { capacity } = await found(simulated, { budgetSeconds: 80, seed })
      expect(capacity?.estimate.low).toBeLessThan(known)
      expect(capacity?.estimate.high).toBeGreaterThan(known)
      expect(Math.abs((capacity?.estimate.perSecond ?? 0) / known - 1)).toBeLessThan(0.15)
    }
  })

  test('limits the rate: no simulation of a queue says what it sustains', async () => {
    const known = 3.21
    // The second takes as long as its rate allows: a closed load finds it full whenever it refuses.
    for (const simulated of [rateLimited, { ...rateLimited, workMs: () => 200 }]) {
      const { capacity } = await found(simulated)
      if (capacity === null) continue
      expect(capacity.estimate.low).toBeLessThan(known)
      expect(capacity.estimate.high).toBeGreaterThan(known)
    }
  })

  test('slows down meanwhile: it says so', async () => {
    const { change } = await found(slowing)
    expect(change?.times).toBeGreaterThan(1.4)
    expect(change?.times).toBeLessThan(2.2)
  })

  test('keeps its speed: it is not said to change', async () => {
    expect((await found(server)).change).toBeNull()
  })
})

describe('the simulated servers of the search', () => {
  test.each(simulatedServers)(
    'have the times that the dispatcher gives them on the virtual clock: $name',
    async (simulated) => {
      const order = { kind: 'open', perSecond: 5, forSeconds: 60, prefill: 3, seed: 11 } as const
      const due = planArrivals(order)
      const { jobs } = drawJobs(simulated, due.length, seededRandom(order.seed))
      const clock = virtualClock()
      const station = simulated.makeStation()
      const waiting = new Map<number, () => void>()
      const endedAtMs: number[] = []
      const wakeAtNextEvent = async (): Promise<void> => {
        const nextMs = station.nextEventMs()
        if (nextMs === Number.POSITIVE_INFINITY) return
        await clock.sleepUntil(nextMs)
        // What came meanwhile has moved the next event: its owner wakes for it.
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
        const offMs = Math.abs((endedAtMs[position] ?? Number.NaN) - sample.endedAtMs)
        expect(offMs, `request ${position}`).toBeLessThan(0.01)
      }
    },
  )
})

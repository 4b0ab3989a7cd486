import { describe, expect, test } from 'vitest'
import { fillingStretch, fullStretch, planStretch, shortestSeconds } from '#capacity/loaded-server'
import { parseObjectives } from '#capacity/objective'
import { usualDrainSeconds } from '#capacity/search-steps'
import { limitsOf, searchCapacity } from './limits-of.ts'
import { knownCapacities, simulatedInstrument, smallServers } from './simulated-servers.ts'

const objectives = parseObjectives(['p95 <= 0.4s + 0.1d', 'failures <= 1%'])

/** What a budget of seven minutes leaves for the search, and the sweep before it. */
const sevenMinutes = { searchSeconds: 300, aloneSeconds: 25, fullSeconds: 12, inFlight: 8 }

describe.each(smallServers)('seven minutes with a small model, $name', (server) => {
  test('suffice for a measured capacity within 10 %, in an interval that holds it', async () => {
    const truth = knownCapacities[server.name] ?? Number.NaN
    const instrument = simulatedInstrument(server)
    const known = await limitsOf(instrument, { seed: 1000, ...sevenMinutes })
    const startedAt = instrument.elapsedSeconds()
    const asked = { objectives, budgetSeconds: sevenMinutes.searchSeconds, seed: 1010, precision: null }
    const { capacity } = await searchCapacity(instrument, { ...known, ...asked })
    const { perSecond = 0, low = 0, high = 0, isMeasured } = capacity?.estimate ?? {}
    expect(isMeasured).toBe(true)
    expect(Math.abs(perSecond / truth - 1)).toBeLessThanOrEqual(0.1)
    expect(low).toBeLessThan(Math.min(perSecond, truth))
    expect(high).toBeGreaterThan(Math.max(perSecond, truth))
    // How long the last answers take is only expected, so the end is as exact as that.
    const spentSeconds = instrument.elapsedSeconds() - startedAt
    expect(Math.abs(spentSeconds - sevenMinutes.searchSeconds)).toBeLessThan(5)
  })
})

describe('a stretch', () => {
  const limits = { aloneSeconds: 0.2, longestAudioSeconds: 15, serviceVariation: 0.4, maxPerSecond: 5 }
  const plan = (maxSeconds: number, perSecond = 3) =>
    planStretch(perSecond, limits, { batches: 5, maxSeconds })

  test('has long batches and a long warm-up where there is time', () => {
    const ample = plan(600)
    expect(ample).toEqual(fullStretch(3, limits, 5))
    expect(ample?.forSeconds).toBeGreaterThan((5 * 25) / 3 - 1e-9)
  })

  test('is shortened to the time that there is, and fills it', () => {
    for (const maxSeconds of [20, 30, 40]) {
      const short = plan(maxSeconds)
      expect((short?.warmupSeconds ?? 0) + (short?.forSeconds ?? 0)).toBeCloseTo(maxSeconds, 9)
      expect(short?.warmupSeconds).toBe(plan(25)?.warmupSeconds)
      expect((short?.forSeconds ?? 0) / (short?.batches ?? 1)).toBeGreaterThanOrEqual(10 / 3 - 1e-9)
    }
  })

  test('that fills its time has long batches where ten of them fit', () => {
    const filling = fillingStretch(3, limits, 600)
    expect(filling?.batches).toBeGreaterThanOrEqual(10)
    expect(filling?.warmupSeconds).toBe(fullStretch(3, limits, 5).warmupSeconds)
    expect((filling?.warmupSeconds ?? 0) + (filling?.forSeconds ?? 0)).toBeCloseTo(600, 9)
  })

  test('is not begun where nothing could be known after it', () => {
    expect(plan(shortestSeconds(3, limits) - 0.01)).toBeNull()
    expect(plan(shortestSeconds(3, limits) + 0.01)?.batches).toBe(2)
    expect(plan(0)).toBeNull()
  })
})

test('the time for the last answers has the share of a latency objective that grows with the audio', () => {
  const limits = { aloneSeconds: 0.2, longestAudioSeconds: 60, serviceVariation: 0.4, maxPerSecond: 5 }
  expect(usualDrainSeconds({ objectives, limits })).toBeCloseTo(0.2 + 0.4 + 0.1 * 60, 9)
})

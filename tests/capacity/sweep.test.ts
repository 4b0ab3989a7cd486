import { describe, expect, test } from 'vitest'
import type { LevelSample } from '#capacity/loaded-server'
import { simulateServer } from '#capacity/simulation'
import { analyseSweep, fitScalability, type SweepInput, throughputAt } from '#capacity/sweep'
import { seededRandom } from '#prelude'
import {
  refusing,
  type SimulatedServer,
  sampleOf,
  serverCalled,
  simulateOrder,
  workerStation,
} from './simulated-servers.ts'

const inFlights = [1, 2, 4, 8, 16]

const levelOf = (inFlight: number, turn: readonly LevelSample[]): SweepInput => ({
  inFlight,
  turns: [turn],
  serverCpuSeconds: 30,
  peakResidentBytes: null,
})

function sweepOf(server: SimulatedServer): SweepInput[] {
  return inFlights.map((inFlight) =>
    levelOf(inFlight, simulateOrder(server, { kind: 'closed', inFlight, forSeconds: 60, seed: inFlight })),
  )
}
const deterministic = serverCalled('deterministic')

const unscored = { leads: 'words', count: () => null } as const
const quiet = { seed: 1, busyBecause: null }

describe('a sweep', () => {
  test.each([
    ['deterministic', 'serialised', 1],
    ['lognormal', 'levelling', 2],
    ['thrashing', 'thrashing', 1.8],
  ])('finds that the server called %s is %s', (name, scaling, servers) => {
    const sweep = analyseSweep(sweepOf(serverCalled(name)), unscored, quiet)
    expect(sweep.scaling).toBe(scaling)
    expect(Math.abs((sweep.effectiveServers ?? 0) - servers)).toBeLessThan(0.25)
  })

  test('finds that a server with a worker for every request scales, and that one with half as many levels off', () => {
    const scalingOf = (workers: number) =>
      analyseSweep(sweepOf({ ...deterministic, makeStation: () => workerStation(workers) }), unscored, quiet)
        .scaling
    expect([16, 8].map(scalingOf)).toEqual(['scaling', 'levelling'])
  })

  test('does not count refusals as throughput, as service times or as requests at work', () => {
    const levels = sweepOf(refusing).slice(0, 4)
    const sweep = analyseSweep(levels, unscored, quiet)
    const [alone, , , full] = sweep.levels
    expect(full?.accuracy.failed).toBeGreaterThan(1000)
    expect((full?.steady?.perSecond ?? 0) / (alone?.steady?.perSecond ?? 0)).toBeCloseTo(2, 0)
    expect((full?.steady?.meanServiceMs ?? 0) / (alone?.steady?.meanServiceMs ?? 0)).toBeCloseTo(1, 0)
    expect(Math.abs((sweep.effectiveServers ?? 0) - 2)).toBeLessThan(0.25)
    expect(simulateServer(levels, null)?.workers).toBe(2)
  })

  test('has no steady part at a level without answers', () => {
    const refuse = (turn: readonly LevelSample[]) => turn.map((each) => ({ ...each, isAnswered: false }))
    const [first, ...others] = sweepOf(deterministic)
    const refused = others.map((input) => ({ ...input, turns: input.turns.map(refuse) }))
    const sweep = analyseSweep(first === undefined ? [] : [first, ...refused], unscored, quiet)
    expect(sweep.levels.map(({ steady }) => steady === null)).toEqual([false, true, true, true, true])
    expect(Math.abs((sweep.effectiveServers ?? 0) - 1)).toBeLessThan(0.25)
  })

  test('on a machine that other programs kept busy is not called serialised, or anything else', () => {
    const busyBecause = 'other programs used 1.6 of 2 processors meanwhile'
    const sweep = analyseSweep(sweepOf(deterministic), unscored, { seed: 1, busyBecause })
    expect(sweep).toMatchObject({ scaling: null, scalingReason: busyBecause })
  })

  test('of a few requests whose throughput wavers is not called serialised', () => {
    const turn = Array.from({ length: 9 }, (_, index): LevelSample => {
      const sentAtMs = 100 * index + (index % 2 === 0 ? 0 : 90)
      return sampleOf(sentAtMs, sentAtMs + 20)
    })
    const wavering = [1, 2].map((inFlight) => levelOf(inFlight, turn))
    expect(analyseSweep(wavering, unscored, quiet)).toMatchObject({
      scaling: null,
      scalingReason: 'too few requests were sent to separate one at a time from two',
    })
  })

  test('reports processor seconds for each second of audio', () => {
    const swept = sweepOf(deterministic)
    const [first] = analyseSweep(swept, unscored, quiet).levels
    const audioSeconds = swept[0]?.turns.flat().reduce((sum, each) => sum + each.audioSeconds, 0) ?? 0
    expect(first?.cpuSecondsPerAudioSecond).toBeCloseTo(30 / audioSeconds, 12)
  })

  const level = (inFlight: number, texts: readonly (readonly [string, string | null])[]): SweepInput => {
    const turn = texts.map(([utteranceId, text], index) =>
      sampleOf(100 * index, 100 * index + 90, { utteranceId, text, isAnswered: text !== null }),
    )
    return levelOf(inFlight, turn)
  }

  test('counts texts under load that are not those of the recording alone, and what they cost in words', () => {
    const references: Readonly<Record<string, string>> = { a: 'one two', b: 'three four' }
    const errorsOf = (id: string, text: string) => {
      const words = (references[id] ?? '').split(' ')
      const correctWords = words.filter((word, index) => text.split(' ')[index] === word).length
      return { errors: words.length - correctWords, length: words.length, correctWords }
    }
    const count = { leads: 'words', count: errorsOf } as const
    const alone = level(1, [
      ['a', 'one two'],
      ['b', 'three for'],
      ['a', 'one two'],
      ['b', 'three for'],
    ])
    const loaded = level(4, [
      ['a', 'one two'],
      ['b', 'three'],
      ['a', 'three for'],
      ['b', null],
    ])
    const [, second] = analyseSweep([alone, loaded], count, quiet).levels
    expect(second?.accuracy).toMatchObject({ compared: 3, differing: 2, failed: 1 })
    // Alone: a 0 of 2 twice, b 1 of 2. Loaded: a 0 and 2 of 2, b 1 of 2.
    expect(second?.accuracy.errorRate).toBeCloseTo(3 / 6, 12)
    expect(second?.accuracy.difference?.estimate).toBeCloseTo(2 / 6, 12)
  })
})

describe('the scalability law', () => {
  const law = { perSecondAlone: 10, serialShare: 0.05, crosstalk: 0.0041 }
  const pointsUpTo = (most: number, seed: number) => {
    const random = seededRandom(seed)
    return [1, 2, 4, 8, 16, 32]
      .filter((inFlight) => inFlight <= most)
      .map((inFlight) => ({
        inFlight,
        perSecond: throughputAt(law, inFlight) * (1 + 0.03 * (2 * random.unit() - 1)),
        relativeError: 0.02,
      }))
  }

  test('is found again from levels on both sides of its peak at 15.2, with an interval that mostly holds it', () => {
    let held = 0
    for (let seed = 0; seed < 40; seed += 1) {
      const fit = fitScalability(pointsUpTo(32, seed), seed)
      if (fit?.peak.seen !== true) continue
      expect(Math.abs(fit.peak.inFlight - 15.2)).toBeLessThan(2)
      if (fit.peak.interval.low <= 15.2 && fit.peak.interval.high >= 15.2) held += 1
    }
    expect(held).toBeGreaterThanOrEqual(34)
  })

  test('gives no peak where none was passed, and says why', () => {
    expect(fitScalability(pointsUpTo(8, 1), 1)?.peak).toMatchObject({
      seen: false,
      reason: expect.stringContaining('4 levels'),
    })
    const rising = inFlights.map((inFlight) => ({ inFlight, perSecond: 5 * inFlight, relativeError: 0.02 }))
    expect(fitScalability(rising, 1)?.peak).toMatchObject({
      seen: false,
      reason: expect.stringContaining('no peak'),
    })
    const far = { ...law, serialShare: 0, crosstalk: 0.0004 }
    const bending = inFlights.map((inFlight) => ({
      inFlight,
      perSecond: throughputAt(far, inFlight),
      relativeError: 0.0001,
    }))
    // The law has its peak at 1 / √0.0004 = 50.
    expect(fitScalability(bending, 1)?.peak).toEqual({
      seen: false,
      reason: 'the peak lies beyond 32, twice the most that was tested',
    })
  })

  test('is not fitted to two levels', () => {
    expect(fitScalability(pointsUpTo(2, 1), 1)).toBeNull()
  })
})

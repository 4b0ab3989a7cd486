import { describe, expect, test } from 'vitest'
import { fitCrossing, fitLateCrossing } from '#capacity/capacity-fit'
import { foundLevel } from '#capacity/found'
import { judgeObjective, judgeStability, measureBacklog, missBatches } from '#capacity/level'
import type { LevelSample } from '#capacity/loaded-server'
import { seededRandom } from '#prelude'
import { objectiveOf } from './limits-of.ts'
import { sampleOf } from './simulated-servers.ts'

const objective = objectiveOf('p95 <= 1s')

const batches = (misses: readonly number[], requests = 20) =>
  misses.map((each) => ({ perSecond: 1, requests, misses: each }))
const none = Array.from({ length: 10 }, () => 0)

/** One request a second for so many seconds. */
const everySecond = (seconds: number, responseMs: (second: number) => number): LevelSample[] =>
  Array.from({ length: seconds }, (_, second) => sampleOf(1000 * second, 1000 * second + responseMs(second)))

test('a load achieves the answers of its measured time, and not the failures', () => {
  const samples = Array.from({ length: 20 }, (_, index) =>
    sampleOf(500 * index, 500 * index + 100, { isAnswered: index % 4 !== 0 }),
  )
  const stretch = { perSecond: 2, warmupSeconds: 0, forSeconds: 10, batches: 2, prefill: 0, samples }
  const verdicts = { objectives: [], backlogs: [], stability: 'met', verdict: 'met' } as const
  const habit = { meanAudioSeconds: 1, meanPauseSeconds: 20 }
  const texts = { differing: 0, compared: 0 }
  const found = foundLevel({ perSecond: 2, stretches: [stretch], ...verdicts }, habit, texts)
  expect(found).toMatchObject({ achievedPerSecond: 1.5, requests: 20, failureRate: 0.25 })
})

describe('an objective at one load', () => {
  test('is kept by 60 requests in time and undecided by 40, which need 19 more', () => {
    expect(judgeObjective(objective, batches(none, 6)).verdict).toBe('met')
    const few = judgeObjective(objective, batches(none, 4))
    expect(few).toMatchObject({ verdict: 'undecided', moreNeeded: 19 })
  })

  test('has no verdict that contradicts the interval of its misses', () => {
    const allowed = 0.05
    for (let misses = 0; misses <= 40; misses += 1)
      for (const requests of [6, 20, 33]) {
        const shares = Array.from({ length: 10 }, (_, batch) => Math.floor((misses + batch) / 10))
        const { verdict, missRate } = judgeObjective(objective, batches(shares, requests))
        const { low, high } = missRate?.interval ?? { low: Number.NaN, high: Number.NaN }
        if (verdict === 'met') expect(high).toBeLessThanOrEqual(allowed)
        else if (verdict === 'violated') expect(low).toBeGreaterThan(allowed)
        else expect(high).toBeGreaterThan(allowed)
      }
  })

  test('is broken where more miss than chance allows', () => {
    expect(judgeObjective(objective, batches([2, 3, 2, 3, 2, 3, 2, 3, 2, 3])).verdict).toBe('violated')
  })

  test('is broken where far more miss than may, however few batches there are', () => {
    const far = [
      { perSecond: 4.42, requests: 117, misses: 31 },
      { perSecond: 4.42, requests: 120, misses: 52 },
      { perSecond: 4.42, requests: 114, misses: 63 },
    ]
    expect(judgeObjective(objective, far)).toMatchObject({ verdict: 'violated', moreNeeded: null })
    expect(judgeObjective(objective, far).designEffect).toBeLessThan(15)
  })

  test('is not broken by a few batches that happen to agree, nor by one', () => {
    expect(judgeObjective(objective, batches([3, 3], 25)).verdict).toBe('undecided')
    expect(judgeObjective(objective, batches([2, 3, 4], 25)).verdict).toBe('undecided')
    expect(judgeObjective(objective, batches([20], 25)).verdict).toBe('undecided')
  })

  test('is broken about as often as it claims where it is just kept and misses come together', () => {
    const random = seededRandom(7)
    let broken = 0
    for (let trial = 0; trial < 1000; trial += 1) {
      // A tenth of the batches are bad ones, in which half of the requests miss: 5 % in all.
      const few = Array.from({ length: 5 }, () => {
        const isBad = random.unit() < 0.1
        return Array.from({ length: 25 }, () => isBad && random.unit() < 0.5).filter(Boolean).length
      })
      if (judgeObjective(objective, batches(few, 25)).verdict === 'violated') broken += 1
    }
    expect(broken).toBeLessThan(50)
  })

  test('is undecided where the share is about what is allowed', () => {
    expect(judgeObjective(objective, batches([1, 1, 1, 1, 1, 1, 1, 1, 1, 1])).verdict).toBe('undecided')
  })

  test('weighs misses that come together as the few events that they are', () => {
    const together = judgeObjective(objective, batches([0, 0, 0, 0, 20, 0, 0, 0, 0, 0]))
    const apart = judgeObjective(objective, batches([2, 2, 2, 2, 2, 2, 2, 2, 2, 2]))
    expect(together.designEffect).toBeGreaterThan(10)
    expect([together.verdict, apart.verdict]).toEqual(['undecided', 'violated'])
    // More missed than may: no number of requests is promised to make it kept.
    expect(together.moreNeeded).toBe(null)
  })

  test('is never kept on fewer than ten batches, so that as many requests are needed as these have', () => {
    expect(judgeObjective(objective, batches([0, 0, 0], 1000))).toMatchObject({
      verdict: 'undecided',
      moreNeeded: 7000,
    })
  })
})

describe('a stretch', () => {
  const stretch = (samples: readonly LevelSample[]) =>
    ({ perSecond: 1, warmupSeconds: 10, forSeconds: 100, batches: 10, prefill: 0, samples }) as const

  test('is cut into batches, its warm-up left out', () => {
    const late = everySecond(110, (second) => (second < 10 ? 5000 : 10))
    const cut = missBatches(stretch(late), objective)
    expect(cut).toHaveLength(10)
    expect(cut.every(({ requests, misses }) => requests === 10 && misses === 0)).toBe(true)
  })

  test('whose queue grows by a tenth of the arrivals is unstable, one with a steady queue is not', () => {
    const growing = everySecond(110, (second) => 100 + 100 * second)
    const steady = everySecond(110, () => 2500)
    expect(judgeStability([measureBacklog(stretch(growing))])).toBe('violated')
    expect(judgeStability([measureBacklog(stretch(steady))])).toBe('met')
    expect(measureBacklog(stretch(steady)).meanInSystem).toBeCloseTo(3, 0)
  })

  test('of which nothing is known is undecided', () => {
    expect(judgeStability([])).toBe('undecided')
  })
})

describe('the crossing of misses and load', () => {
  const levels = [0.8, 0.9, 1, 1.1, 1.2]
  const missShare = (perSecond: number): number =>
    1 / (1 + Math.exp(-(Math.log(0.05 / 0.95) + 8 * Math.log(perSecond))))

  test('is found where a curve of known shape has it, with a narrow interval around it', () => {
    const random = seededRandom(1)
    const drawn = levels.flatMap((perSecond) =>
      Array.from({ length: 20 }, () => {
        let misses = 0
        for (let request = 0; request < 100; request += 1)
          if (random.unit() < missShare(perSecond)) misses += 1
        return { perSecond, requests: 100, misses }
      }),
    )
    const crossing = fitCrossing(drawn, 0.05)
    expect(Math.abs((crossing?.perSecond ?? 0) - 1)).toBeLessThan(0.03)
    expect(crossing?.low).toBeLessThan(1)
    expect(crossing?.high).toBeGreaterThan(1)
    expect((crossing?.high ?? 9) - (crossing?.low ?? 0)).toBeLessThan(0.1)
  })

  test('of what waits too long is where it was, whatever share of the requests fails at any load', () => {
    const failing = 0.03
    const bent = levels.map((perSecond) => ({
      perSecond,
      requests: 10_000,
      misses: 10_000 * (failing + (1 - failing) * missShare(perSecond)),
      failures: 10_000 * failing,
    }))
    const allowed = failing + (1 - failing) * 0.05
    expect(fitLateCrossing(bent, allowed)?.perSecond).toBeCloseTo(1, 3)
    expect(fitCrossing(bent, allowed)?.perSecond).toBeLessThan(0.997)
  })

  test('counts what fails only under more load than it may bear as what is late', () => {
    const refused = levels.map((perSecond) => {
      const misses = 10_000 * missShare(perSecond)
      return { perSecond, requests: 10_000, misses, failures: perSecond > 1 ? misses / 3 : 0 }
    })
    expect(fitLateCrossing(refused, 0.05)).toEqual(fitCrossing(refused, 0.05))
    expect(fitLateCrossing(refused, 0.05)?.perSecond).toBeCloseTo(1, 2)
  })

  test('is not claimed where nothing misses, or all loads miss alike', () => {
    const perfect = levels.map((perSecond) => ({ perSecond, requests: 100, misses: 0 }))
    expect(fitCrossing(perfect, 0.05)).toBeNull()
    expect(fitCrossing([], 0.05)).toBeNull()
    expect(fitCrossing([{ perSecond: 1, requests: 100, misses: 5 }], 0.05)).toBeNull()
  })

  test('has no interval where the misses of a few batches say nothing of their growth', () => {
    const noisy = fitCrossing(
      [
        { perSecond: 1, requests: 20, misses: 0 },
        { perSecond: 1, requests: 20, misses: 3 },
        { perSecond: 1.1, requests: 20, misses: 0 },
        { perSecond: 1.1, requests: 20, misses: 4 },
      ],
      0.05,
    )
    expect(noisy === null || noisy.low === null || noisy.high === null).toBe(true)
  })
})

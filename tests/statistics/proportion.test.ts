import { describe, expect, test } from 'vitest'
import {
  clopperPearsonInterval,
  pairedShareDifference,
  trialsToShow,
  wilsonInterval,
} from '#statistics/intervals'

// Newcombe 1998, "Two-sided confidence intervals for the single proportion", Statistics in Medicine 17,
// table I: the score method without and the exact method, 95 %.
const published = [
  { successes: 81, trials: 263, wilson: [0.2553, 0.3662], exact: [0.2527, 0.3676] },
  { successes: 15, trials: 148, wilson: [0.0624, 0.1605], exact: [0.0578, 0.1617] },
  { successes: 0, trials: 20, wilson: [0, 0.1611], exact: [0, 0.1684] },
  { successes: 1, trials: 29, wilson: [0.0061, 0.1718], exact: [0.0009, 0.1776] },
] as const

describe('the interval of a share', () => {
  test.each(published)(
    'of $successes in $trials is the published one',
    ({ successes, trials, wilson, exact }) => {
      const score = wilsonInterval(successes, trials)
      expect(score?.low).toBeCloseTo(wilson[0], 4)
      expect(score?.high).toBeCloseTo(wilson[1], 4)
      const clopper = clopperPearsonInterval(successes, trials)
      expect(clopper?.low).toBeCloseTo(exact[0], 4)
      expect(clopper?.high).toBeCloseTo(exact[1], 4)
    },
  )

  test('of the other outcome is the mirror image', () => {
    for (const interval of [wilsonInterval, clopperPearsonInterval]) {
      const some = interval(7, 50)
      const rest = interval(43, 50)
      expect(rest?.low).toBeCloseTo(1 - (some?.high ?? 0), 12)
      expect(rest?.high).toBeCloseTo(1 - (some?.low ?? 0), 12)
    }
  })

  test('is absent without trials', () => {
    expect(wilsonInterval(0, 0)).toBeNull()
    expect(clopperPearsonInterval(0, 0)).toBeNull()
  })

  test('refuses what is not a count', () => {
    expect(() => wilsonInterval(3, 2)).toThrow(RangeError)
    expect(() => clopperPearsonInterval(0.5, 2)).toThrow(RangeError)
  })

  test('stays exact for a million trials: each bound gives the observed count its tail', () => {
    const found = clopperPearsonInterval(1000, 1_000_000)
    // The binomial probabilities themselves, added up; 1e6 trials at 1e-3 are Poisson to six digits.
    const poissonAtMost = (k: number, mean: number): number => {
      let logMass = -mean
      let sum = Math.exp(logMass)
      for (let i = 1; i <= k; i += 1) {
        logMass += Math.log(mean / i)
        sum += Math.exp(logMass)
      }
      return sum
    }
    expect(1 - poissonAtMost(999, (found?.low ?? 0) * 1e6)).toBeCloseTo(0.025, 3)
    expect(poissonAtMost(1000, (found?.high ?? 0) * 1e6)).toBeCloseTo(0.025, 3)
  })
})

describe('the difference of two shares of the same trials', () => {
  test('has the interval of the published example', () => {
    // Altman et al. 2000, Statistics with Confidence, table 6.2.
    const found = pairedShareDifference({ both: 14, onlyRun: 5, onlyBase: 0, neither: 22 })
    expect(found?.difference).toBeCloseTo(0.122, 3)
    expect(found?.low).toBeCloseTo(0.011, 3)
    expect(found?.high).toBeCloseTo(0.226, 3)
  })

  test('is mirrored where the sides are exchanged, and null without trials', () => {
    const one = pairedShareDifference({ both: 3, onlyRun: 9, onlyBase: 2, neither: 40 })
    const other = pairedShareDifference({ both: 3, onlyRun: 2, onlyBase: 9, neither: 40 })
    expect(other?.low).toBeCloseTo(-(one?.high ?? 0), 12)
    expect(other?.high).toBeCloseTo(-(one?.low ?? 0), 12)
    expect(pairedShareDifference({ both: 0, onlyRun: 0, onlyBase: 0, neither: 0 })).toBeNull()
  })

  test('keeps a width where no trial differs', () => {
    const found = pairedShareDifference({ both: 0, onlyRun: 0, onlyBase: 0, neither: 80 })
    expect(found?.difference).toBe(0)
    expect(found?.low).toBeLessThan(-0.01)
    expect(found?.high).toBeGreaterThan(0.01)
  })
})

test('so many trials show a share to be small enough as MLPerf asks for', () => {
  const least = (atMost: number, confidence: number) =>
    [0, 1, 2].map((successes) => trialsToShow(successes, atMost, confidence))
  // MLPerf inference rules, "early stopping", for percentiles 90, 95 and 99, with their confidence and with ours.
  expect(least(0.1, 0.99)).toEqual([44, 64, 81])
  expect(least(0.05, 0.99)).toEqual([90, 130, 165])
  expect(least(0.01, 0.99)).toEqual([459, 662, 838])
  expect(least(0.05, 0.95)).toEqual([59, 93, 124])
  expect(least(0.01, 0.95)).toEqual([299, 473, 628])
  expect(() => trialsToShow(0, 0)).toThrow(RangeError)
})

import { describe, expect, test } from 'vitest'
import { seededRandom } from '#prelude'
import {
  estimateMean,
  normalCumulative,
  studentCumulative,
  studentQuantile,
  welchDifference,
} from '#statistics/distributions'
import { batchMeans, lag1Autocorrelation } from '#statistics/intervals'
import { fitTheilSen, mannKendallTest, trendSlope } from '#statistics/series/trend'
import {
  benjaminiHochbergAdjusted,
  confidenceSequence,
  detectableDifference,
  holmAdjusted,
  requiredPairs,
} from '#statistics/tests/required-runs'
import { normalDraws } from './normal-draws.ts'
import { vectors } from './vectors.ts'

describe('means', () => {
  test('Student’s distribution agrees with SciPy', () => {
    for (const { t, degrees, cumulative } of vectors.student) {
      expect(studentCumulative(t, degrees)).toBeCloseTo(cumulative, 12)
    }
    for (const { probability, degrees, t } of vectors.studentQuantile) {
      expect(Math.abs(studentQuantile(probability, degrees) - t)).toBeLessThan(
        1e-8 * Math.max(1, Math.abs(t)),
      )
    }
  })

  test.each(vectors.meanInterval)(
    'a mean of $values.length has SciPy’s interval',
    ({ values, low, high }) => {
      const interval = estimateMean(values)?.intervalAt(0.95)
      expect(interval?.low).toBeCloseTo(low, 8)
      expect(interval?.high).toBeCloseTo(high, 8)
    },
  )

  test.each(vectors.welch)('two means of unequal spread are distinguished as by SciPy', ({ a, b, p }) => {
    const apart = welchDifference(a, b)
    expect(apart?.pValue).toBeCloseTo(p, 10)
    // The interval of the confidence that a test of this p leaves just reaches nought.
    const { low, high } = apart?.intervalAt(1 - p) ?? { low: Number.NaN, high: Number.NaN }
    expect(Math.min(Math.abs(low), Math.abs(high)) / (high - low)).toBeLessThan(1e-8)
    expect((low + high) / 2).toBeCloseTo(apart?.difference ?? Number.NaN, 10)
    expect(welchDifference([1, 1], [1, 1])).toMatchObject({ difference: 0, pValue: 1 })
    expect(welchDifference([1, 1], [2, 2])?.intervalAt(0.95)).toEqual({ low: 1, high: 1 })
    expect(welchDifference([1], [1, 2])).toBeNull()
  })

  test('equal values do not vary, and are no different from more of them, whatever their sum is rounded to', () => {
    const times = (count: number): readonly number[] => new Array<number>(count).fill(0.0873)
    for (let count = 2; count <= 20; count += 1) {
      expect(estimateMean(times(count))).toMatchObject({ mean: 0.0873, standardError: 0 })
      expect(welchDifference(times(count), times(count + 3))).toMatchObject({ difference: 0, pValue: 1 })
    }
  })

  test('the runs that a difference needs are those from which on it can be found', () => {
    const pairs = requiredPairs(0.04, 0.03, { power: 0.9 })
    if (pairs === null) throw new Error('no number of pairs')
    expect(detectableDifference(0.04, pairs, { power: 0.9 })).toBeLessThanOrEqual(0.03)
    expect(detectableDifference(0.04, pairs - 1, { power: 0.9 })).toBeGreaterThan(0.03)
    expect(requiredPairs(1, 0.001)).toBeNull()
    expect(requiredPairs(0, 0.01)).toBe(2)
    expect(requiredPairs(0, 0)).toBeNull()
  })

  test('the runs that a difference needs are those of Cohen’s tables', () => {
    // Cohen 1988, table 2.4.1 and G*Power 3: paired t, two-sided 5 %.
    expect(requiredPairs(1, 0.5, { power: 0.8 })).toBe(34)
    expect(requiredPairs(1, 0.5, { power: 0.9 })).toBe(44)
    expect(requiredPairs(1, 0.2, { power: 0.8 })).toBe(199)
    expect(requiredPairs(3, 3, { power: 0.8 })).toBe(10)
    expect(requiredPairs(1, 2, { power: 0.9 })).toBe(5)
  })

  test.each([
    { pairs: 2, confidence: 0.95, distance: 2.6213203435596424, power: 0.22884031378931127 },
    { pairs: 5, confidence: 0.95, distance: 1.8416407864998738, power: 0.8621288845237938 },
    { pairs: 12, confidence: 0.99, distance: 1.3660254037844388, power: 0.9211659521660193 },
    { pairs: 30, confidence: 0.998958, distance: 1.047722557505166, power: 0.9722263317156254 },
  ])(
    'a power of $power with $pairs pairs is that of SciPy’s noncentral t',
    ({ pairs, confidence, distance, power }) => {
      expect(detectableDifference(1, pairs, { power, confidence })).toBeCloseTo(distance, 5)
      expect(detectableDifference(0.02, pairs, { power, confidence })).toBeCloseTo(0.02 * distance, 7)
    },
  )
})

describe('batch means', () => {
  const normal = normalDraws(seededRandom(8))

  test('take twenty batches of independent values', () => {
    const found = batchMeans(Array.from({ length: 400 }, () => 10 + normal()))
    expect(found).toMatchObject({ resolved: true, batchCount: 20, batchLength: 20 })
    if (found.resolved) expect(found.interval.low < 10 && found.interval.high > 10).toBe(true)
  })

  test('lengthen the batches of values that resemble their neighbours, and give up where that does not help', () => {
    // Ten stretches of 400 values, each at a different level: halves of a stretch are alike, stretches are not.
    const levels = [1, -1, -1, 1, -1, 1, 1, -1, 1, -1]
    const longer = batchMeans(
      levels.flatMap((level) => Array.from({ length: 400 }, () => level + normal() / 9)),
    )
    expect(longer).toMatchObject({ resolved: true, batchLength: 400, batchCount: 10 })
    expect(longer.resolved && longer.lag1 < 0.2).toBe(true)
    expect(batchMeans(Array.from({ length: 200 }, (_, index) => index))).toMatchObject({ resolved: false })
    expect(batchMeans([1, 2, 3])).toEqual({
      resolved: false,
      reason: 'needs at least 10 values, there are 3',
    })
  })

  test('measure how alike neighbours are', () => {
    expect(lag1Autocorrelation([1, -1, 1, -1])).toBe(-0.75)
    expect(lag1Autocorrelation([2, 2])).toBe(0)
    expect(lag1Autocorrelation(new Array<number>(10).fill(0.1))).toBe(0)
  })
})

describe('p-values of many comparisons', () => {
  const { p, holm, benjaminiHochberg } = vectors.multiplicity
  test('are adjusted after Holm and after Benjamini and Hochberg, ties and order kept', () => {
    expect(holmAdjusted(p).map((each) => each.toFixed(12))).toEqual(holm.map((each) => each.toFixed(12)))
    expect(benjaminiHochbergAdjusted(p).map((each) => each.toFixed(12))).toEqual(
      benjaminiHochberg.map((each) => each.toFixed(12)),
    )
    expect(holmAdjusted([])).toEqual([])
  })
})

/** Standard deviation of Kendall's S over all orders of the values against x. */
function spreadOverOrders(x: readonly number[], y: readonly number[]): number {
  let [sum, squares, count] = [0, 0, 0]
  const visit = (order: readonly number[], rest: readonly number[]): void => {
    for (const [index, next] of rest.entries()) visit([...order, next], rest.toSpliced(index, 1))
    if (rest.length > 0) return
    let s = 0
    for (let i = 0; i < x.length; i += 1) {
      for (let j = i + 1; j < x.length; j += 1) {
        s +=
          Math.sign((x[j] as number) - (x[i] as number)) *
          Math.sign((order[j] as number) - (order[i] as number))
      }
    }
    sum += s
    squares += s * s
    count += 1
  }
  visit([], y)
  return Math.sqrt(squares / count - (sum / count) ** 2)
}

describe('trends', () => {
  test.each(vectors.theilSen)('a line through $x.length points is SciPy’s', ({ x, y, ...expected }) => {
    const points = x.map((value, index) => ({ x: value, y: y[index] ?? Number.NaN }))
    const line = fitTheilSen(points)
    expect(line?.slope).toBeCloseTo(expected.slope, 12)
    expect(line?.intercept).toBeCloseTo(expected.intercept, 12)
    const { interval } = trendSlope(points) ?? { interval: null }
    expect(interval?.low).toBeCloseTo(expected.low, 12)
    expect(interval?.high).toBeCloseTo(expected.high, 12)
  })

  test('a line needs two points that differ in x', () => {
    expect(
      fitTheilSen([
        { x: 1, y: 2 },
        { x: 1, y: 3 },
      ]),
    ).toBeNull()
    expect(
      trendSlope([
        { x: 0, y: 0 },
        { x: 1, y: 1 },
      ]),
    ).toEqual({ slope: 1, interval: null })
  })

  test('Mann-Kendall has the p of a published table, and none to give for two values', () => {
    // Kendall 1975, table 1: for n = 10, S = 45 has a one-sided p below 0.0001.
    expect(mannKendallTest([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])).toMatchObject({ s: 45 })
    expect(mannKendallTest([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])?.pValue).toBeLessThan(0.0002)
    expect(mannKendallTest([3, 3, 3])).toEqual({ s: 0, pValue: 1 })
    expect(mannKendallTest([1, 2])).toBeNull()
  })

  test('ties narrow the spread of Kendall’s S to that over all orders of the same values', () => {
    const values = [1, 1, 2, 3, 3, 3, 4]
    const spread = spreadOverOrders([0, 1, 2, 3, 4, 5, 6], values)
    const found = mannKendallTest(values)
    expect(found?.s).toBe(17)
    expect(found?.pValue).toBeCloseTo(2 * normalCumulative(-16 / spread), 10)
  })

  test('ties on both sides place the bounds of a slope as all orders of the values do', () => {
    const [x, y] = [
      [1, 1, 1, 1, 2, 2, 2],
      [2, 5, 5, 5, 5, 9, 9],
    ]
    const slopes = x
      .flatMap((left, i) =>
        x.slice(i + 1).flatMap((right, j) => {
          const rise = (y[i + 1 + j] as number) - (y[i] as number)
          return left === right ? [] : [rise / (right - left)]
        }),
      )
      .sort((a, b) => a - b)
    const spread = spreadOverOrders(x, y)
    const points = x.map((value, index) => ({ x: value, y: y[index] as number }))
    // At many confidences, because a slope's place is a whole number and hides a spread that is slightly wrong.
    for (let reach = 0.3; reach < 1.6; reach += 0.0005) {
      const places = [(slopes.length - reach * spread) / 2, (slopes.length + reach * spread) / 2]
      const [low, high] = places.map(Math.round)
      expect(trendSlope(points, 2 * normalCumulative(reach) - 1)?.interval).toEqual({
        low: slopes[(low ?? 0) - 1],
        high: slopes[high ?? 0],
      })
    }
  })
})

describe('an interval that may be looked at after every value', () => {
  test('is wider than the common one and narrows', () => {
    const normal = normalDraws(seededRandom(3))
    const values = Array.from({ length: 40 }, () => normal())
    const widthAt = (count: number): number => {
      const found = confidenceSequence(values.slice(0, count))
      return found === null ? Number.NaN : found.high - found.low
    }
    const common = estimateMean(values.slice(0, 20))?.intervalAt(0.95)
    expect(widthAt(20)).toBeGreaterThan((common?.high ?? 0) - (common?.low ?? 0))
    expect(widthAt(40)).toBeLessThan(widthAt(10))
    expect(confidenceSequence([1])).toBeNull()
  })

  test('is as wide as the normal mixture says, stretched by Student’s t', () => {
    // Mean 6.33, s 4.886, n 6, tuned to 10: z = √(2(nρ²+1)/(nρ²) · ln(√(nρ²+1)/α)) = 3.0608, its t with 5 degrees 5.7638.
    const found = confidenceSequence([1, 2, 4, 7, 11, 13], { expectedCount: 10 })
    expect(found?.low).toBeCloseTo(-5.1631149433294246, 8)
    expect(found?.high).toBeCloseTo(17.82978160999609, 8)
  })
})

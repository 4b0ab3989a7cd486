import { describe, expect, test } from 'vitest'
import { seededRandom } from '#prelude'
import {
  batchMeans,
  benjaminiHochbergAdjusted,
  confidenceSequence,
  detectableDifference,
  estimateMean,
  findChangePoints,
  fitTheilSen,
  holmAdjusted,
  lag1Autocorrelation,
  mannKendallTest,
  requiredPairs,
  studentCumulative,
  studentQuantile,
  trendSlope,
  welchTest,
} from '#statistics'
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

  test.each(vectors.welch)('two means of unequal spread are told apart as by SciPy', ({ a, b, p }) => {
    expect(welchTest(a, b)).toBeCloseTo(p, 10)
    expect(welchTest([1, 1], [1, 1])).toBe(1)
    expect(welchTest([1], [1, 2])).toBeNull()
  })

  test('the runs that a difference needs are those from which on it can be found', () => {
    const pairs = requiredPairs(0.04, 0.03, { power: 0.9 })
    if (pairs === null) throw new Error('no number of pairs')
    expect(detectableDifference(0.04, pairs, { power: 0.9 })).toBeLessThanOrEqual(0.03)
    expect(detectableDifference(0.04, pairs - 1, { power: 0.9 })).toBeGreaterThan(0.03)
    expect(requiredPairs(1, 0.001)).toBeNull()
  })
})

describe('batch means', () => {
  const normal = normalDraws(seededRandom(8))

  test('take twenty batches of independent values', () => {
    const found = batchMeans(Array.from({ length: 400 }, () => 10 + normal()))
    expect(found).toMatchObject({ resolved: true, batchCount: 20, batchLength: 20 })
    if (found.resolved) expect(found.interval.low < 10 && found.interval.high > 10).toBe(true)
  })

  test('lengthen the batches of values that resemble their neighbours, and give up where that does not help', () => {
    // Ten stretches of 400 values, each of a level of its own: halves of a stretch are alike, stretches are not.
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

  test('hardly ever excludes the truth at any of forty looks', () => {
    const normal = normalDraws(seededRandom(5))
    let excluded = 0
    for (let trial = 0; trial < 400; trial += 1) {
      const values = [normal(), normal()]
      while (values.length < 40) {
        values.push(normal())
        const found = confidenceSequence(values)
        if (found === null || (found.low <= 0 && found.high >= 0)) continue
        excluded += 1
        break
      }
    }
    // 400 trials at 5 %: 20 expected at most, 31 with a probability of one percent.
    expect(excluded).toBeLessThanOrEqual(31)
  })
})

describe('change points', () => {
  const normal = normalDraws(seededRandom(12))
  const level = (count: number, mean: number): number[] =>
    Array.from({ length: count }, () => mean + normal())

  test('are found where the level changes, to within a value or two', () => {
    const series = [...level(40, 0), ...level(30, 4), ...level(30, 0.5)]
    const found = findChangePoints(series, { random: seededRandom(1) })
    expect(found.map(({ index }) => Math.round(index / 5) * 5)).toEqual([40, 70])
    expect(found[0]?.meanBefore).toBeLessThan(1)
    expect(found[0]?.meanAfter).toBeGreaterThan(3)
    expect(found.every(({ pValue }) => pValue <= 0.005)).toBe(true)
  })

  test('are not found in noise, in a constant or in a handful of values', () => {
    const found = Array.from({ length: 40 }, (_, seed) =>
      findChangePoints(level(60, 0), { random: seededRandom(seed) }),
    )
    expect(found.filter((points) => points.length > 0).length).toBeLessThanOrEqual(2)
    expect(findChangePoints(new Array(50).fill(3), { random: seededRandom(1) })).toEqual([])
    expect(findChangePoints([1, 1, 1, 1, 9, 9, 9, 9], { random: seededRandom(1) })).toEqual([])
  })

  test('are clearest where full enumeration of the splits says so', () => {
    const series = [...level(8, 0), ...level(9, 3)]
    const energy = (split: number): number => {
      const [left, right] = [series.slice(0, split), series.slice(split)]
      const meanOf = (a: readonly number[], b: readonly number[]): number =>
        a.reduce((sum, x) => sum + b.reduce((inner, y) => inner + Math.abs(x - y), 0), 0)
      const [n, m] = [left.length, right.length]
      const distance =
        (2 * meanOf(left, right)) / (n * m) -
        meanOf(left, left) / (n * (n - 1)) -
        meanOf(right, right) / (m * (m - 1))
      return ((n * m) / (n + m)) * distance
    }
    const splits = Array.from({ length: series.length - 9 }, (_, index) => index + 5)
    const best = splits.reduce((a, b) => (energy(b) > energy(a) ? b : a))
    expect(findChangePoints(series, { random: seededRandom(2) })[0]?.index).toBe(best)
  })
})

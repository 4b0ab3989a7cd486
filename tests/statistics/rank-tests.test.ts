import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { seededRandom } from '#prelude'
import { hodgesLehmannShift, mannWhitneyTest, ratioShift } from '#statistics/tests/mann-whitney'
import { signFlipTest, signTest, wilcoxonTest } from '#statistics/tests/paired-tests'
import { vectors } from './vectors.ts'

describe('the Mann-Whitney test', () => {
  test.each(vectors.mannWhitney)('agrees with SciPy on $a.length and $b.length values, $method', (vector) => {
    const found = mannWhitneyTest(vector.a, vector.b)
    expect(found).toMatchObject({ u: vector.u, method: vector.method })
    expect(found?.pValue).toBeCloseTo(vector.p, 10)
  })

  test('has the smallest p that four and four, and five and five values can have', () => {
    expect(mannWhitneyTest([1, 2, 3, 4], [5, 6, 7, 8])?.pValue).toBeCloseTo(2 / 70, 12)
    expect(mannWhitneyTest([1, 2, 3, 4, 5], [6, 7, 8, 9, 10])?.pValue).toBeCloseTo(2 / 252, 12)
  })

  test('reports how far the sides are apart by Cliff’s delta', () => {
    expect(mannWhitneyTest([1, 2], [3, 4])?.delta).toBe(1)
    expect(mannWhitneyTest([3, 4], [1, 2])?.delta).toBe(-1)
    expect(mannWhitneyTest([1, 2, 2], [1, 2, 2])).toMatchObject({ delta: 0, pValue: 1 })
    expect(mannWhitneyTest([], [1])).toBeNull()
  })

  test('mirrors when the sides are swapped', () => {
    const values = fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 25 })
    fc.assert(
      fc.property(values, values, (a, b) => {
        const [there, back] = [mannWhitneyTest(a, b), mannWhitneyTest(b, a)]
        expect(there?.pValue).toBeCloseTo(back?.pValue ?? Number.NaN, 10)
        expect(there?.delta).toBeCloseTo(-(back?.delta ?? Number.NaN), 12)
      }),
      { numRuns: 60 },
    )
  })
})

describe('the Hodges-Lehmann shift', () => {
  const random = seededRandom(4)
  const a = Array.from({ length: 9 }, () => random.unit() * 10)
  const b = Array.from({ length: 12 }, () => random.unit() * 10 + 3)

  test('is the median of all differences', () => {
    expect(hodgesLehmannShift([1, 2, 3], [3, 5])?.shift).toBe(2)
    expect(hodgesLehmannShift([], [1])).toBeNull()
  })

  test('has the interval of exactly those shifts that the test does not exclude', () => {
    const found = hodgesLehmannShift(a, b)
    if (found === null || found.interval === null) throw new Error('no interval')
    const { low, high } = found.interval
    const pAt = (shift: number): number =>
      mannWhitneyTest(
        a,
        b.map((value) => value - shift),
      )?.pValue ?? 1
    const hair = 1e-9
    expect(pAt(low - hair)).toBeLessThanOrEqual(0.05)
    expect(pAt(low + hair)).toBeGreaterThan(0.05)
    expect(pAt(high - hair)).toBeGreaterThan(0.05)
    expect(pAt(high + hair)).toBeLessThanOrEqual(0.05)
  })

  test('has no interval where even all values on one side would not be rare', () => {
    expect(hodgesLehmannShift([1, 2, 3], [4, 5, 6])?.interval).toBeNull()
    expect(hodgesLehmannShift([1, 2, 3, 4], [5, 6, 7, 8])?.interval).toEqual({ low: 1, high: 7 })
  })

  test('is a ratio on logarithms, whatever the unit', () => {
    const slower = a.map((value) => value * 1.041)
    expect(ratioShift(a, slower)?.ratio).toBeCloseTo(1.041, 12)
    const inMs = ratioShift(
      a.map((v) => v * 1000),
      b.map((v) => v * 1000),
    )
    const inSeconds = ratioShift(a, b)
    expect(inMs?.interval?.low).toBeCloseTo(inSeconds?.interval?.low ?? Number.NaN, 9)
    expect(ratioShift([0, 1], [1, 2])).toBeNull()
  })
})

describe('tests of pairs', () => {
  test.each(vectors.wilcoxon)('Wilcoxon agrees with SciPy and with full enumeration, p $p', (vector) => {
    expect(wilcoxonTest(vector.differences)?.pValue).toBeCloseTo(vector.p, 10)
  })

  test('Wilcoxon says nothing where no pair differs', () => {
    expect(wilcoxonTest([0, 0])).toBeNull()
    expect(wilcoxonTest([1, -1])?.pValue).toBe(1)
  })

  test.each(vectors.sign)('the sign test agrees with SciPy on $oneWay against $otherWay', (vector) => {
    expect(signTest(vector.oneWay, vector.otherWay)).toBeCloseTo(vector.p, 12)
  })

  test('the sign test is right where a public tool takes a wrong approximation', () => {
    // NIST SCTK says "p < 0.001" of 17/23, 0.005 of 8/13 and 0.003 of 10/15; its exact values up to 20 are right.
    expect(signTest(17, 23)).toBeCloseTo(0.43, 3)
    expect(signTest(8, 13)).toBeCloseTo(0.383, 3)
    expect(signTest(10, 15)).toBeCloseTo(0.424, 3)
    expect(signTest(7, 13)).toBeCloseTo(0.263, 3)
    expect(signTest(5, 15)).toBeCloseTo(0.041, 3)
    expect(signTest(2, 8)).toBeCloseTo(0.109, 3)
    expect(signTest(0, 0)).toBe(1)
  })
})

describe('the sign-flip test', () => {
  const random = seededRandom(1)

  test('has the smallest p that so few pairs can give where all differ in one direction', () => {
    expect(signFlipTest([1, 2, 3, 4, 5], random)).toBeCloseTo(2 / 32, 12)
    expect(signFlipTest([1, 2, 3, 4, 5, 6], random)).toBeCloseTo(2 / 64, 12)
  })

  test("gives the published p for Darwin's maize, 15 pairs", () => {
    // Fisher 1935, section 21: 1,726 of the 32,768 ways lead as far, two-sided.
    const darwin = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
    expect(signFlipTest(darwin, random)).toBeCloseTo(1726 / 32_768, 12)
  })

  test('draws for many pairs what it would count for few', () => {
    const many = Array.from({ length: 17 }, (_, index) => (index % 3 === 0 ? -1 : 1))
    // 11 up, 6 down: as binomial counts, P(at most 6 or at least 11 of 17).
    expect(signFlipTest(many, random)).toBeCloseTo(0.3323, 1)
  })

  test('is certain of nothing where nothing differs, and absent without pairs', () => {
    expect(signFlipTest([0, 0, 0], random)).toBe(1)
    expect(signFlipTest([], random)).toBeNull()
  })
})

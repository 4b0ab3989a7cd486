import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  quantile,
  quantileInterval,
  quantileNearestRank,
  smallestSampleForQuantile,
  sortInPlace,
  sortSamples,
} from '#statistics/quantiles'

const oneTo = (last: number) => sortSamples(Array.from({ length: last }, (_, index) => index + 1))
const samples = fc
  .array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 1 })
  .map(sortSamples)
const share = fc.double({ min: 0, max: 1, noNaN: true })

describe('quantiles', () => {
  // R 4: quantile(c(1, 2, 4, 8, 16), p, type = 7) and type = 1.
  test.each([
    [0, 1, 1],
    [0.25, 2, 2],
    [0.3, 2.4, 2],
    [0.5, 4, 4],
    [0.95, 14.4, 16],
    [1, 16, 16],
  ])('at %d of five samples are %d interpolated and %d by rank', (probability, interpolated, ranked) => {
    const five = sortSamples([8, 1, 16, 4, 2])
    expect(quantile(five, probability)).toBeCloseTo(interpolated, 12)
    expect(quantileNearestRank(five, probability)).toBe(ranked)
  })

  test('are the same of samples that are sorted where they are', () => {
    const own = Float64Array.of(8, 1, 16, 4, 2)
    expect(sortInPlace(own)).toBe(own)
    expect([...own]).toEqual([1, 2, 4, 8, 16])
    expect(() => sortInPlace(Float64Array.of(1, Number.NaN))).toThrow(RangeError)
  })

  test('of nothing are absent, not zero', () => {
    expect(quantile(sortSamples([]), 0.5)).toBeNull()
    expect(quantileNearestRank(sortSamples([]), 0.5)).toBeNull()
  })

  test('by rank need exactly the share of samples, also where the product is not exact in binary', () => {
    for (const count of [20, 100, 200, 300, 1000]) {
      expect(quantileNearestRank(oneTo(count), 0.95)).toBe(count * 0.95)
    }
    // 0.07 · 100 is 7.000000000000001.
    expect(quantileNearestRank(oneTo(100), 0.07)).toBe(7)
  })

  test('by rank are a sample that at least the share of samples do not exceed, and no smaller one does', () => {
    fc.assert(
      fc.property(samples, share, (sorted, probability) => {
        const found = quantileNearestRank(sorted, probability) as number
        const atMost = sorted.filter((value) => value <= found).length
        const less = sorted.filter((value) => value < found).length
        expect(atMost / sorted.length).toBeGreaterThanOrEqual(probability - 1e-9)
        expect(less === 0 || less / sorted.length < probability).toBe(true)
      }),
    )
  })

  test('never fall as the probability rises, and stay within the samples', () => {
    fc.assert(
      fc.property(samples, share, share, (sorted, a, b) => {
        const low = quantile(sorted, Math.min(a, b)) as number
        const high = quantile(sorted, Math.max(a, b)) as number
        expect(low).toBeLessThanOrEqual(high + Math.abs(high) * 1e-12)
        expect(low).toBeGreaterThanOrEqual(sorted[0] as number)
      }),
    )
  })

  test('refuse a probability outside 0..1 and a sample that is not a number', () => {
    expect(() => quantile(oneTo(3), 95)).toThrow(RangeError)
    expect(() => sortSamples([1, Number.NaN])).toThrow('not NaN')
  })
})

describe('the interval of a quantile', () => {
  test.each([
    [0.5, 6],
    [0.9, 36],
    [0.95, 72],
    [0.99, 368],
    [0.999, 3688],
    [0.1, 36],
  ])('for %d needs at least %d samples', (probability, needed) => {
    expect(smallestSampleForQuantile(probability)).toBe(needed)
    expect(quantileInterval(oneTo(needed), probability).resolved).toBe(true)
    expect(quantileInterval(oneTo(Math.max(0, needed - 10)), probability)).toEqual({
      resolved: false,
      moreSamplesNeeded: Math.min(10, needed),
      confidence: 0.95,
    })
  })

  test.each([
    [200, 0.95, 184, 197],
    [1000, 0.99, 983, 997],
    [6, 0.5, 1, 6],
  ])('of %d samples at %d lies between ranks %d and %d', (count, probability, lowRank, highRank) => {
    expect(quantileInterval(oneTo(count), probability)).toMatchObject({
      lowRank,
      highRank,
      low: lowRank,
      high: highRank,
    })
  })

  test.each([2, 3, 4, 5, 6, 7, 8])(
    'of %d samples lies between samples at the very confidence that they just reach',
    (count) => {
      expect(quantileInterval(oneTo(count), 0.5, 1 - 2 * 0.5 ** count)).toMatchObject({ low: 1, high: count })
    },
  )

  test('covers at least its confidence, and one rank less on either side would not keep its tail', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 72, max: 3000 }),
        fc.constantFrom(0.5, 0.9, 0.95),
        (count, probability) => {
          const found = quantileInterval(oneTo(count), probability)
          expect(found.resolved && found.coverage).toBeGreaterThanOrEqual(0.95)
        },
      ),
    )
  })

  test('at the ends of 0..1 is refused', () => {
    expect(() => quantileInterval(oneTo(10), 1)).toThrow(RangeError)
    expect(() => smallestSampleForQuantile(0.5, 1)).toThrow(RangeError)
  })
})

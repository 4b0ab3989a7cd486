import { describe, expect, test } from 'vitest'
import { seededRandom } from '#prelude'
import { abcInterval } from '#statistics/abc-interval'
import { bootstrapRatio, type RatioTerm } from '#statistics/bootstrap'

/** Utterances of 5 to 24 words, of which one in five goes badly wrong. */
function skewedTerms(count: number): readonly RatioTerm[] {
  const random = seededRandom(4)
  return Array.from({ length: count }, () => ({
    numerator: random.below(5) === 0 ? random.below(12) : random.below(2),
    denominator: 5 + random.below(20),
  }))
}

describe('the computed interval of a ratio of sums', () => {
  test.each([500, 3000])('differs from the BCa bootstrap by less than its noise: %i terms', (count) => {
    const terms = skewedTerms(count)
    const drawn = bootstrapRatio(terms, { random: seededRandom(1), replicates: 40_000 }).interval
    const computed = abcInterval(terms, new Uint8Array(count).fill(1), 0.95)
    const width = (drawn?.high ?? 0) - (drawn?.low ?? 0)
    expect(Math.abs((computed?.low ?? 0) - (drawn?.low ?? 0)) / width).toBeLessThan(0.015)
    expect(Math.abs((computed?.high ?? 0) - (drawn?.high ?? 0)) / width).toBeLessThan(0.015)
  })

  test('covers the true ratio as often as it says', () => {
    const random = seededRandom(9)
    // Errors of an utterance: each of its 4 to 23 words is wrong with its speaker's probability.
    const sample = (): RatioTerm => {
      const denominator = 4 + random.below(20)
      const likely = random.below(4) === 0 ? 0.4 : 0.05
      return {
        numerator: Array.from({ length: denominator }, () => random.unit()).filter((unit) => unit < likely)
          .length,
        denominator,
      }
    }
    const truth = (0.4 + 3 * 0.05) / 4
    const trials = 2000
    let covered = 0
    for (let trial = 0; trial < trials; trial += 1) {
      const terms = Array.from({ length: 150 }, sample)
      const interval = abcInterval(terms, new Uint8Array(150).fill(1), 0.95)
      if (interval !== null && interval.low <= truth && truth <= interval.high) covered += 1
    }
    // Four standard errors of a count of 2,000 are two in a hundred.
    expect(covered / trials).toBeGreaterThan(0.925)
    expect(covered / trials).toBeLessThan(0.97)
  })

  test('is the same for terms that are counted and for terms that are listed, in any order', () => {
    const terms = skewedTerms(300)
    const listed = [...terms, ...terms, ...terms].reverse()
    const counted = abcInterval(terms, new Uint8Array(300).fill(3), 0.9)
    const all = abcInterval(listed, new Uint8Array(900).fill(1), 0.9)
    expect(counted?.low).toBeCloseTo(all?.low ?? 0, 12)
    expect(counted?.high).toBeCloseTo(all?.high ?? 0, 12)
  })

  test('has no bound beyond the ratios of single terms, as no draw has: no error rate below 0', () => {
    const right = { numerator: 0, denominator: 10 }
    const oneError = abcInterval([right, { numerator: 1, denominator: 10 }], [19_999, 1], 0.95)
    expect(oneError?.low).toBe(0)
    expect(oneError?.high).toBeGreaterThan(1 / 199_990)
    const longBook = { numerator: 0, denominator: 500_000 }
    const mostlyRight = { numerator: 1, denominator: 10 }
    expect(abcInterval([mostlyRight, longBook], [19_999, 1], 0.95)?.high).toBe(0.1)
    const nothing = { numerator: 0, denominator: 0 }
    const inserted = { numerator: 3, denominator: 0 }
    const withEmpty = abcInterval([right, mostlyRight, nothing, inserted], [9000, 500, 400, 100], 0.95)
    expect(withEmpty?.low).toBeGreaterThan(0)
    expect(withEmpty?.high).toBeLessThan(0.1)
  })

  test('does not exist where every draw would give the same ratio, nor for one term, nor without a denominator', () => {
    const same = { numerator: 1, denominator: 4 }
    expect(abcInterval([same, { numerator: 2, denominator: 8 }], [3, 2], 0.95)).toBeNull()
    expect(abcInterval([same], [1], 0.95)).toBeNull()
    expect(abcInterval([{ numerator: 1, denominator: 0 }], [5], 0.95)).toBeNull()
  })
})

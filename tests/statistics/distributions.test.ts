import { describe, expect, test } from 'vitest'
import { seededRandom } from '#prelude'
import {
  binomialCumulative,
  drawBinomial,
  incompleteBeta,
  logFactorials,
  logGamma,
  normalCumulative,
  normalQuantile,
} from '#statistics/distributions'

describe('the normal distribution', () => {
  // Abramowitz and Stegun, table 26.1 and 26.5, and Wichura 1988, section 4.
  test.each([
    [0.975, 1.959963984540054],
    [0.995, 2.5758293035489],
    [0.25, -0.6744897501960817],
    [0.001, -3.090232306167814],
    [1e-20, -9.262340089798409],
  ])('has its %d quantile at %d, and back', (probability, z) => {
    expect(normalQuantile(probability)).toBeCloseTo(z, 12)
    expect(normalCumulative(z) / probability).toBeCloseTo(1, 7)
  })

  test('ends at infinity', () => {
    expect(normalQuantile(0)).toBe(Number.NEGATIVE_INFINITY)
    expect(normalQuantile(1)).toBe(Number.POSITIVE_INFINITY)
    expect([normalCumulative(-40), normalCumulative(0), normalCumulative(40)]).toEqual([0, 0.5, 1])
  })
})

describe('special functions', () => {
  test('the gamma function continues the factorial', () => {
    expect(Math.exp(logGamma(7))).toBeCloseTo(720, 9)
    expect(logGamma(0.5)).toBeCloseTo(Math.log(Math.PI) / 2, 12)
    expect(logGamma(171) / 706.5730622457874).toBeCloseTo(1, 13)
  })

  test('the incomplete beta function has its closed forms', () => {
    expect(incompleteBeta(0.3, 1, 1)).toBeCloseTo(0.3, 14)
    expect(incompleteBeta(0.3, 2, 1)).toBeCloseTo(0.09, 14)
    expect(incompleteBeta(0.3, 1, 5)).toBeCloseTo(1 - 0.7 ** 5, 14)
    expect(incompleteBeta(0.3, 7, 4) + incompleteBeta(0.7, 4, 7)).toBeCloseTo(1, 14)
  })

  test('the binomial distribution sums its terms', () => {
    let sum = 0
    let mass = 0.3 ** 0 * 0.7 ** 12
    for (let k = 0; k <= 12; k += 1) {
      sum += mass
      expect(binomialCumulative(k, 12, 0.3)).toBeCloseTo(sum, 12)
      mass *= ((12 - k) / (k + 1)) * (0.3 / 0.7)
    }
    expect(binomialCumulative(-1, 12, 0.3)).toBe(0)
  })
})

describe('a binomial draw', () => {
  const table = logFactorials(1000)
  test.each([
    [5, 0.3],
    [12, 0.9],
    [60, 0.4],
    [1000, 0.02],
    [1000, 0.75],
  ])('from %d trials at %d follows the distribution', (trials, probability) => {
    const random = seededRandom(42)
    const draws = 20_000
    const seen = new Map<number, number>()
    for (let draw = 0; draw < draws; draw += 1) {
      const successes = drawBinomial(trials, probability, table, random)
      seen.set(successes, (seen.get(successes) ?? 0) + 1)
    }
    // Kolmogorov and Smirnov: the largest gap stays under 1.95 / √draws in 99.9 % of such samples.
    let cumulative = 0
    let gap = 0
    for (let k = 0; k <= trials; k += 1) {
      cumulative += (seen.get(k) ?? 0) / draws
      gap = Math.max(gap, Math.abs(cumulative - binomialCumulative(k, trials, probability)))
    }
    expect(gap).toBeLessThan(1.95 / Math.sqrt(draws))
  })

  test('is certain at the ends', () => {
    const random = seededRandom(1)
    expect(drawBinomial(9, 0, table, random)).toBe(0)
    expect(drawBinomial(9, 1, table, random)).toBe(9)
    expect(drawBinomial(0, 0.5, table, random)).toBe(0)
  })
})

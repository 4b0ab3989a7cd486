import { describe, expect, test } from 'vitest'
import { seededRandom } from '#prelude'
import { fitRelative, fittedDifference, fittedValue } from '#statistics/series/relative-regression'
import { normalDraws } from './normal-draws.ts'

const lengths = Array.from({ length: 40 }, (_, index) => 1.1 ** index)
const rows = lengths.map((length) => [1, length])

describe('a line through values with relative noise', () => {
  test('is the line itself where there is no noise, without any width', () => {
    const fit = fitRelative(
      rows,
      lengths.map((length) => 250 + 80 * length),
      [100, 100],
    )
    if (fit === null) throw new Error('no fit')
    expect(fit.coefficients[0]).toBeCloseTo(250, 6)
    expect(fit.coefficients[1]).toBeCloseTo(80, 6)
    expect(fit.degrees).toBe(38)
    const { value, interval } = fittedValue(fit, [1, 10])
    expect(value).toBeCloseTo(1050, 6)
    expect((interval?.high ?? 0) - (interval?.low ?? 1)).toBeLessThan(1e-3)
  })

  test('is where the other points are when a fifth of them lies wildly to one side', () => {
    const normal = normalDraws(seededRandom(1))
    const values = lengths.map(
      (length, index) => (250 + 80 * length) * Math.exp(0.05 * normal()) * (index % 5 === 2 ? 5 : 1),
    )
    const fit = fitRelative(rows, values, [250, 90])
    expect(Math.abs((fit?.coefficients[0] ?? 0) - 250)).toBeLessThan(20)
    expect(Math.abs((fit?.coefficients[1] ?? 0) - 80)).toBeLessThan(3)
  })

  test('scales with its values, and so does its interval', () => {
    const normal = normalDraws(seededRandom(2))
    const values = lengths.map((length) => (250 + 80 * length) * Math.exp(0.08 * normal()))
    const widthOf = (factor: number): number => {
      const fit = fitRelative(
        rows,
        values.map((value) => factor * value),
        [250 * factor, 80 * factor],
      )
      const interval = fit === null ? null : fittedValue(fit, [1, 0]).interval
      return (interval?.high ?? 0) - (interval?.low ?? 0)
    }
    expect(widthOf(1000) / widthOf(1)).toBeCloseTo(1000, 3)
  })

  test('has the jackknife’s width, also where one point far away decides', () => {
    const normal = normalDraws(seededRandom(3))
    const places = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 400]
    // A noise so even that the weights hardly differ: what is left out then counts by itself.
    const values = places.map((place) => (2000 + 80 * place) * (1 + 0.01 * Math.tanh(normal())))
    const slopeWithout = (left: number | null): number => {
      const kept = places.map((_, index) => index).filter((index) => index !== left)
      const fit = fitRelative(
        kept.map((index) => [1, places[index] as number]),
        kept.map((index) => values[index] as number),
        [2000, 80],
      )
      return fit?.coefficients[1] ?? Number.NaN
    }
    const fit = fitRelative(
      places.map((place) => [1, place]),
      values,
      [2000, 80],
    )
    if (fit === null) throw new Error('no fit')
    const { value, interval } = fittedValue(fit, [0, 1])
    const jackknife = Math.sqrt(places.reduce((sum, _, index) => sum + (slopeWithout(index) - value) ** 2, 0))
    const t14 = 2.1447866879169273
    expect(Math.abs(((interval?.high ?? 0) - value) / (t14 * jackknife) - 1)).toBeLessThan(0.1)
  })

  test('is as wide as Huber’s formula says, also in few points', () => {
    // Symmetric around 1, so that the line is 1: a median residual of 0.25, and so a spread of 1.4826 · 0.25 · 8/7. The weights'
    // mean slope is 0.64720 and their variance 0.24168: Huber's factor is (1 + 1/8 · 0.24168/0.64720²)/0.64720 = 1.65656. The
    // influences then sum up to a standard error of 0.222054, which is t(7) = 2.364624 times narrower than the interval.
    const residuals = [0.1, 0.2, 0.3, 1, -0.1, -0.2, -0.3, -1]
    const fit = fitRelative(
      residuals.map(() => [1]),
      residuals.map(Math.exp),
      [1],
    )
    if (fit === null) throw new Error('no fit')
    const { value, interval } = fittedValue(fit, [1])
    expect(value).toBeCloseTo(1, 9)
    expect((interval?.high ?? 0) - value).toBeCloseTo(0.5250743, 6)
  })

  test('has no coefficients where the terms cannot be distinguished, and no interval without freedom', () => {
    const same = lengths.map((length) => [length, 2 * length])
    expect(fitRelative(same, lengths, [1, 0])).toBeNull()
    const two = fitRelative(
      [
        [1, 1],
        [1, 2],
      ],
      [3, 4],
      [1, 1],
    )
    expect(two === null ? null : fittedValue(two, [1, 0]).interval).toBeNull()
  })

  test('differs from another one by less doubt than both have where the same points are slow for both', () => {
    const normal = normalDraws(seededRandom(4))
    const noise = lengths.map(() => Math.exp(0.1 * normal()))
    const fitOf = (fixed: number): NonNullable<ReturnType<typeof fitRelative>> => {
      const values = lengths.map((length, index) => (fixed + 80 * length) * (noise[index] as number))
      const fit = fitRelative(rows, values, [fixed, 80])
      if (fit === null) throw new Error('no fit')
      return fit
    }
    const [first, second] = [fitOf(250), fitOf(300)]
    const widthOf = (bounds: { low: number; high: number } | null): number =>
      bounds === null ? Number.NaN : bounds.high - bounds.low
    const { value, interval } = fittedDifference(first, second, [
      [1, 5],
      [1, 5],
    ])
    expect(Math.abs(value - 50)).toBeLessThan(5)
    expect(widthOf(interval)).toBeLessThan(widthOf(fittedValue(first, [1, 5]).interval) / 3)
  })
})

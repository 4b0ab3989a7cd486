import { expect, test } from 'vitest'
import { seededRandom } from '#prelude'
import type { RatioTerm } from '#statistics/bootstrap'
import { limitCrossing } from '#statistics/intervals'

const term = (numerator: number): RatioTerm => ({ numerator, denominator: 10 })
const random = seededRandom(1)

test('the crossing is interpolated between the neighbours of the limit', () => {
  const units = Array.from({ length: 20 }, () => [0, 1, 3, 9].map(term))
  expect(limitCrossing(units, 0.2, random)).toEqual({
    position: 1.5,
    interval: { low: 1.5, high: 1.5 },
  })
})

test('a limit that is exceeded everywhere or nowhere has no position on the ladder', () => {
  const units = [[5, 6].map(term), [5, 6].map(term)]
  expect(limitCrossing(units, 0.1, random)?.position).toBe(-Infinity)
  expect(limitCrossing(units, 0.9, random)?.position).toBe(Infinity)
})

test('one unit has a position and no interval, and a condition without words has neither', () => {
  expect(limitCrossing([[0, 4].map(term)], 0.2, random)).toEqual({ position: 0.5, interval: null })
  expect(limitCrossing([[term(1), { numerator: 0, denominator: 0 }]], 0.2, random)).toBeNull()
})

test('95% intervals hold the true crossing in about 95 of 100 corpora', () => {
  // True rates 10 % and 30 %: the limit of 20 % is crossed in the middle.
  const draw = seededRandom(3)
  const errors = (rate: number): number =>
    Array.from({ length: 10 }, () => Number(draw.unit() < rate)).reduce((sum, each) => sum + each, 0)
  const repeats = 200
  let held = 0
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    const units = Array.from({ length: 60 }, () => [term(errors(0.1)), term(errors(0.3))])
    const interval = limitCrossing(units, 0.2, draw, 500)?.interval
    if (interval != null && interval.low <= 0.5 && interval.high >= 0.5) held += 1
  }
  expect(held / repeats).toBeGreaterThan(0.9)
  expect(held / repeats).toBeLessThan(0.99)
})

import { expect, test } from 'vitest'
import { seededRandom } from '#prelude'
import { clusteredQuantileInterval, sortSamples } from '#statistics/quantiles'
import { normalDraws } from './normal-draws.ts'

const intervalOf = (clusters: readonly (readonly number[])[], probability: number) =>
  clusteredQuantileInterval(clusters.map(sortSamples), probability, seededRandom(1))

test('two clusters give the quantiles of each of them as ends', () => {
  // A draw is AA, AB or BB; each of the outer two comes in a quarter of all draws.
  expect(
    intervalOf(
      [
        [1, 2, 3],
        [11, 12, 13],
      ],
      0.5,
    ),
  ).toEqual({ low: 2, high: 12 })
})

test('clusters that are alike give an interval of no width, however many samples they have', () => {
  expect(intervalOf([[5, 5], [5], [5, 5, 5]], 0.95)).toEqual({ low: 5, high: 5 })
})

test('a single cluster, and clusters without samples, give no interval', () => {
  expect(intervalOf([[1, 2, 3]], 0.5)).toBeNull()
  expect(intervalOf([[1, 2, 3], []], 0.5)).toBeNull()
})

test('a cluster counts with all its samples', () => {
  const large = Array.from({ length: 1000 }, (_, index) => index / 1000)
  const interval = intervalOf([large, [100], [100]], 0.5)
  // The large one outweighs the others in every draw that has it: 1 − (2/3)³ of them, 70 %.
  expect(interval?.low).toBeLessThan(0.51)
  expect(interval?.high).toBe(100)
})

test('the interval covers the median of hosts that differ in most of many trials', () => {
  const random = seededRandom(7)
  const normal = normalDraws(random)
  let covered = 0
  const trials = 200
  for (let trial = 0; trial < trials; trial += 1) {
    const clusters = Array.from({ length: 20 }, () => {
      const host = normal()
      return sortSamples(Array.from({ length: 20 }, () => host + 0.3 * normal()))
    })
    const interval = clusteredQuantileInterval(clusters, 0.5, seededRandom(trial), 400)
    if (interval !== null && interval.low <= 0 && interval.high >= 0) covered += 1
  }
  // Resampling twenty clusters is a little too sure of itself: 88 % and more of a nominal 95 %.
  expect(covered / trials).toBeGreaterThan(0.87)
})

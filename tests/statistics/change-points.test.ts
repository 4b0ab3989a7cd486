import { expect, test } from 'vitest'
import { seededRandom } from '#prelude'
import { findChangePoints, findDrift } from '#statistics/series/change-points'
import { type ConstructedHistory, constructHistory, countFound, noises } from './constructed-histories.ts'
import { normalDraws } from './normal-draws.ts'

const normal = normalDraws(seededRandom(12))

function level(runCount: number, mean: number, spread: number): number[] {
  return Array.from({ length: runCount }, () => mean + spread * normal())
}

function indexesIn({ values, weights }: Pick<ConstructedHistory, 'values' | 'weights'>): readonly number[] {
  return findChangePoints(values, { random: seededRandom(1), weights }).map(({ index }) => index)
}

function indexes(values: readonly number[]): readonly number[] {
  return indexesIn({ values, weights: values.map(() => 1) })
}

test.each([0, 0.05, 0.3])(
  'four levels of which two return are three changes, at a spread of %s points',
  (spread) => {
    const series = [
      ...level(16, 4.6, spread),
      ...level(5, 6.85, spread),
      ...level(10, 4.6, spread),
      ...level(5, 6.9, spread),
    ]
    const found = findChangePoints(series, { random: seededRandom(1) })
    expect(found.map(({ index }) => index)).toEqual([16, 21, 31])
    expect(found[1]?.medianBefore).toBeCloseTo(6.85, 0)
    expect(found[1]?.medianAfter).toBeCloseTo(4.6, 0)
    expect(found.every(({ pValue }) => pValue <= 0.015)).toBe(true)
  },
)

test('of 48 constructed histories with 0 to 3 changes at least 43 are found and at most 2 have a false one', () => {
  const kinds = Object.values(noises)
  const histories = Array.from({ length: 48 }, (_, seed) =>
    constructHistory({
      seed,
      noise: kinds[seed % kinds.length] as (typeof kinds)[number],
      changeCount: Math.floor(seed / kinds.length) % 4,
      smallestStep: 4,
    }),
  )
  const { found, withFalse } = countFound(histories, indexesIn)
  expect(found).toBeGreaterThanOrEqual(43)
  expect(withFalse).toBeLessThanOrEqual(2)
})

test.each(Object.entries(noises))('a series without a change has none under noise that is %s', (_, noise) => {
  const histories = Array.from({ length: 100 }, (__, seed) => {
    const random = seededRandom(1000 + seed)
    const draws = Array.from({ length: 6 + (seed % 60) }, noise(random))
    return {
      values: draws.map(({ error }) => error),
      weights: draws.map(({ weight }) => weight),
      changes: [],
    }
  })
  expect(countFound(histories, indexesIn).withFalse).toBeLessThanOrEqual(3)
})

test.each([[0.8, 3]])(
  'of 60 histories whose runs are like the one before by %s, at most %s have a change or a drift',
  (like, most) => {
    const drawn = normalDraws(seededRandom(100 * like + 3))
    let moved = 0
    for (let history = 0; history < 60; history += 1) {
      let last = drawn()
      const values = Array.from({ length: 12 + history }, () => {
        last = like * last + Math.sqrt(1 - like ** 2) * drawn()
        return 100 + 2 * last
      })
      const changes = findChangePoints(values, { random: seededRandom(1) })
      if (changes.length > 0 || findDrift(values, changes) !== null) moved += 1
    }
    expect(moved).toBeLessThanOrEqual(most)
  },
)

test('a step of a tenth is found within one run in nine of ten histories, and is no drift', () => {
  let found = 0
  for (let history = 0; history < 60; history += 1) {
    const at = 8 + (history % 12)
    const values = [...level(at, 100, 2), ...level(30 - at, 110, 2)]
    const changes = findChangePoints(values, { random: seededRandom(1) })
    if (
      changes.length === 1 &&
      Math.abs((changes[0]?.index ?? 0) - at) <= 1 &&
      findDrift(values, changes) === null
    )
      found += 1
  }
  expect(found).toBeGreaterThanOrEqual(54)
})

test('a constant, a single outlier and fewer than six values have no change', () => {
  expect(indexes(new Array(50).fill(3))).toEqual([])
  expect(indexes([...level(20, 5, 0.1), 9, ...level(20, 5, 0.1)])).toEqual([])
  expect(indexes([...level(20, 5, 0.1), 9, 9, ...level(20, 5, 0.1)])).toEqual([])
  expect(indexes([1, 1, 1, 9, 9])).toEqual([])
  expect(indexes([])).toEqual([])
})

test('a new level is reported from its third run on where the one before is long', () => {
  expect(indexes([...level(30, 5, 0.1), ...level(2, 8, 0.1)])).toEqual([])
  expect(indexes([...level(30, 5, 0.1), ...level(3, 8, 0.1)])).toEqual([30])
})

test('runs with wide intervals move no level by themselves', () => {
  const quiet = level(24, 5, 0.1)
  const values = [...quiet.slice(0, 12), 6.1, 5.9, 6.2, ...quiet.slice(12)]
  const weights = values.map((_, index) => (index >= 12 && index < 15 ? 0.1 : 1))
  expect(indexes(values)).toEqual([12, 15])
  expect(indexesIn({ values, weights })).toEqual([])
})

test('a year of hourly runs with eight changes is searched in one pass', () => {
  const values = Array.from({ length: 9 }, (_, index) => level(110, index % 2 === 0 ? 5 : 6, 0.2)).flat()
  expect(indexes(values)).toEqual([110, 220, 330, 440, 550, 660, 770, 880])
})

import { type Random, seededRandom } from '#prelude'
import { normalDraws } from './normal-draws.ts'

/** A series whose changes are known. */
export interface ConstructedHistory {
  readonly values: readonly number[]
  readonly weights: readonly number[]
  /** Index of the first value of every level but the first. */
  readonly changes: readonly number[]
}

type Noise = (random: Random) => () => { readonly error: number; readonly weight: number }

/** What runs of one build differ by, in units of about one standard deviation. */
export const noises: Readonly<Record<string, Noise>> = {
  normal: (random) => equallyWeighted(normalDraws(random)),
  'heavy-tailed (Student, 3 degrees)': (random) => {
    const normal = normalDraws(random)
    return equallyWeighted(() => {
      const chiSquare = normal() ** 2 + normal() ** 2 + normal() ** 2
      return normal() / Math.sqrt(chiSquare)
    })
  },
  'skewed (lognormal)': (random) => {
    const normal = normalDraws(random)
    return equallyWeighted(() => (Math.exp(0.5 * normal()) - 1.13) / 0.6)
  },
  'with outliers (one run in twenty by 3 to 10)': (random) => {
    const normal = normalDraws(random)
    return equallyWeighted(() => normal() + (random.unit() < 0.05 ? 3 + 7 * random.unit() : 0))
  },
  'rounded to few distinct values': (random) => {
    const normal = normalDraws(random)
    return equallyWeighted(() => Math.round(normal()))
  },
  'unequal, with a known spread': (random) => {
    const normal = normalDraws(random)
    return () => {
      const spread = random.unit() < 0.2 ? 2.5 : 0.8
      return { error: spread * normal(), weight: Math.SQRT2 / Math.sqrt(1 + (spread / 0.8) ** 2) }
    }
  },
}

function equallyWeighted(draw: () => number): ReturnType<Noise> {
  return () => ({ error: draw(), weight: 1 })
}

export interface ConstructionOptions {
  readonly seed: number
  readonly noise: Noise
  readonly changeCount: number
  /** Smallest step between neighbouring levels, in the unit of the noise; the largest is half as much again. */
  readonly smallestStep: number
}

/** Levels of 5 to 16 runs; a level after the second one returns to the first in half of the cases. */
export function constructHistory({
  seed,
  noise,
  changeCount,
  smallestStep,
}: ConstructionOptions): ConstructedHistory {
  const random = seededRandom(seed)
  const draw = noise(random)
  const values: number[] = []
  const weights: number[] = []
  const changes: number[] = []
  let level = 0
  for (let segment = 0; segment <= changeCount; segment += 1) {
    if (segment > 0) {
      changes.push(values.length)
      const step = smallestStep * (1 + random.unit() / 2)
      const isReturn = level !== 0 && random.unit() < 0.5
      level = isReturn ? 0 : level + (random.unit() < 0.5 ? -step : step)
    }
    const runCount = 5 + random.below(12)
    for (let run = 0; run < runCount; run += 1) {
      const { error, weight } = draw()
      values.push(level + error)
      weights.push(weight)
    }
  }
  return { values, weights, changes }
}

export interface FoundCounts {
  readonly histories: number
  /** Histories in which every true change has a reported one at most one run away. */
  readonly found: number
  /** Histories with a reported change that is more than one run away from every true one. */
  readonly withFalse: number
}

/** Counts whole histories: one that misses one of three changes is not found. */
export function countFound(
  histories: readonly ConstructedHistory[],
  find: (history: ConstructedHistory) => readonly number[],
): FoundCounts {
  const isNear = (index: number, indexes: readonly number[]): boolean =>
    indexes.some((other) => Math.abs(other - index) <= 1)
  const results = histories.map((history) => ({ changes: history.changes, reported: find(history) }))
  return {
    histories: histories.length,
    found: results.filter(({ changes, reported }) => changes.every((index) => isNear(index, reported)))
      .length,
    withFalse: results.filter(({ changes, reported }) => reported.some((index) => !isNear(index, changes)))
      .length,
  }
}

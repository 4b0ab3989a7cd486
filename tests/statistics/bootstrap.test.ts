import { describe, expect, test } from 'vitest'
import { seededRandom } from '#prelude'
import {
  bootstrapRatio,
  pairedBootstrap,
  type RatioTerm,
  ratioOfSums,
  resampledSums,
  sumByCluster,
} from '#statistics/bootstrap'
import { quantile, sortSamples } from '#statistics/quantiles'

const term = (numerator: number, denominator: number): RatioTerm => ({ numerator, denominator })
const four = [term(0, 10), term(3, 7), term(1, 12), term(5, 5)]

/** Every sample of four rows from four, each as likely as the other. */
function everyResample(terms: readonly RatioTerm[]): number[] {
  const ratios: number[] = []
  for (let code = 0; code < 256; code += 1) {
    const drawn = [0, 2, 4, 6].map((shift) => terms[(code >> shift) & 3] as RatioTerm)
    ratios.push(ratioOfSums(drawn) as number)
  }
  return ratios
}

describe('the bootstrap of a ratio of sums', () => {
  test('draws from the distribution that full enumeration gives', () => {
    const exact = sortSamples(everyResample(four))
    const columns = [
      Float64Array.from(four, ({ numerator }) => numerator),
      Float64Array.from(four, ({ denominator }) => denominator),
    ]
    const [errors, words] = resampledSums(columns, [1, 1, 1, 1], 40_000, seededRandom(3))
    const found = sortSamples(Array.from(errors ?? [], (sum, draw) => sum / (words?.[draw] ?? 0)))
    expect(bootstrapRatio(four, { random: seededRandom(3) }).estimate).toBeCloseTo(9 / 34, 12)
    for (const share of [0.025, 0.975])
      expect(quantile(found, share)).toBeCloseTo(quantile(exact, share) as number, 2)
  })

  test('draws equal rows together from the same distribution as one by one', () => {
    const random = seededRandom(11)
    const repeated = Array.from({ length: 400 }, () => four[random.below(4)] as RatioTerm)
    // A denominator made different in the twelfth digit makes each row a group.
    const distinct = repeated.map((row, index) => term(row.numerator, row.denominator + index * 1e-12))
    const together = bootstrapRatio(repeated, { random: seededRandom(1) })
    const apart = bootstrapRatio(distinct, { random: seededRandom(2) })
    const width = (apart.interval?.high ?? 0) - (apart.interval?.low ?? 0)
    expect(Math.abs((together.interval?.low ?? 0) - (apart.interval?.low ?? 0))).toBeLessThan(width * 0.05)
    expect(Math.abs((together.interval?.high ?? 0) - (apart.interval?.high ?? 0))).toBeLessThan(width * 0.05)
  })

  test('gives the same interval for the same seed and another for another', () => {
    const once = bootstrapRatio(four, { random: seededRandom(1) })
    expect(bootstrapRatio(four, { random: seededRandom(1) }).interval).toEqual(once.interval)
    const many = Array.from({ length: 60 }, (_, index) => term(index % 7, 10 + (index % 11)))
    const first = bootstrapRatio(many, { random: seededRandom(1) })
    expect(bootstrapRatio(many, { random: seededRandom(2) }).interval).not.toEqual(first.interval)
  })

  test('agrees with the delta method where the sample is large', () => {
    const random = seededRandom(5)
    const terms = Array.from({ length: 5000 }, () => term(random.below(4), 12 + random.below(17)))
    const ratio = ratioOfSums(terms) as number
    const words = terms.reduce((sum, { denominator }) => sum + denominator, 0)
    const squares = terms.reduce((sum, row) => sum + (row.numerator - ratio * row.denominator) ** 2, 0)
    const half = (1.96 * Math.sqrt((squares * 5000) / 4999)) / words
    const { interval } = bootstrapRatio(terms, { random: seededRandom(6) })
    expect(((interval?.high ?? 0) - (interval?.low ?? 0)) / 2 / half).toBeCloseTo(1, 1)
  })

  test('has no interval for one unit, no estimate without words, and a point where nothing varies', () => {
    const random = seededRandom(1)
    expect(bootstrapRatio([term(1, 10)], { random })).toMatchObject({ estimate: 0.1, interval: null })
    expect(bootstrapRatio([term(3, 0), term(1, 0)], { random })).toMatchObject({
      estimate: null,
      interval: null,
    })
    expect(bootstrapRatio([], { random })).toMatchObject({ estimate: null, interval: null })
    expect(bootstrapRatio([term(0, 10), term(0, 8)], { random }).interval).toEqual({ low: 0, high: 0 })
  })

  test('counts the errors of an empty reference in the sum', () => {
    expect(ratioOfSums([term(2, 0), term(1, 10)])).toBeCloseTo(0.3, 12)
  })
})

describe('the paired bootstrap of a difference', () => {
  const random = seededRandom(9)
  const pairs = Array.from({ length: 300 }, () => {
    const hardness = random.below(6)
    return { base: term(hardness, 10), run: term(hardness + (random.below(10) === 0 ? 1 : 0), 10) }
  })

  test('cancels what makes an utterance hard for both sides', () => {
    const found = pairedBootstrap(pairs, { random: seededRandom(1) })
    const alone = bootstrapRatio(
      pairs.map(({ run }) => run),
      { random: seededRandom(1) },
    )
    const width = (interval: { low: number; high: number } | null) =>
      (interval?.high ?? 0) - (interval?.low ?? 0)
    expect(found.interval?.low).toBeGreaterThan(0)
    expect(width(found.interval)).toBeLessThan(width(alone.interval) / 3)
  })

  test('of a side with itself is nought, without doubt and without evidence', () => {
    const same = pairs.map(({ base }) => ({ base, run: base }))
    expect(pairedBootstrap(same, { random: seededRandom(1) })).toMatchObject({
      estimate: 0,
      interval: { low: 0, high: 0 },
    })
  })

  test('changes its sign when the sides change places', () => {
    const swapped = pairs.map(({ base, run }) => ({ base: run, run: base }))
    const there = pairedBootstrap(pairs, { random: seededRandom(1) })
    const back = pairedBootstrap(swapped, { random: seededRandom(1) })
    expect(back.estimate).toBeCloseTo(-(there.estimate ?? 0), 12)
    expect(back.interval?.low).toBeCloseTo(-(there.interval?.high ?? 0), 3)
  })

  test('adds up both sides by cluster, in order of appearance', () => {
    expect(sumByCluster(pairs.slice(0, 3), ['b', 'a', 'b'])).toEqual([
      {
        base: term((pairs[0]?.base.numerator ?? 0) + (pairs[2]?.base.numerator ?? 0), 20),
        run: term((pairs[0]?.run.numerator ?? 0) + (pairs[2]?.run.numerator ?? 0), 20),
      },
      pairs[1],
    ])
    expect(() => sumByCluster(pairs, ['a'])).toThrow(RangeError)
  })
})

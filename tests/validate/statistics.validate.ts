import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { findCrossover } from '#analysis/figures/latency/latency-crossover'
import { fitLatencyModel } from '#analysis/figures/latency/latency-figures'
import { type Claim, decide } from '#analysis/figures/ranking/claims'
import { runDifference } from '#analysis/figures/speed/run-difference'
import type { LatencySample } from '#analysis/requests/request-times'
import { type Random, seededRandom } from '#prelude'
import { abbaOrder } from '#run/plan/order'
import { bootstrapRatio, type PairedRatioTerm, pairedBootstrap, sumByCluster } from '#statistics/bootstrap'
import { estimateMean } from '#statistics/distributions'
import { batchMeans, clopperPearsonInterval, wilsonInterval } from '#statistics/intervals'
import { quantileInterval, sortSamples } from '#statistics/quantiles'
import { findChangePoints } from '#statistics/series/change-points'
import { trendSlope } from '#statistics/series/trend'
import { hodgesLehmannShift } from '#statistics/tests/mann-whitney'
import { confidenceSequence, requiredPairs } from '#statistics/tests/required-runs'
import {
  type ConstructedHistory,
  constructHistory,
  countFound,
  noises,
} from '../statistics/constructed-histories.ts'
import { normalDraws } from '../statistics/normal-draws.ts'

/** One figure of the table in docs/metrics.md. */
interface FoundRow {
  readonly what: string
  readonly asked: string
  readonly found: string
}

const rows: FoundRow[] = []
const tell = (what: string, asked: string, found: string): void => {
  rows.push({ what, asked, found })
}
const percent = (share: number, decimals = 1): string => `${(share * 100).toFixed(decimals)} %`

/** Rows of the whole table. A part of it says nothing of the rest, and does not become the page's. */
const rowsOfAll = 68

afterAll(() => {
  if (rows.length === rowsOfAll) {
    writeFileSync(join(import.meta.dirname, 'statistics-found.json'), `${JSON.stringify(rows, null, 2)}\n`)
    return
  }
  const lines = rows.map(({ what, asked, found }) => `${what}: ${found} (${asked})\n`)
  process.stdout.write(
    `${lines.join('')}${rows.length} of ${rowsOfAll} rows: statistics-found.json stays as it is\n`,
  )
})

/** One figure of two contenders in so many pairs of runs, the second by an effect larger, as a claim with a margin. */
function claimOf(normal: () => number, pairs: number, spread: number, effect: number, margin: number): Claim {
  const side = (shift: number): number[] => Array.from({ length: pairs }, () => shift + spread * normal())
  const difference = runDifference(side(0), side(effect), null)
  return {
    better: 'lower',
    margin,
    canDecideAt: () => true,
    intervalAt: (confidence) => {
      const interval = difference.intervalAt(confidence)
      return interval === null ? null : { low: Math.expm1(interval.low), high: Math.expm1(interval.high) }
    },
  }
}

describe('verdicts on equal contenders, 400 experiments of 8 pairs of runs', () => {
  for (const spread of [0, 0.01, 0.03]) {
    for (const comparisons of [1, 48]) {
      for (const margin of [0.05, 0]) {
        test(`sd ${spread}, ${comparisons} comparisons, margin ${margin}`, () => {
          const normal = normalDraws(seededRandom(1000 + comparisons))
          let alarms = 0
          for (let experiment = 0; experiment < 400; experiment += 1) {
            const claims = Array.from({ length: comparisons }, () => claimOf(normal, 8, spread, 0, margin))
            if (decide(claims).some((verdict) => verdict === 'better' || verdict === 'worse')) alarms += 1
          }
          const what = `false verdicts of 400, ${comparisons} comparison${comparisons === 1 ? '' : 's (12 × 4)'}, run sd ${percent(spread, 0)}, margin ${percent(margin, 0)}`
          tell(what, 'at most 31', String(alarms))
          expect(alarms).toBeLessThanOrEqual(31)
        })
      }
    }
  }
})

describe('a loss of 10 % against the margin of 5 %, with the advised number of runs', () => {
  for (const spread of [0.01, 0.03]) {
    for (const comparisons of [1, 48]) {
      test(`sd ${spread}, ${comparisons} comparisons`, () => {
        const normal = normalDraws(seededRandom(77))
        const advised = requiredPairs(spread * Math.SQRT2, Math.log(1.1 / 1.05), {
          power: 0.9,
          confidence: 1 - 0.05 / comparisons,
        })
        if (advised === null) throw new Error('no number of runs')
        const pairs = Math.max(5, advised)
        let found = 0
        for (let experiment = 0; experiment < 2000; experiment += 1) {
          // The others are equal: the one that is not has to be found among them.
          const claims = Array.from({ length: comparisons }, (_, index) =>
            claimOf(normal, pairs, spread, index === 0 ? Math.log(1.1) : 0, 0.05),
          )
          if (decide(claims)[0] === 'worse') found += 1
        }
        const what = `+10 % found, run sd ${percent(spread, 0)}, ${comparisons} comparison${comparisons === 1 ? '' : 's'}, ${pairs} pairs`
        tell(what, 'at least 90 %', percent(found / 2000))
        expect(found).toBeGreaterThanOrEqual(1800)
      })
    }
  }
})

type Bounds = { readonly low: number; readonly high: number } | null

/** Replicates of every coverage. */
const many = 5000

/** Share of the intervals that hold the truth; every replicate has to have one. */
function shareHolding(intervals: readonly Bounds[], truth: number): number {
  expect(intervals.length).toBe(many)
  expect(intervals).not.toContain(null)
  return intervals.filter((one) => one !== null && one.low <= truth && truth <= one.high).length / many
}

function tellCoverage(name: string, asked: string, coverage: number): void {
  tell(`coverage of ${name}`, asked, percent(coverage))
}

/** The seed of a case is the sum of the characters of its name: fixed as soon as the case has one. */
function randomOf(name: string): Random {
  return seededRandom([...name].reduce((sum, character) => sum + (character.codePointAt(0) ?? 0), 0))
}

interface Draws {
  readonly random: Random
  readonly normals: (count: number, mean?: number, sd?: number) => number[]
}

function drawsOf(name: string): Draws {
  const random = randomOf(name)
  const normal = normalDraws(random)
  return {
    random,
    normals: (count, mean = 0, sd = 1) => Array.from({ length: count }, () => mean + sd * normal()),
  }
}

describe(`coverage, ${many} replicates`, () => {
  /** Errors of an utterance of 5 to 25 words at a rate of one in ten, times what its speaker does. */
  const utterance = (random: Random, factor = 1): { numerator: number; denominator: number } => {
    const denominator = 5 + random.below(21)
    let numerator = 0
    for (let word = 0; word < denominator; word += 1) if (random.unit() < 0.1 * factor) numerator += 1
    return { numerator, denominator }
  }
  /** The same with two words of a hundred wrong in addition on the other side. */
  const bothSides = (random: Random, factor = 1): PairedRatioTerm => {
    const base = utterance(random, factor)
    let added = 0
    for (let word = 0; word < base.denominator; word += 1) if (random.unit() < 0.02) added += 1
    return { base, run: { ...base, numerator: base.numerator + added } }
  }
  const speakers = <Term>(count: number, random: Random, term: (factor: number) => Term): Term[] =>
    Array.from({ length: count }, () => 0.5 + random.unit()).flatMap((factor) =>
      Array.from({ length: 10 }, () => term(factor)),
    )
  const speakerIds = (count: number): string[] =>
    Array.from({ length: 10 * count }, (_, index) => String(Math.floor(index / 10)))

  const cases: readonly { name: string; truth: number; draw: (draws: Draws) => Bounds }[] = [
    {
      name: 't-interval of 8 pairs of runs',
      truth: 0,
      draw: ({ normals }) => runDifference(normals(8), normals(8), null).intervalAt(0.95),
    },
    {
      name: 'Welch’s interval of 6 against 9 runs, spread 1 against 2',
      truth: 0,
      draw: ({ normals }) => runDifference(normals(6), normals(9, 0, 2), null).intervalAt(0.95),
    },
    {
      name: 'one run a side, with the spread of a calibration of 10 pairs',
      truth: 0,
      draw: ({ normals }) => {
        const stored = estimateMean(normals(10))
        const spread = stored === null ? null : { standardDeviation: stored.standardDeviation, pairCount: 10 }
        return runDifference([0], normals(1), spread).intervalAt(0.95)
      },
    },
    {
      name: 't-interval of a mean of 12',
      truth: 0,
      draw: ({ normals }) => estimateMean(normals(12))?.intervalAt(0.95) ?? null,
    },
    {
      name: 'Hodges-Lehmann shift, 12 against 15',
      truth: 0.5,
      draw: ({ normals }) => hodgesLehmannShift(normals(12), normals(15, 0.5))?.interval ?? null,
    },
    {
      name: 'Hodges-Lehmann shift, 25 against 30',
      truth: 0.5,
      draw: ({ normals }) => hodgesLehmannShift(normals(25), normals(30, 0.5))?.interval ?? null,
    },
    {
      name: 'Theil-Sen slope, 30 points',
      truth: 2,
      draw: ({ normals }) =>
        trendSlope(normals(30).map((noise, x) => ({ x, y: 2 * x + noise })))?.interval ?? null,
    },
    {
      name: 'batch means of 2,000 values, carry-over 0.5',
      truth: 0,
      draw: ({ normals }) => {
        // A run whose batches stay alike has no interval, and is longer until it has one.
        for (;;) {
          let value = 0
          const found = batchMeans(normals(2000).map((noise) => (value = 0.5 * value + noise)))
          if (found.resolved) return found.interval
        }
      },
    },
    {
      name: 'BCa bootstrap of an error rate, 80 utterances',
      truth: 0.1,
      draw: ({ random }) =>
        bootstrapRatio(
          Array.from({ length: 80 }, () => utterance(random)),
          { random, replicates: 1000 },
        ).interval,
    },
    {
      name: 'cluster bootstrap of an error rate, 40 speakers of 10 utterances',
      truth: 0.1,
      draw: ({ random }) =>
        bootstrapRatio(
          sumByCluster(
            speakers(40, random, (factor) => utterance(random, factor)),
            speakerIds(40),
          ),
          { random, replicates: 1000 },
        ).interval,
    },
    {
      name: 'paired bootstrap of a difference, 80 utterances',
      truth: 0.02,
      draw: ({ random }) =>
        pairedBootstrap(
          Array.from({ length: 80 }, () => bothSides(random)),
          { random, replicates: 1000 },
        ).interval,
    },
    {
      name: 'paired cluster bootstrap of a difference, 40 speakers of 10 utterances',
      truth: 0.02,
      draw: ({ random }) =>
        pairedBootstrap(
          sumByCluster(
            speakers(40, random, (factor) => bothSides(random, factor)),
            speakerIds(40),
          ),
          { random, replicates: 1000 },
        ).interval,
    },
  ]
  test.each(cases)('$name', ({ name, truth, draw }) => {
    const draws = drawsOf(name)
    const coverage = shareHolding(
      Array.from({ length: many }, () => draw(draws)),
      truth,
    )
    tellCoverage(name, '93 to 97 %', coverage)
    expect(coverage).toBeGreaterThanOrEqual(0.93)
    expect(coverage).toBeLessThanOrEqual(0.97)
  })
})

/**
 * Intervals over whole numbers cannot hold exactly 95 %: what they do hold is known exactly, and is what they are held
 * against, within what 5,000 replicates leave open (a probability of 1 in 15,000).
 */
describe(`exact coverage of intervals over whole numbers, ${many} replicates`, () => {
  const isWithinChance = (coverage: number, exact: number): boolean =>
    Math.abs(coverage - exact) <= 4 * Math.sqrt((exact * (1 - exact)) / many)

  test.each([
    { quantile: 0.5, count: 101, truth: 1 },
    { quantile: 0.95, count: 300, truth: Math.exp(1.6448536269514722) },
    { quantile: 0.95, count: 1000, truth: Math.exp(1.6448536269514722) },
    { quantile: 0.99, count: 1000, truth: Math.exp(2.3263478740408408) },
  ])('order statistics, p$quantile of $count', ({ quantile, count, truth }) => {
    const name = `order statistics, p${quantile * 100} of ${count.toLocaleString('en')}`
    const { normals } = drawsOf(name)
    const intervals = Array.from({ length: many }, () => {
      const found = quantileInterval(sortSamples(normals(count).map(Math.exp)), quantile)
      return found.resolved ? found : null
    })
    const coverage = shareHolding(intervals, truth)
    const exact = intervals[0]?.coverage ?? Number.NaN
    tellCoverage(name, `exactly ${percent(exact, 2)} (ranks are whole; at least 95 %)`, coverage)
    expect(exact).toBeGreaterThanOrEqual(0.95)
    expect(isWithinChance(coverage, exact)).toBe(true)
  })

  const shares: readonly {
    name: string
    intervalOf: (hits: number, count: number) => Bounds
    least: number
  }[] = [
    { name: 'Wilson', intervalOf: wilsonInterval, least: 0.93 },
    { name: 'Clopper-Pearson', intervalOf: clopperPearsonInterval, least: 0.95 },
  ]
  for (const { name, intervalOf, least } of shares) {
    for (const [count, share] of [
      [200, 0.3],
      [60, 0.05],
    ] as const) {
      test(`${name}, ${count} at ${share}`, () => {
        const title = `${name}, ${count} at ${percent(share, 0)}`
        const { random } = drawsOf(title)
        const hits = (): number => {
          let sum = 0
          for (let each = 0; each < count; each += 1) if (random.unit() < share) sum += 1
          return sum
        }
        const coverage = shareHolding(
          Array.from({ length: many }, () => intervalOf(hits(), count)),
          share,
        )
        let exact = 0
        let probability = (1 - share) ** count
        for (let k = 0; k <= count; k += 1) {
          const interval = intervalOf(k, count)
          if (interval !== null && interval.low <= share && share <= interval.high) exact += probability
          probability *= (((count - k) / (k + 1)) * share) / (1 - share)
        }
        const kind = name === 'Wilson' ? 'near 95 %' : 'conservative: at least 95 %'
        tellCoverage(title, `exactly ${percent(exact, 2)} (${kind})`, coverage)
        expect(exact).toBeGreaterThanOrEqual(least)
        expect(isWithinChance(coverage, exact)).toBe(true)
      })
    }
  }
})

describe(`coverage of latency as a function of length, ${many} replicates`, () => {
  /** Recordings of 1 to 120 s, evenly on a logarithmic scale, with relative noise of 8 %. */
  const samplesOf = (
    draws: Draws,
    count: number,
    costMs: (seconds: number) => number,
    outlierShare = 0,
  ): LatencySample[] =>
    draws.normals(count, 0, 0.08).map((noise, index) => {
      const audioSeconds = Math.exp((Math.log(120) * index) / (count - 1))
      const delay = outlierShare > 0 && draws.random.unit() < outlierShare ? 3 : 1
      return {
        utteranceId: `u${String(index).padStart(3, '0')}`,
        audioSeconds,
        latencyMs: costMs(audioSeconds) * Math.exp(noise) * delay,
      }
    })
  const windows = (seconds: number): number => Math.max(0, Math.ceil(seconds / 30) - 1)

  const cases: readonly { name: string; count: number; outlierShare: number; perWindowMs: number }[] = [
    { name: '60 utterances', count: 60, outlierShare: 0, perWindowMs: 0 },
    { name: '60 utterances, 3 % thrice as slow', count: 60, outlierShare: 0.03, perWindowMs: 0 },
    { name: '60 utterances, steps of 1 s', count: 60, outlierShare: 0, perWindowMs: 1000 },
    { name: '25 utterances', count: 25, outlierShare: 0, perWindowMs: 0 },
  ]
  test.each(cases)('$name', ({ name, count, outlierShare, perWindowMs }) => {
    const draws = drawsOf(name)
    const cost = (seconds: number): number => 250 + 80 * seconds + perWindowMs * windows(seconds)
    const models = Array.from({ length: many }, () => {
      const model = fitLatencyModel(samplesOf(draws, count, cost, outlierShare))
      if (model.value === null) throw new Error(model.reason)
      return model
    })
    const parts: readonly [string, number, (model: (typeof models)[number]) => Bounds][] = [
      ['the fixed cost', 250, ({ fixedMs }) => fixedMs.interval],
      ['the cost of a second', 80, ({ perSecondMs }) => perSecondMs.interval],
      ...[2, 5, 30].map((seconds): (typeof parts)[number] => [
        `the predicted p50 at ${seconds} s`,
        cost(seconds),
        ({ predictions }) =>
          predictions.find(({ audioSeconds }) => audioSeconds === seconds)?.p50Interval ?? null,
      ]),
    ]
    for (const [part, truth, intervalOf] of parts) {
      const coverage = shareHolding(models.map(intervalOf), truth)
      tellCoverage(`${part}, ${name}`, '93 to 97 %', coverage)
      expect.soft(coverage).toBeGreaterThanOrEqual(0.93)
      expect.soft(coverage).toBeLessThanOrEqual(0.97)
    }
  })

  test('crossover of two contenders', () => {
    const name = 'the length at which two contenders cross, 60 utterances'
    const draws = drawsOf(name)
    const crossings = Array.from({ length: many }, () =>
      findCrossover(
        samplesOf(draws, 60, (d) => 250 + 80 * d),
        samplesOf(draws, 60, (d) => 650 + 40 * d),
      ),
    )
    const coverage = shareHolding(
      crossings.map((crossing) => (crossing.kind === 'at' ? crossing.interval : null)),
      10,
    )
    tellCoverage(name, '93 to 97 %', coverage)
    expect(coverage).toBeGreaterThanOrEqual(0.93)
    expect(coverage).toBeLessThanOrEqual(0.97)
  })

  test('an engine without steps is hardly ever given some', () => {
    const draws = drawsOf('steps')
    const stepped = Array.from({ length: many }, () =>
      fitLatencyModel(samplesOf(draws, 60, (d) => 250 + 80 * d)),
    ).filter((model) => model.value !== null && model.perWindowMs !== null)
    tell('straight lines that are given steps of 30 s', 'at most 3 %', percent(stepped.length / many))
    expect(stepped.length / many).toBeLessThanOrEqual(0.03)
  })
})

test('an interval that is looked at after each of 60 pairs', () => {
  const { normals } = drawsOf('confidence sequence')
  const looks = { single: 0, any: 0 }
  for (let trial = 0; trial < many; trial += 1) {
    const values = normals(60)
    const isLeftAt = (count: number): boolean => {
      const found = confidenceSequence(values.slice(0, count), { expectedCount: 10 })
      return found !== null && (found.low > 0 || found.high < 0)
    }
    if (isLeftAt(10)) looks.single += 1
    if (Array.from({ length: 56 }, (_, index) => index + 5).some(isLeftAt)) looks.any += 1
  }
  tellCoverage(
    'the confidence sequence at all looks at 5 to 60 pairs together',
    'at least 95 % (conservative: it would hold for ever)',
    1 - looks.any / many,
  )
  tellCoverage('the confidence sequence at 10 pairs alone', 'at least 95 %', 1 - looks.single / many)
  expect(looks.any / many).toBeLessThanOrEqual(0.05)
})

describe('a machine that gets 10 % slower over the session', () => {
  const pairs = 8
  const differenceIn = (order: readonly string[], random: Random): ReturnType<typeof runDifference> => {
    const normal = normalDraws(random)
    const at = (side: string): number[] =>
      order.flatMap((name, place) =>
        name === side ? [Math.log(1 + (0.1 * place) / (order.length - 1)) + 0.003 * normal()] : [],
      )
    return runDifference(at('A'), at('B'), null)
  }

  test('gives no verdict in ABBA order, and half the drift in the order A … A B … B', () => {
    let verdicts = 0
    const [abba, aabb]: [number[], number[]] = [[], []]
    for (let trial = 0; trial < 400; trial += 1) {
      const random = seededRandom(trial)
      const next = abbaOrder(['A', 'B'], random)
      const mixed = differenceIn(Array.from({ length: pairs }, () => next()).flat(), random)
      const blocked = differenceIn(
        ['A', 'B'].flatMap((name) => new Array<string>(pairs).fill(name)),
        random,
      )
      abba.push(mixed.estimate)
      aabb.push(blocked.estimate)
      const intervalAt: Claim['intervalAt'] = (confidence) => mixed.intervalAt(confidence)
      const [verdict] = decide([{ better: 'lower', margin: 0.02, canDecideAt: () => true, intervalAt }])
      if (verdict === 'worse' || verdict === 'better') verdicts += 1
    }
    const meanOf = (values: readonly number[]): number =>
      values.reduce((sum, value) => sum + value, 0) / values.length
    tell('verdicts of 400 under a drift of 10 %, ABBA order, margin 2 %', 'none', String(verdicts))
    tell('bias under a drift of 10 %, ABBA order', 'none', percent(meanOf(abba), 2))
    tell('bias under a drift of 10 %, A … A B … B', 'about 5 %', percent(meanOf(aabb), 2))
    expect(verdicts).toBe(0)
    expect(Math.abs(meanOf(abba))).toBeLessThan(0.002)
    expect(Math.abs(meanOf(aabb) - 0.05)).toBeLessThan(0.01)
  })
})

describe('changes in 600 constructed histories under six kinds of noise', () => {
  const kinds = Object.values(noises)
  const find = ({ values, weights }: ConstructedHistory): readonly number[] =>
    findChangePoints(values, { random: seededRandom(1), weights }).map(({ index }) => index)

  test.each([4, 6])('levels of 5 to 16 runs, steps of %s to half as much again', (smallestStep) => {
    const histories = Array.from({ length: 600 }, (_, seed) =>
      constructHistory({
        seed,
        noise: kinds[seed % kinds.length] as (typeof kinds)[number],
        changeCount: Math.floor(seed / kinds.length) % 4,
        smallestStep,
      }),
    )
    const { found, withFalse } = countFound(histories, find)
    const what = `histories with 0 to 3 changes by ${smallestStep} to ${1.5 * smallestStep} standard deviations`
    tell(`${what}: every change found within one run`, 'at least 90 %', percent(found / 600))
    tell(`${what}: one reported that is none, or farther off`, 'at most 5 %', percent(withFalse / 600))
    expect(found).toBeGreaterThanOrEqual(540)
    expect(withFalse).toBeLessThanOrEqual(30)
  })

  test('series of 6 to 125 runs without a change', () => {
    const histories = Array.from({ length: 600 }, (_, seed) => {
      const noise = kinds[seed % kinds.length] as (typeof kinds)[number]
      const draws = Array.from({ length: 6 + (seed % 120) }, noise(seededRandom(seed)))
      const [values, weights] = [draws.map(({ error }) => error), draws.map(({ weight }) => weight)]
      return { values, weights, changes: [] }
    })
    const { withFalse } = countFound(histories, find)
    tell('histories without a change: one reported', 'at most 1 %', percent(withFalse / 600))
    expect(withFalse).toBeLessThanOrEqual(6)
  })
})

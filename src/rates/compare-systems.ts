import { type RatioTerm, sumByCluster } from '#statistics/bootstrap'
import { normalCumulative } from '#statistics/distributions'
import { matchedSegmentsTest, signTest, wilcoxonTest } from '#statistics/tests/paired-tests'
import { rank } from '#statistics/tests/ranks'
import { holmAdjusted } from '#statistics/tests/required-runs'
import type { ScStatsTests, SystemComparison, SystemTests } from './documents.ts'
import { resampledInterval } from './error-rate.ts'
import { matchedSegments, type System } from './system-columns.ts'

const replicates = 10_000

/**
 * Compares every pair of systems over the utterances that all of them have.
 *
 * @param systems at least two, with the same utterances in the same order
 * @param seed seed of the intervals
 */
export function compareSystems(systems: readonly System[], seed: number): readonly SystemComparison[] {
  const compared = systems.flatMap((base, index) =>
    systems.slice(index + 1).map((run) => comparePair(base, run, seed)),
  )
  const tested = compared.flatMap(({ tests }) => tests.matchedPairs ?? [])
  const adjusted = holmAdjusted(tested.map(({ pValue }) => pValue))
  return compared.map((comparison) => {
    const { matchedPairs } = comparison.tests
    if (matchedPairs === null) return comparison
    const adjustedPValue = adjusted[tested.indexOf(matchedPairs)] ?? 1
    return {
      ...comparison,
      tests: { ...comparison.tests, matchedPairs: { ...matchedPairs, adjustedPValue } },
    }
  })
}

function comparePair(base: System, run: System, seed: number): SystemComparison {
  // The base's words are the reference of both systems, because readings of one reference differ little in length.
  const terms = base.errors.map(
    (errors, index): RatioTerm => ({
      numerator: (run.errors[index] as number) - errors,
      denominator: base.lengths[index] as number,
    }),
  )
  const ones = new Uint8Array(terms.length).fill(1)
  const speakers = base.speakers.filter((speaker) => speaker !== null)
  const bySpeaker = speakers.length < terms.length ? null : sumByCluster(terms, speakers)
  const rate = ({ errors, lengths }: System): number => total(errors) / total(lengths)
  // A reference with an empty alternative, { uh / @ }, may have words in the reading of only one system.
  const haveWords = total(base.lengths) > 0 && total(run.lengths) > 0
  return {
    base: base.name,
    run: run.name,
    difference: haveWords ? rate(run) - rate(base) : null,
    interval: haveWords ? resampledInterval(terms, ones, bySpeaker, { seed, replicates }) : null,
    tests: testSystems(base, run),
  }
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0)
}

function testSystems(base: System, run: System): SystemTests {
  const segments = matchedSegmentsTest(segmentDifferences(base, run))
  const rates = speakerRates(base, run)
  const differences =
    rates === null
      ? run.errors.map((errors, index) => errors - (base.errors[index] as number))
      : rates.map(([baseRate, runRate]) => runRate - baseRate)
  const runBetter = differences.filter((difference) => difference < 0).length
  const baseBetter = differences.filter((difference) => difference > 0).length
  const wilcoxon = wilcoxonTest(differences)
  const mcnemar = discordant(base, run)
  return {
    matchedPairs:
      segments === null
        ? null
        : {
            segmentCount: segments.count,
            mean: segments.mean,
            standardDeviation: segments.standardDeviation,
            z: segments.z,
            pValue: segments.pValue,
            adjustedPValue: segments.pValue,
          },
    unit: rates === null ? 'utterances' : 'speakers',
    wilcoxon: wilcoxon === null ? null : { count: wilcoxon.count, pValue: wilcoxon.pValue },
    sign: { runBetter, baseBetter, pValue: signTest(runBetter, baseBetter) },
    mcnemar: { ...mcnemar, pValue: signTest(mcnemar.runOnly, mcnemar.baseOnly) },
    scStats: rates === null ? null : scStatsTests({ rates, mcnemar, segments: segments?.z ?? null }),
  }
}

/**
 * Returns errors of the run minus errors of the base, per segment. An utterance whose reference the systems read
 * differently, as alternatives allow, is one segment, because its words cannot be matched.
 */
function segmentDifferences(base: System, run: System): readonly number[] {
  return base.operations.flatMap((operations, index) => {
    const others = run.operations[index] as string
    if (base.readings[index] !== run.readings[index]) {
      const [ours, theirs] = [base.errors[index] as number, run.errors[index] as number]
      return ours + theirs === 0 ? [] : [theirs - ours]
    }
    return matchedSegments(operations, others).map(
      ({ firstErrors, secondErrors }) => secondErrors - firstErrors,
    )
  })
}

/** Returns word error rates of both systems per speaker; null if fewer than two known speakers said something. */
function speakerRates(base: System, run: System): readonly (readonly [number, number])[] | null {
  const sums = new Map<string, { base: number; run: number; baseWords: number; runWords: number }>()
  for (const [index, speaker] of base.speakers.entries()) {
    if (speaker === null) return null
    const sum = sums.get(speaker) ?? { base: 0, run: 0, baseWords: 0, runWords: 0 }
    sum.base += base.errors[index] as number
    sum.run += run.errors[index] as number
    sum.baseWords += base.lengths[index] as number
    sum.runWords += run.lengths[index] as number
    sums.set(speaker, sum)
  }
  const spoken = [...sums.values()].filter(({ baseWords, runWords }) => baseWords > 0 && runWords > 0)
  if (spoken.length < 2) return null
  return spoken.map((sum) => [sum.base / sum.baseWords, sum.run / sum.runWords] as const)
}

function discordant(base: System, run: System): { readonly runOnly: number; readonly baseOnly: number } {
  let [runOnly, baseOnly] = [0, 0]
  for (const [index, errors] of base.errors.entries()) {
    const others = run.errors[index] as number
    if (errors === 0 && others > 0) baseOnly += 1
    if (errors > 0 && others === 0) runOnly += 1
  }
  return { runOnly, baseOnly }
}

/** Max difference in percentage points that sc_stats treats as equal. */
const equalPoints = 0.005

/**
 * Computes the four tests as sc_stats does. Its sign and Wilcoxon tests split speakers without a difference between
 * both sides. Its Wilcoxon test uses the normal approximation with midranks, but without a correction of the
 * variance for ties. z is truncated to two decimals for a table. Above 20 units, its sign and McNemar tests use half
 * of the intended count: 17 of 40 gives p < 0.001 there, but is really 0.43.
 *
 * @param rates word error rates of base and run, by speaker in the order in which they appear
 * @param segments the statistic of the matched-pairs test
 * @see SCTK, wilcoxon.c, order.c, signtest.c, sentmcn.c, mtchprs.c and statdist.c
 */
export function scStatsTests(given: {
  readonly rates: readonly (readonly [base: number, run: number])[]
  readonly mcnemar: { readonly runOnly: number; readonly baseOnly: number }
  readonly segments: number | null
}): ScStatsTests {
  const { rates, mcnemar, segments } = given
  const percentages = rates.map(([base, run]) => [base * 100, run * 100] as const)
  const sum = (side: 0 | 1): number => percentages.reduce((before, each) => before + each[side], 0)
  // A difference is the rate of the side with the higher mean minus the rate of the other side.
  const sign = sum(0) > sum(1) ? 1 : -1
  const differences = percentages.map(([base, run]) => sign * (base - run))
  return {
    matchedPairs: segments === null ? null : tabulated(segments),
    wilcoxon: testRanks(differences),
    sign: testSigns(differences),
    mcnemar: testBinomial(mcnemar.runOnly, mcnemar.baseOnly),
  }
}

function isEqual(difference: number): boolean {
  return Math.abs(difference) <= equalPoints
}

function testSigns(differences: readonly number[]): number {
  const equal = differences.filter(isEqual).length
  const positive = differences.filter((difference) => difference > equalPoints).length + Math.floor(equal / 2)
  // The last of an odd number of equal differences counts as negative.
  return testBinomial(positive, differences.length - positive)
}

/** Returns twice the tail probability: exact up to 20 units, above by the normal approximation at half the count. */
function testBinomial(one: number, other: number): number {
  const count = one + other
  if (one === other) return 1
  if (count <= 20) {
    // Whole numbers are exact, because sc_stats prints a p of exactly half a thousandth, as 1/16, with the even digit.
    let [combinations, sum] = [1, 0]
    for (let few = 0; few <= Math.min(one, other); few += 1) {
      sum += combinations
      combinations = (combinations * (count - few)) / (few + 1)
    }
    return (2 * sum) / 2 ** count
  }
  const z = (Math.min(one, other) / 2 - count / 2) / Math.sqrt(count / 4)
  return tabulated(z)
}

function testRanks(differences: readonly number[]): number {
  const count = differences.length
  const { ranks } = rank(differences.map(Math.abs))
  const sums = { positive: 0, negative: 0 }
  const blocks = { positive: 0, negative: 0 }
  let isNextPositive = true
  for (const [index, difference] of differences.entries()) {
    const isPositive = isEqual(difference) ? isNextPositive : difference > 0
    if (isEqual(difference)) isNextPositive = !isNextPositive
    const side = isPositive ? 'positive' : 'negative'
    sums[side] += ranks[index] as number
    blocks[side] += 1
  }
  const fewer = blocks.positive < blocks.negative ? sums.positive : sums.negative
  const expected = (count * (count + 1)) / 4
  const deviation = Math.sqrt((count * (count + 1) * (2 * count + 1)) / 24)
  return tabulated((fewer - expected) / deviation)
}

/** Reads a two-sided p from a table that ends at z = 6. */
function tabulated(z: number): number {
  return 2 * (1 - normalCumulative(Math.min(6, Math.floor(Math.abs(z) * 100) / 100)))
}

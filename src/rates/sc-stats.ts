import { normalCumulative, signTest } from '#statistics'
import type { ScStatsTests } from './documents.ts'

/** Differences up to this are none to sc_stats; it looks at rates in per cent. */
const equalPoints = 0.005

/**
 * The four tests by the rules of sc_stats: speakers without a difference are shared out between the sides, Wilcoxon's
 * test is approximated by the normal distribution without regard to ties, and z is cut after two decimals, since it is
 * looked up in a table. Above 20 units its binomial is wrong (it takes half of what it means to: 17 of 40 one way is
 * p < 0.001 there, and 0.43 in truth); here it is exact for any number.
 *
 * @param rates word error rates of base and run, by speaker
 * @param segments the statistic of the matched-pairs test
 * @see SCTK, signtest.c, sentmcn.c, mtchprs.c and statdist.c
 */
export function scStatsTests({
  rates,
  mcnemar,
  segments,
}: {
  readonly rates: readonly (readonly [base: number, run: number])[]
  readonly mcnemar: { readonly runOnly: number; readonly baseOnly: number }
  readonly segments: number | null
}): ScStatsTests {
  const mean = (side: 0 | 1): number => rates.reduce((sum, rate) => sum + rate[side], 0)
  // Differences are those of the side with the higher mean less the other one.
  const sign = mean(0) > mean(1) ? 1 : -1
  const differences = rates.map(([base, run]) => 100 * sign * (base - run))
  return {
    matchedPairs: segments === null ? null : tabulated(segments),
    wilcoxon: wilcoxonOf(differences),
    sign: signOf(differences),
    mcnemar: signTest(mcnemar.runOnly, mcnemar.baseOnly),
  }
}

function isEqual(difference: number): boolean {
  return Math.abs(difference) <= equalPoints
}

function signOf(differences: readonly number[]): number {
  const equal = differences.filter(isEqual).length
  const positive = differences.filter((difference) => difference > equalPoints).length + Math.floor(equal / 2)
  // Of an odd number the last one goes to the negative side.
  return signTest(positive, differences.length - positive)
}

function wilcoxonOf(differences: readonly number[]): number {
  const count = differences.length
  const order = differences.map((_, index) => index)
  order.sort((a, b) => Math.abs(differences[a] as number) - Math.abs(differences[b] as number))
  const sums = { positive: 0, negative: 0 }
  const blocks = { positive: 0, negative: 0 }
  let isNextPositive = true
  for (const [rank, index] of order.entries()) {
    const difference = differences[index] as number
    const isPositive = isEqual(difference) ? isNextPositive : difference > 0
    if (isEqual(difference)) isNextPositive = !isNextPositive
    const side = isPositive ? 'positive' : 'negative'
    sums[side] += rank + 1
    blocks[side] += 1
  }
  const smaller = blocks.negative < blocks.positive ? sums.negative : sums.positive
  const expected = (count * (count + 1)) / 4
  const deviation = Math.sqrt((count * (count + 1) * (2 * count + 1)) / 24)
  return tabulated((smaller - expected) / deviation)
}

function tabulated(z: number): number {
  return 2 * (1 - normalCumulative(Math.floor(Math.abs(z) * 100) / 100))
}

import { describe, expect, test, vi } from 'vitest'
import { compareSystems, scStatsTests } from '#rates/compare-systems'
import { type System, summariseSteps } from '#rates/system-columns'
import { align } from '#scoring/alignment/align'
import { errorCount, referenceLength } from '#scoring/counts'

/** A system by what it made of some references, each of which is a text. */
function system(
  name: string,
  references: readonly string[],
  hypotheses: readonly string[],
  speakers: readonly (string | null)[] = references.map(() => null),
): System {
  const alignments = references.map((reference, index) =>
    align(reference.split(' '), (hypotheses[index] ?? '').split(' ')),
  )
  const summaries = alignments.map(({ steps }) => summariseSteps(steps))
  return {
    name,
    speakers,
    errors: alignments.map(({ counts }) => errorCount(counts)),
    lengths: alignments.map(({ counts }) => referenceLength(counts)),
    operations: summaries.map(({ operations }) => operations),
    readings: summaries.map(({ reading }) => reading),
  }
}

const references = ['a b c', 'd e f', 'g h i j', 'k l']
const base = system('base', references, ['a b x', 'd e f', 'g x x j', 'k l'])
const run = system('run', references, ['a b c', 'd e x', 'g h i j', 'k l'])

describe('two systems over the same utterances', () => {
  const [comparison] = compareSystems([base, run], 1)

  test('differ by the sums of their errors, and are tested by figures that can be checked by hand', () => {
    // Errors 1, 0, 2, 0 and 0, 1, 0, 0 in 12 words.
    expect(comparison?.difference).toBeCloseTo(1 / 12 - 3 / 12, 12)
    // Segments differ by -1, 1 and -2: mean -2/3, deviation √(7/3), z = -2/3 / (√(7/3) / √3).
    const z = -2 / 3 / (Math.sqrt(7 / 3) / Math.sqrt(3))
    expect(comparison?.tests.matchedPairs).toMatchObject({ segmentCount: 3 })
    expect(comparison?.tests.matchedPairs?.mean).toBeCloseTo(-2 / 3, 12)
    expect(comparison?.tests.matchedPairs?.standardDeviation).toBeCloseTo(Math.sqrt(7 / 3), 12)
    expect(comparison?.tests.matchedPairs?.z).toBeCloseTo(z, 12)
    // Two-sided, of a table of the normal distribution: 2 · (1 - Φ(0.756)).
    expect(comparison?.tests.matchedPairs?.pValue).toBeCloseTo(0.4497, 3)
    // Ranks 1.5, 1.5 and 3: three of eight assignments of signs give at most 1.5 to one side.
    expect(comparison?.tests).toMatchObject({
      unit: 'utterances',
      wilcoxon: { count: 3, pValue: 0.75 },
      sign: { runBetter: 2, baseBetter: 1, pValue: 1 },
      mcnemar: { runOnly: 2, baseOnly: 1, pValue: 1 },
      scStats: null,
    })
  })

  test('are mirrored when they change places', () => {
    const [mirrored] = compareSystems([run, base], 1)
    expect(mirrored?.difference).toBe(-(comparison?.difference ?? 0))
    expect(mirrored?.tests.matchedPairs?.pValue).toBe(comparison?.tests.matchedPairs?.pValue)
    expect(mirrored?.tests.mcnemar).toMatchObject({ runOnly: 1, baseOnly: 2 })
  })

  test('are one segment where they read a reference in different ways', () => {
    const one = ['a b c d e f g h']
    const texts = ['a x c d e x g h', 'a b c d e f g h']
    const [first, second] = [system('p', one, [texts[0] ?? '']), system('q', one, [texts[1] ?? ''])]
    const others = [...references, ...one]
    const join = (left: System, right: System): System => ({
      ...left,
      speakers: others.map(() => null),
      errors: [...left.errors, ...right.errors],
      lengths: [...left.lengths, ...right.lengths],
      operations: [...left.operations, ...right.operations],
      readings: [...left.readings, ...right.readings],
    })
    const segments = (readings: readonly number[]): number | undefined =>
      compareSystems([join(base, first), join(run, { ...second, readings })], 1)[0]?.tests.matchedPairs
        ?.segmentCount
    expect(segments(first.readings)).toBe(5)
    expect(segments([0])).toBe(4)
  })

  test('have no difference and no interval where one of them reads all references as nothing', () => {
    const silent: System = {
      ...base,
      errors: base.errors.map(() => 0),
      lengths: base.lengths.map(() => 0),
      operations: base.operations.map(() => ''),
      readings: base.readings.map(() => 0),
    }
    for (const systems of [
      [base, silent],
      [silent, base],
    ]) {
      expect(compareSystems(systems, 1)[0]).toMatchObject({ difference: null, interval: null })
    }
  })

  test('have one speaker counted as no sample of speakers', () => {
    const spoken = (each: System): System => ({ ...each, speakers: references.map(() => 'ada') })
    expect(compareSystems([spoken(base), spoken(run)], 1)[0]?.tests.unit).toBe('utterances')
  })
})

test('the p of matched pairs is adjusted for the number of comparisons (Holm)', () => {
  const third = system('third', references, ['x x x', 'd e x', 'x x x x', 'k l'])
  const tests = compareSystems([base, run, third], 1).map((comparison) => comparison.tests.matchedPairs)
  const sorted = tests.map((each) => each?.pValue ?? 1).sort((a, b) => a - b)
  const smallest = tests.find((each) => each?.pValue === sorted[0])
  expect(tests).toHaveLength(3)
  expect(smallest?.adjustedPValue).toBeCloseTo(Math.min(1, 3 * (sorted[0] ?? 1)), 12)
})

describe('the tests of sc_stats', () => {
  // Random systems written as sgml, to sc_stats -p -t mapsswe sign wilc mcn -u: SCTK 2.4.12. Errors of both, and words.
  test.each([
    {
      of: 'nine speakers, two without a difference',
      counts: '4/1/10 1/3/16 0/3/20 3/3/16 1/3/20 1/2/16 2/2/20 4/5/16 1/0/10',
      mcnemar: { runOnly: 3, baseOnly: 5 },
      printed: { wilcoxon: 0.441, sign: 0.508, mcnemar: 0.727 },
    },
    {
      of: 'fifteen, of whom many differ by as much',
      counts:
        '11/7/40 10/8/32 5/7/40 3/2/20 10/10/40 8/7/40 10/7/40 3/8/20 9/8/40 7/7/40 6/5/32 5/3/20 7/7/32 5/8/40 6/8/20',
      mcnemar: { runOnly: 6, baseOnly: 7 },
      printed: { wilcoxon: 0.555, sign: 0.302, mcnemar: 1 },
    },
    {
      of: 'more than twenty, where its binomial halves the smaller count',
      counts:
        '4/1/20 1/1/10 0/3/16 2/1/20 1/2/16 0/3/10 0/0/10 1/2/10 1/6/20 3/0/10 0/0/16 1/2/20 0/1/10 2/1/16 1/2/16 0/0/10 ' +
        '0/3/16 4/1/16 0/1/10 2/2/20 1/1/20 3/3/16 1/2/10 1/0/10 2/2/20',
      mcnemar: { runOnly: 9, baseOnly: 17 },
      printed: { wilcoxon: 0.254, sign: 0.003, mcnemar: 0 },
    },
  ])('are what it prints for $of', ({ counts, mcnemar, printed }) => {
    const rates = counts.split(' ').map((each) => {
      const [base = 0, run = 0, words = 0] = each.split('/').map(Number)
      return [base / words, run / words] as const
    })
    const found = scStatsTests({ rates, mcnemar, segments: 0.8410214463203254 })
    expect(found.matchedPairs).toBeCloseTo(0.401, 3)
    for (const test of ['wilcoxon', 'sign', 'mcnemar'] as const)
      expect(Math.abs(found[test] - printed[test]), test).toBeLessThan(printed[test] === 0 ? 0.001 : 0.00051)
  })

  test('rank the speakers without comparing each of them with all others', () => {
    using filter = vi.spyOn(Array.prototype, 'filter')
    const rates = Array.from(
      { length: 500 },
      (_, index) => [index / 1000, ((index * 7) % 500) / 1000] as const,
    )
    const { wilcoxon } = scStatsTests({ rates, mcnemar: { runOnly: 0, baseOnly: 0 }, segments: null })
    expect(wilcoxon).toBeGreaterThan(0)
    expect(filter.mock.calls.length).toBeLessThan(20)
  })

  test('have a p of exactly one sixteenth, which C prints as 0.062', () => {
    const rates = [0, 0, 0, 0, 0].map((base) => [base, 0.1] as const)
    const found = scStatsTests({ rates, mcnemar: { runOnly: 5, baseOnly: 0 }, segments: null })
    expect([found.sign, found.mcnemar]).toEqual([0.0625, 0.0625])
  })
})

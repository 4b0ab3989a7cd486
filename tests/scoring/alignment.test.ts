import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { seededRandom } from '#prelude'
import {
  type AlignmentRule,
  align,
  alignmentRules,
  countErrors,
  editDistance,
} from '#scoring/alignment/align'
import { errorCount, matchErrorRate, wordInformationLost, wordInformationPreserved } from '#scoring/counts'
import { canonicalOracle, countOperations, operationsOf, oracle } from './oracles.ts'
import { readVectors } from './vectors.ts'

function expectEqualToOracle(
  reference: readonly string[],
  hypothesis: readonly string[],
  rule: AlignmentRule,
): void {
  const expected = oracle(reference, hypothesis, rule)
  const alignment = align(reference, hypothesis, rule)
  expect(operationsOf(alignment)).toBe(expected)
  expect(alignment.counts).toEqual(countOperations(expected))
  expect(countErrors(reference, hypothesis, rule)).toEqual(alignment.counts)
  expect(alignment.steps.flatMap((step) => step.reference ?? [])).toEqual(reference)
  expect(alignment.steps.flatMap((step) => step.hypothesis ?? [])).toEqual(hypothesis)
}

const word = fc.constantFrom('a', 'b', 'c', 'd')
const words = fc.array(word, { maxLength: 40 })

describe.each(alignmentRules)('the %s alignment', (rule) => {
  test('is the one of its definition for all pairs of up to four words from three', () => {
    const all: string[][] = [[]]
    for (const list of all) if (list.length < 4) all.push(...['a', 'b', 'c'].map((next) => [...list, next]))
    expect(all).toHaveLength(121)
    let compared = 0
    for (const reference of all) {
      for (const hypothesis of all) {
        const expected = oracle(reference, hypothesis, rule)
        const alignment = align(reference, hypothesis, rule)
        if (operationsOf(alignment) !== expected) expectEqualToOracle(reference, hypothesis, rule)
        const counts = countErrors(reference, hypothesis, rule)
        if (JSON.stringify(counts) !== JSON.stringify(alignment.counts))
          expect(counts).toEqual(alignment.counts)
        compared += 1
      }
    }
    expect(compared).toBe(121 * 121)
  })

  test('is the one of its definition for random pairs', () => {
    fc.assert(
      fc.property(words, words, (reference, hypothesis) => {
        expectEqualToOracle(reference, hypothesis, rule)
      }),
      { numRuns: 300 },
    )
  })

  test('is the one of its definition for long pairs, which are cut into runs', () => {
    const random = seededRandom(17)
    const draw = (length: number, vocabulary: number): string[] =>
      Array.from({ length }, () => `w${random.below(vocabulary)}`)
    const reference = draw(1100, 40)
    const near = reference.flatMap((token) => {
      const dice = random.below(20)
      if (dice === 0) return []
      return dice === 1 ? [token, ...draw(1, 40)] : dice < 4 ? draw(1, 40) : [token]
    })
    const withHole = [...near.slice(0, 200), ...near.slice(700)]
    const withRun = [...near.slice(0, 700), ...draw(600, 40), ...near.slice(700)]
    const unrelated = draw(1000, 40)
    for (const hypothesis of [near, withHole, withRun, unrelated])
      expectEqualToOracle(reference, hypothesis, rule)
    expectEqualToOracle(withHole, withRun, rule)
    // Words that are rare are found in another way than frequent ones.
    const rare = draw(1100, 3000)
    const changed = rare.flatMap((token, index) =>
      index % 9 === 0 ? draw(1, 3000) : index % 31 === 0 ? [] : [token],
    )
    expectEqualToOracle(rare, changed, rule)
  })
})

describe('the canonical counts', () => {
  test('change deletions for insertions when the sides change places', () => {
    fc.assert(
      fc.property(words, words, (reference, hypothesis) => {
        const there = countErrors(reference, hypothesis)
        expect(countErrors(hypothesis, reference)).toEqual({
          ...there,
          deletions: there.insertions,
          insertions: there.deletions,
        })
      }),
    )
  })

  test('have the fewest edits of all rules, and the most hits of those with as few', () => {
    fc.assert(
      fc.property(words, words, (reference, hypothesis) => {
        const canonical = countErrors(reference, hypothesis)
        expect(editDistance(reference, hypothesis)).toBe(errorCount(canonical))
        for (const rule of ['jiwer', 'kaldi'] as const) {
          const other = countErrors(reference, hypothesis, rule)
          expect(errorCount(other)).toBe(errorCount(canonical))
          expect(other.hits).toBeLessThanOrEqual(canonical.hits)
        }
        expect(errorCount(countErrors(reference, hypothesis, 'sclite'))).toBeGreaterThanOrEqual(
          errorCount(canonical),
        )
      }),
    )
  })

  test('are worked out in one word a column up to 32 words, and in several beyond', () => {
    const reference = Array.from({ length: 40 }, (_, index) => `w${index % 7}`)
    for (const length of [1, 2, 31, 32, 33, 40]) {
      const part = reference.slice(0, length)
      const hypothesis = ['x', ...part.filter((_, index) => index % 5 !== 3), 'y']
      expect(countErrors(part, hypothesis)).toEqual(countOperations(canonicalOracle(part, hypothesis)))
    }
  })
})

interface PairRow {
  readonly ref: string
  readonly hyp: string
  readonly jiwer: {
    h: number
    s: number
    d: number
    i: number
    mer: number
    wil: number
    wip: number
    ops: string
  }
  readonly cer: { h: number; s: number; d: number; i: number }
  readonly kaldi: { s: number; d: number; i: number }
  readonly sclite: { c: number; s: number; d: number; i: number }
}

interface TieRow {
  readonly reference: string[]
  readonly hypothesis: string[]
  readonly unit: Record<string, number>
  readonly sclite: Record<string, number>
  readonly distance: number
  readonly mer: number
  readonly wil: number
  readonly wip: number
}

describe('published counts', () => {
  test('of 1,993 pairs are those of jiwer, Kaldi and sclite', () => {
    const rows = readVectors<PairRow>('pairs')
    expect(rows).toHaveLength(1993)
    const split = (text: string): string[] => text.split(' ').filter((token) => token !== '')
    for (const row of rows) {
      const [reference, hypothesis] = [split(row.ref), split(row.hyp)]
      const { h, s, d, i, ops, mer, wil, wip } = row.jiwer
      const jiwer = align(reference, hypothesis, 'jiwer')
      expect(operationsOf(jiwer)).toBe(ops)
      expect(jiwer.counts).toEqual({ hits: h, substitutions: s, deletions: d, insertions: i })
      if (reference.length > 0) {
        expect(matchErrorRate(jiwer.counts)).toBeCloseTo(mer, 12)
        expect(wordInformationLost(jiwer.counts)).toBeCloseTo(wil, 12)
        expect(wordInformationPreserved(jiwer.counts)).toBeCloseTo(wip, 12)
      }
      const characters = countErrors([...row.ref.trim()], [...row.hyp.trim()], 'jiwer')
      expect(Object.values(characters)).toEqual([row.cer.h, row.cer.s, row.cer.d, row.cer.i])
      const kaldi = countErrors(reference, hypothesis, 'kaldi')
      expect(Object.values(kaldi).slice(1)).toEqual([row.kaldi.s, row.kaldi.d, row.kaldi.i])
      const sclite = countErrors(reference, hypothesis, 'sclite')
      expect(Object.values(sclite)).toEqual([row.sclite.c, row.sclite.s, row.sclite.d, row.sclite.i])
    }
  })

  test('of 3,000 pairs with many ties are those of jiwer and sclite', () => {
    const rows = readVectors<TieRow>('alignment-vectors')
    expect(rows).toHaveLength(3000)
    for (const { reference, hypothesis, unit, sclite, distance, mer, wil, wip } of rows) {
      const jiwer = countErrors(reference, hypothesis, 'jiwer')
      expect(jiwer).toEqual(unit)
      expect(countErrors(reference, hypothesis, 'sclite')).toEqual(sclite)
      expect(editDistance(reference, hypothesis)).toBe(distance)
      if (reference.length === 0) continue
      expect(matchErrorRate(jiwer)).toBeCloseTo(mer, 12)
      expect(wordInformationLost(jiwer)).toBeCloseTo(wil, 12)
      expect(wordInformationPreserved(jiwer)).toBeCloseTo(wip, 12)
    }
  })
})

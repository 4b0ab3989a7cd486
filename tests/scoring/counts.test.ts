import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  addCounts,
  errorCount,
  errorRate,
  hypothesisLength,
  matchErrorRate,
  noErrors,
  referenceLength,
  sumCounts,
  wordInformationLost,
  wordInformationPreserved,
} from '#scoring/counts'
import { findProfile } from '#scoring/profiles/index'
import { scorePair } from '#scoring/score-utterance'

const counts = { hits: 7, substitutions: 2, deletions: 1, insertions: 3 }
const anyCounts = fc.record({
  hits: fc.nat(99),
  substitutions: fc.nat(99),
  deletions: fc.nat(99),
  insertions: fc.nat(99),
})

describe('rates', () => {
  test('are ratios of counts', () => {
    expect(referenceLength(counts)).toBe(10)
    expect(hypothesisLength(counts)).toBe(12)
    expect(errorRate(counts)).toBeCloseTo(0.6, 12)
    expect(matchErrorRate(counts)).toBeCloseTo(6 / 13, 12)
    expect(wordInformationPreserved(counts)).toBeCloseTo((7 / 10) * (7 / 12), 12)
    expect(wordInformationLost(counts)).toBeCloseTo(1 - (7 / 10) * (7 / 12), 12)
  })

  test('are absent, not zero, where there is nothing to divide by', () => {
    const inserted = { ...noErrors, insertions: 2 }
    expect(errorRate(inserted)).toBeNull()
    expect(errorRate(noErrors)).toBeNull()
    expect(matchErrorRate(inserted)).toBe(1)
    expect(matchErrorRate(noErrors)).toBeNull()
    expect(wordInformationPreserved(inserted)).toBe(0)
    expect(wordInformationPreserved(noErrors)).toBeNull()
    expect(wordInformationLost(noErrors)).toBeNull()
  })

  test('of a sum count the insertions of an empty reference', () => {
    expect(errorRate(addCounts({ ...noErrors, insertions: 2 }, counts))).toBeCloseTo(0.8, 12)
  })

  test('sum in any order to the same', () => {
    fc.assert(
      fc.property(fc.array(anyCounts), (all) => {
        expect(sumCounts(all.toReversed())).toEqual(sumCounts(all))
        expect(errorCount(sumCounts(all))).toBe(all.reduce((sum, each) => sum + errorCount(each), 0))
      }),
    )
  })
})

describe('a pair', () => {
  const basic = findProfile('basic')

  test('is counted in words and in characters, spaces among them', () => {
    expect(scorePair({ reference: 'The cat sat.', hypothesis: 'the cat sad' }, basic)).toEqual({
      words: { hits: 2, substitutions: 1, deletions: 0, insertions: 0 },
      characters: { hits: 10, substitutions: 1, deletions: 0, insertions: 0 },
      normalised: { reference: 'the cat sat', hypothesis: 'the cat sad' },
    })
  })

  test('can be counted by another alignment and other characters', () => {
    const pair = { reference: 'a b', hypothesis: 'b c' }
    expect(scorePair(pair, basic, { alignment: 'jiwer' }).words.substitutions).toBe(2)
    expect(scorePair(pair, basic, { alignment: 'kaldi' }).words).toEqual({
      hits: 1,
      substitutions: 0,
      deletions: 1,
      insertions: 1,
    })
    expect(referenceLength(scorePair(pair, basic, { characters: 'no-spaces' }).characters)).toBe(2)
    const accented = { reference: 'e\u0301', hypothesis: 'e\u0301' }
    expect(
      referenceLength(scorePair(accented, findProfile('verbatim'), { characters: 'code-points' }).characters),
    ).toBe(2)
    expect(referenceLength(scorePair(accented, findProfile('verbatim')).characters)).toBe(1)
  })
})

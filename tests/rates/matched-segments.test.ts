import { describe, expect, test } from 'vitest'
import { matchedSegments, writeOperations } from '#rates/system-columns'
import { align } from '#scoring/alignment/align'
import { errorCount } from '#scoring/counts'
import { matchedSegmentsTest } from '#statistics/tests/paired-tests'
import { readTrn } from '../statistics/vectors.ts'

const [references, systemA, systemB] = [readTrn('ref'), readTrn('sysA'), readTrn('sysB')]
const aligned = [...references].map(([id, words]) => ({
  speaker: id.slice(0, 3),
  a: align(words, systemA.get(id) ?? []),
  b: align(words, systemB.get(id) ?? []),
}))
const of = (reference: string, hypothesis: string): string =>
  writeOperations(align(reference.split(' '), hypothesis.split(' ')).steps)

describe('segments of two recognisers', () => {
  test('lie two words apart that both have right', () => {
    const reference = 'we moved the staging cluster to Frankfurt last Tuesday'
    const first = of(reference, 'we moved the stage cluster to Frankfurt last')
    const second = of(reference, 'we moved the staging cluster to Frank last Tuesday')
    expect(matchedSegments(first, second)).toEqual([
      { firstErrors: 1, secondErrors: 0 },
      { firstErrors: 1, secondErrors: 1 },
    ])
  })

  test('hold every error of both exactly once', () => {
    for (const { a, b } of aligned) {
      const segments = matchedSegments(writeOperations(a.steps), writeOperations(b.steps))
      expect(segments.reduce((sum, { firstErrors }) => sum + firstErrors, 0)).toBe(errorCount(a.counts))
      expect(segments.reduce((sum, { secondErrors }) => sum + secondErrors, 0)).toBe(errorCount(b.counts))
    }
  })

  test('are refused for references of different lengths', () => {
    expect(() => matchedSegments(of('a b', 'a b'), of('a b c', 'a b c'))).toThrow(RangeError)
  })
})

describe('the matched-pairs test', () => {
  test('gives what the public tool gives on 120 utterances', () => {
    const differences = aligned.flatMap(({ a, b }) =>
      matchedSegments(writeOperations(a.steps), writeOperations(b.steps)).map(
        ({ firstErrors, secondErrors }) => firstErrors - secondErrors,
      ),
    )
    const found = matchedSegmentsTest(differences)
    expect(found?.count).toBe(317)
    expect(found?.mean).toBeCloseTo(-0.1861198738170347, 14)
    expect(found?.standardDeviation).toBeCloseTo(1.227350402656571, 14)
    expect(found?.z).toBeCloseTo(-2.6999381228112473, 12)
    expect(found?.pValue).toBeCloseTo(0.006935237350116363, 12)
  })

  test('has no number where there is nothing to divide by', () => {
    expect(matchedSegmentsTest([1])).toBeNull()
    expect(matchedSegmentsTest([0, 0])).toMatchObject({ z: 0, pValue: 1 })
    expect(matchedSegmentsTest([1, 1])).toMatchObject({ z: null, pValue: 0 })
  })
})

import { describe, expect, test } from 'vitest'
import type { CompareOptions } from '#analysis/comparison/compare-runs'
import type { Comparison } from '#analysis/documents/comparison'
import { compared as comparedSides, measuredRun, type ScriptedRun, spokenUtterances } from './measured-run.ts'

const reference = 'one two three four five'
const utterances = Array.from({ length: 12 }, (_, index) => ({
  id: `u${String(index).padStart(2, '0')}`,
  reference,
  seconds: 1 + index,
  speaker: `s${index % 3}`,
}))

function compared(
  base: Partial<ScriptedRun>,
  run: Partial<ScriptedRun>,
  { runs = 1, ...options }: CompareOptions & { readonly runs?: number } = {},
): Comparison {
  const side = (one: Partial<ScriptedRun>) =>
    Array.from({ length: runs }, (_, index) =>
      measuredRun({
        utterances,
        fate: () => reference,
        ...one,
        // Neither side's runs are all alike.
        durationMs: (request) => (one.durationMs?.(request) ?? 100) * (1 + 0.01 * index),
        record: { id: `run-${index}`, startedAt: `2026-11-21T07:${10 + index}:00.000Z` },
      }),
    )
  return comparedSides(side(base), side(run), options)
}

/** One error more in nine utterances, in one of them one fewer, in two as many. */
const nineOfTen = {
  base: {
    fate: ({ utterance }: { utterance: { id: string } }) =>
      utterance.id === 'u09' ? 'one two three four' : reference,
  },
  run: {
    fate: ({ utterance }: { utterance: { id: string } }) =>
      utterance.id < 'u09' ? 'one two three four' : reference,
  },
}

describe('the usual tests of a difference', () => {
  test('count nine against one as 2 · 11 / 1024, whichever asks, and three speakers as one of four', () => {
    const [contender] = compared(nineOfTen.base, nineOfTen.run).contenders
    const p = 22 / 1024
    expect(contender?.significance).toMatchObject({ speakers: { count: 3, pValue: 0.25 } })
    expect(contender?.significance?.sign).toBeCloseTo(p, 12)
    expect(contender?.significance?.mcnemar).toBeCloseTo(p, 12)
    expect(contender?.significance?.wilcoxon).toBeCloseTo(p, 12)
    // Of twelve segments a mean is not normal yet.
    expect(contender?.significance?.matchedPairs).toBeNull()
  })

  test('hold matched pairs against each other, among as many contenders as there are', () => {
    const many = spokenUtterances(60, reference)
    const wrongAt = (from: number, to: number) => ({
      utterances: many,
      contenders: ['tiny', 'base'],
      fate: ({ utterance }: { utterance: { id: string } }) => {
        const index = Number(utterance.id.slice(1))
        return index >= from && index < to ? 'one two three four' : reference
      },
    })
    // Fifteen times 1, eight times -1, 37 times 0: mean 7/60, and so Z = (7/60) / √(variance / 60).
    const { contenders } = compared(wrongAt(0, 8), wrongAt(8, 23))
    for (const { significance } of contenders) {
      const { z = 0, pValue = 0, adjustedPValue = 1 } = significance?.matchedPairs ?? {}
      expect(z).toBeCloseTo(1.4737880069, 8)
      expect(pValue).toBeCloseTo(0.1405386784, 8)
      expect(adjustedPValue).toBeCloseTo(2 * pValue, 12)
    }
    const one = { contenders: ['tiny'] }
    const alone = compared({ ...wrongAt(0, 8), ...one }, { ...wrongAt(8, 23), ...one }).contenders[0]
    expect(alone?.significance?.matchedPairs?.adjustedPValue).toBeCloseTo(0.1405386784, 8)
  })

  test('are not there where nothing differs', () => {
    expect(compared({}, {}).contenders[0]?.significance).toBeNull()
  })

  test('say of groups that are looked through which are finds and which are chance', () => {
    const groups = compared(nineOfTen.base, nineOfTen.run).contenders[0]?.groups ?? []
    const speakers = groups.filter(({ by }) => by === 'speaker')
    // Of four utterances each: three one way, and three, and three against one.
    expect(speakers.map(({ name }) => name)).toEqual(['s0', 's1', 's2'])
    for (const { qValue } of groups.filter(({ difference }) => difference !== null && difference !== 0)) {
      expect(qValue).toBeGreaterThan(0.05)
      expect(qValue).toBeLessThanOrEqual(1)
    }
    const alike = compared({}, {}).contenders[0]?.groups ?? []
    expect(alike.length).toBeGreaterThan(0)
    expect(alike.every(({ qValue }) => qValue === null)).toBe(true)
  })
})

describe('speeds by their ranks', () => {
  const slower = { durationMs: () => 125 }
  const latencyOf = ({ contenders }: Comparison) =>
    contenders[0]?.speed.find(({ metric }) => metric === 'latency')

  test('show that every run of one side is slower, and by how much', () => {
    const ranks = latencyOf(compared({}, slower, { runs: 6 }))?.ranks
    expect(ranks?.delta).toBe(1)
    // The rarest of the 924 ways to arrange six and six runs, and its mirror.
    expect(ranks?.pValue).toBeCloseTo(2 / 924, 12)
    expect(ranks?.relativeChange).toBeCloseTo(0.25, 2)
    expect(ranks?.interval?.low).toBeGreaterThan(0.2)
    expect(ranks?.interval?.high).toBeLessThan(0.3)
  })

  test('are not reported for one run, nor for runs that were looked at as they came', () => {
    expect(latencyOf(compared({}, slower))?.ranks).toBeNull()
    expect(latencyOf(compared({}, slower, { runs: 6, isSequential: true }))?.ranks).toBeNull()
  })

  test('have no interval with three runs a side, which cannot bound anything at 95 %', () => {
    expect(latencyOf(compared({}, slower, { runs: 3 }))?.ranks).toMatchObject({ delta: 1, interval: null })
  })
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareSides } from '#analysis/comparison/compare-runs'
import { comparisonSchema } from '#analysis/documents/comparison'
import { evaluationSchema } from '#analysis/documents/evaluation'
import { evaluateRun } from '#analysis/evaluate-run'
import { metrics } from '#analysis/metrics/metrics'
import { parseThresholds } from '#analysis/metrics/threshold'
import { checkThresholds } from '#analysis/thresholds/check-thresholds'
import {
  dropped,
  type Fate,
  heardNothing,
  measuredRun,
  type SpokenUtterance,
  timedOut,
  unitWritten,
  unsoundPaths,
} from './measured-run.ts'

const word = fc.constantFrom(
  ...['a', 'b', 'c', '你', 'é', '…', "o'clock", '', '23', '$5', 'May', 'мир', 'Well,', 'I.', '{'],
)
const text = fc.array(word, { maxLength: 5 }).map((words) => words.join(' '))
const fate: fc.Arbitrary<Fate> = fc.oneof(
  { weight: 5, arbitrary: text },
  fc.constantFrom<Fate>(timedOut, dropped, heardNothing, null),
)

/** Any run: any texts, any fates, several rounds and contenders, speakers known or not. */
const anyRun = fc
  .record({
    utteranceCount: fc.integer({ min: 0, max: 12 }),
    contenders: fc.constantFrom(['tiny'], ['tiny', 'base'], ['tiny', 'base', 'large']),
    rounds: fc.integer({ min: 1, max: 3 }),
    concurrency: fc.integer({ min: 1, max: 4 }),
    hasSpeakers: fc.boolean(),
    status: fc.constantFrom('started', 'finished', 'interrupted', 'failed'),
    references: fc.array(text, { minLength: 12, maxLength: 12 }),
    fates: fc.array(fate, { minLength: 36, maxLength: 36 }),
    durations: fc.array(fc.integer({ min: 0, max: 1e6 }), { minLength: 36, maxLength: 36 }),
    seconds: fc.oneof(fc.constant(0), fc.double({ min: 0.001, max: 3600, noNaN: true })),
  })
  .map(({ utteranceCount, hasSpeakers, status, references, fates, durations, seconds, ...rest }) => {
    const utterances = references.slice(0, utteranceCount).map(
      (reference, index): SpokenUtterance => ({
        id: `u${index}`,
        reference,
        seconds,
        ...(hasSpeakers ? { speaker: `s${index % 3}` } : {}),
      }),
    )
    const at = ({
      contenderId,
      utterance,
      round,
    }: {
      contenderId: string
      utterance: SpokenUtterance
      round: number
    }) => (Number(utterance.id.slice(1)) + 12 * (round - 1) + contenderId.length) % 36
    return measuredRun({
      ...rest,
      utterances,
      record: { status },
      fate: (asked) => fates[at(asked)] ?? null,
      durationMs: (asked) => durations[at(asked)] ?? 0,
    })
  })

/** Words to look for, as a file of rules names them. */
const vocabulary = { rules: [{ name: 'test', rules: { vocabulary: ['a b', '23'] } }] }

describe('whatever a run holds', () => {
  const runs = fc.sample(anyRun, 30).map((run) => ({ run, evaluation: evaluateRun(run, vocabulary) }))

  test('its evaluation is a sound document that survives JSON unchanged', () => {
    for (const { evaluation } of runs) {
      expect(unsoundPaths(evaluation)).toEqual([])
      expect(JSON.parse(JSON.stringify(evaluation))).toEqual(evaluation)
      expect(evaluationSchema.parse(evaluation)).toEqual(evaluation)
    }
  })

  test('every planned request has exactly one outcome, and the sums are the sums of the rows', () => {
    for (const { run, evaluation } of runs) {
      expect(evaluation.utterances).toHaveLength(run.requests.length)
      for (const { contender, counts, scoredCount, words, failures } of evaluation.contenders) {
        const rows = evaluation.utterances.filter(({ contenderId }) => contenderId === contender.id)
        const { planned, answered, failed, dropped: droppedCount, notSent } = counts
        expect(answered + failed + droppedCount + notSent).toBe(planned)
        expect(planned).toBe(rows.length)
        expect(scoredCount).toBe(rows.filter((row) => row.words !== null).length)
        expect(failures.reduce((sum, { count }) => sum + count, 0)).toBe(failed)
        const insertions = rows.reduce((sum, row) => sum + (row.words?.insertions ?? 0), 0)
        expect(words.counts.insertions).toBe(insertions)
        expect(words.hypothesisLength - words.counts.insertions + words.counts.deletions).toBe(
          words.referenceLength,
        )
      }
    }
  })

  test('every threshold comes to one of three outcomes', () => {
    const thresholds = parseThresholds(metrics.map(({ id, unit }) => `${id} <= 50${unitWritten[unit]}`))
    for (const { evaluation } of runs) {
      const results = checkThresholds(thresholds, { evaluation })
      expect(unsoundPaths(results)).toEqual([])
      for (const { outcome, reason } of results) {
        expect(['passed', 'failed', 'invalid']).toContain(outcome)
        if (outcome === 'invalid') expect(reason).not.toBeNull()
      }
    }
  })
})

describe('whatever two runs hold', () => {
  test('their comparison is sound, and swapping the sides mirrors it', () => {
    const mirrored = { better: 'worse', worse: 'better', equivalent: 'equivalent', unresolved: 'unresolved' }
    fc.assert(
      fc.property(anyRun, anyRun, (left, right) => {
        const base = left
        // The same corpus on both sides, answered differently.
        const run = { ...right, utterances: left.utterances, requests: left.requests, record: left.record }
        const [forth, back] = [compareSides([base], [run]), compareSides([run], [base])]
        expect(forth.ok).toBe(back.ok)
        if (!forth.ok || !back.ok) return
        expect(unsoundPaths(forth.value)).toEqual([])
        expect(comparisonSchema.parse(forth.value)).toEqual(forth.value)
        for (const [index, pair] of forth.value.contenders.entries()) {
          const other = back.value.contenders[index]
          expect(other).toMatchObject({
            pairedUtteranceCount: pair.pairedUtteranceCount,
            betterCount: pair.worseCount,
            worseCount: pair.betterCount,
            sameCount: pair.sameCount,
            identicalTextCount: pair.identicalTextCount,
          })
          for (const [at, rate] of pair.rates.entries()) {
            const mirror = other?.rates[at]
            expect(mirror?.base).toEqual(rate.run)
            expect(mirror?.difference ?? 0).toBeCloseTo(-(rate.difference ?? 0), 9)
            expect(mirror?.interval?.low ?? 0).toBeCloseTo(-(rate.interval?.high ?? 0), 9)
            expect(mirror?.verdict).toBe(rate.verdict === null ? null : mirrored[rate.verdict])
          }
        }
      }),
      { numRuns: 12 },
    )
  })

  test('a run compared with itself differs by nothing', () => {
    fc.assert(
      fc.property(anyRun, (run) => {
        const comparison = compareSides([run], [run])
        if (!comparison.ok) return
        for (const { rates, changed, unpaired, sameCount, pairedUtteranceCount } of comparison.value
          .contenders) {
          expect(changed).toEqual([])
          expect(sameCount).toBe(pairedUtteranceCount)
          expect(sameCount + unpaired.length).toBe(run.utterances.length)
          for (const { difference, verdict } of rates) {
            expect(difference ?? 0).toBe(0)
            expect(verdict ?? 'equivalent').toBe('equivalent')
          }
        }
      }),
      { numRuns: 12 },
    )
  })
})

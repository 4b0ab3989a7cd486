import { expect, test } from 'vitest'
import { evaluateRun } from '#analysis/evaluate-run'
import { requiredUtterances, resolvedDifference } from '#analysis/figures/ranking/required-utterances'
import { cautiousDeviation, requiredPairs } from '#statistics/tests/required-runs'
import { measuredRun, spokenUtterances } from './measured-run.ts'

const words = 'one two three four five six seven eight nine ten'

/** A pilot of 40 utterances: base has a wrong word in every fourth one, tiny in every second one. */
function pilot(speakerOf: (index: number) => string, contenders = ['tiny', 'base']) {
  const run = measuredRun({
    contenders,
    utterances: spokenUtterances(40, words, (index) => ({ speaker: speakerOf(index) })),
    fate: ({ contenderId, utterance }) => {
      const index = Number(utterance.id.slice(1))
      const isWrong = index % 4 === 0 || (contenderId === 'tiny' && index % 4 === 1)
      return isWrong ? words.replace('one', 'won') : words
    },
  })
  return { run, evaluation: evaluateRun(run) }
}

test('the number is that of a paired test over the residuals of the difference', () => {
  const { run, evaluation } = pilot((index) => `s${index}`)
  const required = requiredUtterances(evaluation, run, { difference: 0.01, speakerSizes: [] })
  // A quarter of the utterances has one of ten words more wrong: residuals of 0.075 and -0.025.
  const deviation = Math.sqrt((10 * 0.075 ** 2 + 30 * 0.025 ** 2) / 39)
  expect(required).toMatchObject({ designEffect: 1, pilotUtteranceCount: 40, base: 'tiny', run: 'base' })
  expect(required.standardDeviation).toBeCloseTo(deviation, 10)
  // With 30 of one value and 10 of another, the kurtosis is 2.2: less than that of normal values.
  expect(required.plannedDeviation).toBeCloseTo(cautiousDeviation(deviation, 39), 10)
  expect(required.utteranceCount).toBe(requiredPairs(required.plannedDeviation, 0.01))
  expect(resolvedDifference(required, required.utteranceCount ?? 0, 0.8)).toBeCloseTo(0.01, 4)
})

test('speakers who share their errors need more utterances', () => {
  const alone = pilot((index) => `s${index}`)
  const shared = pilot((index) => `s${(index % 4) * 3 + (Math.floor(index / 4) % 3)}`)
  const speakerSizes = Array.from({ length: 12 }, () => 100)
  const few = requiredUtterances(alone.evaluation, alone.run, { difference: 0.01, speakerSizes })
  const more = requiredUtterances(shared.evaluation, shared.run, { difference: 0.01, speakerSizes })
  expect(more.designEffect).toBeGreaterThan(2)
  expect(more.correlation.measured).toBeGreaterThan(0.1)
  expect(more.correlation.planned).toBe(0.1)
  expect(more.utteranceCount).toBeGreaterThan(2 * (few.utteranceCount ?? Infinity))
})

test('few speakers with many utterances each need a number that exists', () => {
  const shared = pilot((index) => `s${(index % 4) * 3 + (Math.floor(index / 4) % 3)}`)
  const plan = (speakerCount: number, size: number, difference: number) => {
    const speakerSizes = Array.from({ length: speakerCount }, () => size)
    return requiredUtterances(shared.evaluation, shared.run, { difference, speakerSizes })
  }
  expect(plan(10, 200, 0.014).utteranceCount).toBe(1955)
  expect(plan(10, 1000, 0.0135).utteranceCount).toBe(10_366)
  expect(plan(5, 1000, 0.0195).utteranceCount).toBe(2991)
  const { plannedDeviation, designEffect, utteranceCount } = plan(5, 1000, 0.0195)
  expect(requiredPairs(plannedDeviation * Math.sqrt(designEffect), 0.0195, { maxPairs: 10_000 })).toBe(
    utteranceCount,
  )
  expect(plan(10, 1000, 0.0001).utteranceCount).toBeNull()
})

test('a pilot of one contender, or of two that never differ, is refused', () => {
  const one = pilot((index) => `s${index}`, ['tiny'])
  expect(() => requiredUtterances(one.evaluation, one.run, { difference: 0.01, speakerSizes: [] })).toThrow(
    'one contender',
  )
  const same = pilot((index) => `s${index}`, ['base', 'other'])
  expect(() => requiredUtterances(same.evaluation, same.run, { difference: 0.01, speakerSizes: [] })).toThrow(
    'cannot be a pilot',
  )
})

test('the number of pairs is found among a million, and each one fewer has less power', () => {
  expect(requiredPairs(1, 0.01, { maxPairs: 1_000_000 })).toBeGreaterThan(78_000)
  expect(requiredPairs(1, 0.01, { maxPairs: 1_000_000 })).toBeLessThan(79_000)
  // Browne 1995: with 20 degrees of freedom, the upper 80% limit is 1.17 times the deviation.
  expect(cautiousDeviation(1, 20)).toBeCloseTo(1.17, 2)
})

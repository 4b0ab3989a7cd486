import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import type { Evaluation } from '#analysis/documents/evaluation'
import { rateContenders, ratingScale, ratingsCsv, renderRatings } from '#reports/run/ratings'
import { only } from '../analysis/measured-run.ts'
import { frozenEvaluation } from './measured.ts'

const scale = { accuracy: [4, 8, 14, 25], speed: [30, 12, 5, 2] } as const
const evaluation = frozenEvaluation({ contenders: ['tiny'] })

function rated(rate: number | null, speed: number | null): ReturnType<typeof rateContenders>[number] {
  const contenders = evaluation.contenders.map((contender) => ({
    ...contender,
    wordsWithFailuresAsEmpty: {
      ...contender.wordsWithFailuresAsEmpty,
      rate,
      interval: rate === null ? null : { low: rate / 2, high: rate * 2, level: 0.95 },
    },
    systemSpeed:
      speed === null
        ? { value: null, reason: 'nothing was answered' }
        : { ...contender.systemSpeed, value: speed },
  })) as Evaluation['contenders']
  return only(rateContenders({ ...evaluation, contenders }, scale))
}

test('a bound that is met exactly is met', () => {
  expect([0.04, 0.0401, 0.08, 0.14, 0.25, 0.26, 3].map((rate) => rated(rate, 12).accuracy?.value)).toEqual([
    5, 4, 4, 3, 2, 1, 1,
  ])
  expect([30, 29.9, 12, 5, 2, 1.9].map((speed) => rated(0.1, speed).speed?.value)).toEqual([5, 4, 4, 3, 2, 1])
})

test('a bar says how far the interval reaches, and is left out where there is no figure', () => {
  expect(rated(0.05, 12).accuracy).toEqual({ value: 4, low: 3, high: 5 })
  expect(rated(null, null)).toMatchObject({ accuracy: null, speed: null })
  const terminal = { width: 80, color: false, unicode: true }
  const shown = renderRatings([rated(0.05, 12)], terminal)
  expect(shown).toContain('####- 4 (3 to 5)')
  expect(Math.max(...shown.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(80)
  expect(ratingsCsv([rated(null, 12)]).split('\r\n')[1]).toBe('tiny,,,,,4,12')
})

test('the scale that comes with the program is one, and bounds in the wrong order are none', () => {
  const text = readFileSync(new URL('../../configs/ratings.yaml', import.meta.url), 'utf8')
  expect(ratingScale.parse(parse(text))).toEqual(scale)
  expect(ratingScale.safeParse({ ...scale, accuracy: [25, 14, 8, 4] }).success).toBe(false)
  expect(ratingScale.safeParse({ ...scale, speed: [30, 30, 5, 2] }).success).toBe(false)
})

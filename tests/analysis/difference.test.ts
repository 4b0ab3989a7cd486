import { describe, expect, test } from 'vitest'
import { evaluateRun } from '#analysis/evaluate-run'
import { renderSummary } from '#reports/run/render-summary'
import { evaluatedRun, measuredRun, spokenUtterances, timedOut } from './measured-run.ts'

const terminal = { width: 1000, color: false, unicode: true }

const utterances = spokenUtterances(20, 'a b c d e')
type Asked = Parameters<Parameters<typeof measuredRun>[0]['fate']>[0]

const differenceOf = (fate: (asked: Asked) => string | typeof timedOut, contenders = ['tiny', 'base']) =>
  evaluatedRun({
    utterances,
    contenders,
    fate,
    durationMs: ({ contenderId }) => (contenderId === 'tiny' ? 100 : 200),
  }).difference

describe('the difference of two contenders', () => {
  test('names the better one over the utterances that both were asked, a failed request as an empty text', () => {
    const difference = differenceOf(({ contenderId, utterance }) =>
      contenderId === 'base' ? 'a b c d e' : utterance.id === 'u3' ? timedOut : 'a b c d x',
    )
    expect(difference).toMatchObject({
      better: 'base',
      worse: 'tiny',
      // 19 words of 100 were wrong, and all five of the request that failed.
      wordErrorRate: { value: expect.closeTo(24 / 100, 12) },
      isResolved: true,
      utteranceCount: 20,
      differingCount: 20,
    })
  })

  test('is not resolved when five utterances make all of it', () => {
    const difference = differenceOf(({ contenderId, utterance }) =>
      contenderId === 'tiny' && Number(utterance.id.slice(1)) < 5 ? 'x x x x x' : 'a b c d e',
    )
    expect(difference?.wordErrorRate?.interval?.low).toBeGreaterThan(0)
    expect(difference).toMatchObject({ better: 'base', isResolved: false, differingCount: 5 })
  })

  test('is nothing between two that make the same errors', () => {
    expect(differenceOf(() => 'a b c d x')).toMatchObject({
      wordErrorRate: { value: 0, interval: { low: 0, high: 0 } },
      isResolved: false,
    })
  })

  test('is taken between the best two, and leaving out the difficult half wins nothing', () => {
    const difference = differenceOf(
      ({ contenderId, utterance }) => {
        if (contenderId === 'lazy') return Number(utterance.id.slice(1)) < 10 ? 'a b c d e' : timedOut
        return contenderId === 'base' ? 'a b c d x' : 'a b c x x'
      },
      ['tiny', 'lazy', 'base'],
    )
    expect(difference).toMatchObject({ better: 'base', worse: 'tiny' })
  })

  test('agrees with the table: failures take the lead from one that made no error where it answered', () => {
    const run = measuredRun({
      utterances,
      contenders: ['tiny', 'base'],
      fate: ({ contenderId, utterance }) => {
        const number = Number(utterance.id.slice(1))
        if (contenderId === 'tiny') return number < 5 ? 'a b c d x' : 'a b c d e'
        return number > 10 ? timedOut : 'a b c d e'
      },
    })
    const evaluation = evaluateRun(run)
    expect(evaluation.difference).toMatchObject({ better: 'tiny', worse: 'base', utteranceCount: 20 })
    expect(evaluation.difference?.wordErrorRate?.value).toBeCloseTo(45 / 100 - 5 / 100, 12)
    expect(evaluation.ranking?.bands.map(({ contenderId }) => contenderId)).toEqual(['tiny', 'base'])
    const text = renderSummary(evaluation, { terminal, folder: null })
    expect(text).toContain('base failed 9 of 20 requests (45.0%), which count as empty transcripts.')
    expect(text.indexOf('\n  tiny ')).toBeLessThan(text.indexOf('\n  base '))
  })

  test('does not exist where only one was scored', () => {
    expect(differenceOf(({ contenderId }) => (contenderId === 'tiny' ? 'a' : timedOut))).toBeNull()
  })
})

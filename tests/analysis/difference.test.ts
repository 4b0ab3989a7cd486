import { describe, expect, test } from 'vitest'
import { evaluateRun } from '#analysis'
import { measuredRun, timedOut } from './measured-run.ts'

const utterances = Array.from({ length: 20 }, (_, index) => ({ id: `u${index}`, reference: 'a b c d e' }))
type Asked = Parameters<Parameters<typeof measuredRun>[0]['fate']>[0]

const differenceOf = (fate: (asked: Asked) => string | typeof timedOut, contenders = ['tiny', 'base']) =>
  evaluateRun(
    measuredRun({
      utterances,
      contenders,
      fate,
      durationMs: ({ contenderId }) => (contenderId === 'tiny' ? 100 : 200),
    }),
  ).difference

describe('the difference of two contenders', () => {
  test('names the better one, over the utterances that both answered', () => {
    const difference = differenceOf(({ contenderId, utterance }) =>
      contenderId === 'base' ? 'a b c d e' : utterance.id === 'u3' ? timedOut : 'a b c d x',
    )
    expect(difference).toMatchObject({
      better: 'base',
      worse: 'tiny',
      wordErrorRate: { value: expect.closeTo(0.2, 12) },
      isResolved: true,
      utteranceCount: 19,
      differingCount: 19,
    })
  })

  test('is not resolved when five utterances make all of it', () => {
    const difference = differenceOf(({ contenderId, utterance }) =>
      contenderId === 'tiny' && Number(utterance.id.slice(1)) < 5 ? 'x x x x x' : 'a b c d e',
    )
    expect(difference?.wordErrorRate.interval?.low).toBeGreaterThan(0)
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

  test('is told by what both answered, also where the better one failed more often', () => {
    // Over everything that was planned tiny leads, 5% to 10%; where both answered it makes all the errors.
    const difference = differenceOf(({ contenderId, utterance }) => {
      const number = Number(utterance.id.slice(1))
      if (contenderId === 'tiny') return number < 5 ? 'a b c d x' : 'a b c d e'
      return number > 17 ? timedOut : 'a b c d e'
    })
    expect(difference).toMatchObject({ better: 'base', worse: 'tiny', utteranceCount: 18 })
    expect(difference?.wordErrorRate.value).toBeCloseTo(5 / 90, 12)
    expect(difference?.wordErrorRate.interval?.high).toBeGreaterThan(5 / 90)
  })

  test('does not exist where only one was scored', () => {
    expect(differenceOf(({ contenderId }) => (contenderId === 'tiny' ? 'a' : timedOut))).toBeNull()
  })
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Claim, decide } from '#analysis/figures/ranking/claims'
import { runDifference } from '#analysis/figures/speed/run-difference'
import { studentQuantile } from '#statistics/distributions'

/** A difference with a normal interval of a standard error. */
const claim = (difference: number, error: number, more: Partial<Claim> = {}): Claim => ({
  better: 'lower',
  margin: 0.05,
  canDecideAt: () => true,
  intervalAt: (confidence) => {
    const half = studentQuantile((1 + confidence) / 2, 1e6) * error
    return { low: difference - half, high: difference + half }
  },
  ...more,
})

describe('a verdict', () => {
  test('lies where the interval lies against the margin', () => {
    const one = (difference: number, error: number, more?: Partial<Claim>) =>
      decide([claim(difference, error, more)])[0]
    expect(one(0.2, 0.05)).toBe('worse')
    expect(one(-0.2, 0.05)).toBe('better')
    expect(one(0.01, 0.01)).toBe('equivalent')
    expect(one(0.06, 0.01)).toBe('unresolved')
    expect(one(0.2, 0.05, { better: 'higher' })).toBe('better')
    expect(one(0.2, 0.05, { canDecideAt: () => false })).toBe('unresolved')
    expect([-0.05, 0.05, 0.051].map((at) => one(at, 0)).join()).toBe('equivalent,equivalent,worse')
    // The interval at 95% reaches 1.96 standard errors to the side, and the margin is 0.05.
    expect([2.02, 2].map((at) => one(at, 1)).join()).toBe('worse,unresolved')
    expect(decide([claim(0.2, 0.05, { intervalAt: () => null })])).toEqual(['unresolved'])
    expect(decide([])).toEqual([])
  })

  test('asks more evidence of each where there are many, and less again once the clear ones are reported', () => {
    const close = claim(0.05 + 2.1, 1)
    expect(decide([close])).toEqual(['worse'])
    expect(decide([close, claim(0.05 + 2.1, 1)])).toEqual(['unresolved', 'unresolved'])
    const [first, second] = decide([claim(0.05 + 2.3, 1), claim(0.05 + 2.1, 1)])
    expect([first, second]).toEqual(['worse', 'worse'])
  })

  test('is the same whatever the order, and mirrored where the difference is', () => {
    const some = fc.array(
      fc.tuple(fc.double({ min: -1, max: 1, noNaN: true }), fc.double({ min: 0, max: 0.5, noNaN: true })),
      { maxLength: 12 },
    )
    const mirror = { better: 'worse', worse: 'better', equivalent: 'equivalent', unresolved: 'unresolved' }
    fc.assert(
      fc.property(some, (pairs) => {
        const there = decide(pairs.map(([difference, error]) => claim(difference, error)))
        const reversed = decide(pairs.toReversed().map(([difference, error]) => claim(difference, error)))
        const mirrored = decide(pairs.map(([difference, error]) => claim(-difference, error)))
        expect(reversed.toReversed()).toEqual(there)
        expect(mirrored.map((verdict) => mirror[verdict])).toEqual(there)
      }),
    )
  })
})

describe('the difference of two sets of runs', () => {
  test('does without pairs where the sides have different numbers of runs', () => {
    const { basis, intervalAt } = runDifference([0, 0.02, -0.02], [0.1, 0.12, 0.08, 0.1], null)
    expect(basis).toBe('runs')
    const interval = intervalAt(0.95)
    expect((interval?.low ?? 0) > 0.05 && (interval?.high ?? 1) < 0.15).toBe(true)
  })
})

import { describe, expect, test } from 'vitest'
import { seededRandom } from '#prelude'
import { signFlipTest } from '#statistics/tests/sign-flip'

describe('the sign-flip test', () => {
  const random = seededRandom(1)

  test('has the smallest p that so few pairs can give where all differ in one direction', () => {
    expect(signFlipTest([1, 2, 3, 4, 5], random)).toBeCloseTo(2 / 32, 12)
    expect(signFlipTest([1, 2, 3, 4, 5, 6], random)).toBeCloseTo(2 / 64, 12)
  })

  test("gives the published p for Darwin's maize, 15 pairs", () => {
    // Fisher 1935, section 21: 1,726 of the 32,768 ways lead as far, two-sided.
    const darwin = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
    expect(signFlipTest(darwin, random)).toBeCloseTo(1726 / 32_768, 12)
  })

  test('draws for many pairs what it would count for few', () => {
    const many = Array.from({ length: 17 }, (_, index) => (index % 3 === 0 ? -1 : 1))
    // 11 up, 6 down: as binomial counts, P(at most 6 or at least 11 of 17).
    expect(signFlipTest(many, random)).toBeCloseTo(0.3323, 1)
  })

  test('is certain of nothing where nothing differs, and absent without pairs', () => {
    expect(signFlipTest([0, 0, 0], random)).toBe(1)
    expect(signFlipTest([], random)).toBeNull()
  })
})

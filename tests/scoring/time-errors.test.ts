import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareTimes } from '#scoring/error-analysis/time-errors'
import { findProfile } from '#scoring/profiles/index'
import { alignPair } from '#scoring/score-utterance'
import type { TimedText } from '#scoring/shapes'

const english = findProfile('english')

/** `the 0.1-0.3 | cat 0.3-0.7`. */
function times(written: string): readonly TimedText[] {
  return written
    .split('|')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const [, text = '', start, end] = /^(.*) ([\d.]+)-([\d.]+)$/.exec(part) ?? []
      return { text, startSeconds: Number(start), endSeconds: Number(end) }
    })
}

function compared(said: readonly TimedText[], heard: readonly TimedText[], profile = english) {
  const textOf = (parts: readonly TimedText[]): string => parts.map(({ text }) => text).join(' ')
  const { steps } = alignPair({ reference: textOf(said), hypothesis: textOf(heard) }, profile)
  return compareTimes(steps, said, heard, profile)
}

describe('errors of times', () => {
  test('are those of the words that the alignment matches, computed by hand', () => {
    const found = compared(
      times('the 0.1-0.3 | cat 0.3-0.7 | sat 0.8-1.2 | down 1.3-1.6'),
      times('The 0.2-0.3 | cat 0.3-0.7 | sat 0.85-1.5 | town 9-9.5'),
    )
    // Starts 100, 0 and 50 ms; ends 0, 0 and 300 ms, which is over 200 ms; “down” is not matched.
    expect(found).toEqual({
      matchedCount: 3,
      comparedCount: 3,
      closeCount: 2,
      startCount: 3,
      startErrorMs: 150,
      endCount: 3,
      endErrorMs: 300,
    })
  })

  test('count 200 ms as close, whatever floating point makes of it', () => {
    for (const [said, heard] of [
      ['a 1-2', 'a 1.2-2.2'],
      ['a 0.1-0.3', 'a 0.3-0.5'],
      ['a 5.7-5.9', 'a 5.9-6.1'],
    ] as const) {
      expect(compared(times(said), times(heard), findProfile('basic'))).toMatchObject({ closeCount: 1 })
    }
    expect(compared(times('cat 1-2'), times('cat 1.2001-2'))).toMatchObject({ closeCount: 0 })
  })

  test('of a segment are those of its first and its last word', () => {
    const said = times('the 0.1-0.3 | cat 0.3-0.7 | sat 0.8-1.2 | down 1.3-1.6')
    expect(compared(said, times('The cat 0.2-0.7 | sat down. 0.8-1.9'))).toEqual({
      matchedCount: 4,
      comparedCount: 4,
      closeCount: 3,
      startCount: 2,
      startErrorMs: 100,
      endCount: 2,
      endErrorMs: 300,
    })
  })

  test('hold for numbers that are one word on one side and several on the other', () => {
    const found = compared(
      times('take 0-0.4 | twenty 0.5-0.8 | five 0.8-1.1 | grams 1.2-1.6'),
      times('take 0-0.4 | 25 0.6-1.1 | grams 1.2-1.6'),
    )
    expect(found).toMatchObject({
      matchedCount: 3,
      startErrorMs: 100,
      startCount: 3,
      endErrorMs: 0,
      endCount: 3,
    })
  })

  test('hold for a text without spaces, whose characters are timed one by one', () => {
    const chinese = findProfile('chinese')
    const said = times('我 0-0.2 | 们 0.2-0.4 | 在 0.4-0.6 | 北 0.6-0.8 | 京 0.8-1')
    const heard = times('我们 0-0.4 | 在 0.4-0.6 | 北京 0.7-1')
    const { steps } = alignPair({ reference: '我们在北京', hypothesis: '我们在北京' }, chinese)
    const found = compareTimes(steps, said, heard, chinese)
    expect(found).toMatchObject({ startErrorMs: 100, endErrorMs: 0 })
    expect(found.comparedCount).toBe(found.matchedCount)
  })

  test('are none where one side has no times', () => {
    const said = times('the 0.1-0.3 | cat 0.3-0.7')
    const { steps } = alignPair({ reference: 'the cat', hypothesis: 'the cat' }, english)
    expect(compareTimes(steps, said, [], english)).toMatchObject({ matchedCount: 2, comparedCount: 0 })
    expect(compareTimes(steps, [], said, english)).toMatchObject({ matchedCount: 2, comparedCount: 0 })
  })
})

const word = fc.constantFrom('one', 'two', 'red', 'blue', 'cat', 'twenty', "don't", 'uh', 'mister')
const timedWords = fc
  .array(fc.record({ text: word, gapMs: fc.nat(500), lengthMs: fc.nat(800) }), { maxLength: 12 })
  .map((words) => {
    let atMs = 0
    return words.map(({ text, gapMs, lengthMs }): TimedText => {
      const startSeconds = (atMs + gapMs) / 1000
      atMs += gapMs + lengthMs
      return { text, startSeconds, endSeconds: atMs / 1000 }
    })
  })

test('a text with its own times has no error, and a shift is the error of every word', () => {
  fc.assert(
    fc.property(timedWords, fc.integer({ min: 0, max: 3000 }), (said, shiftMs) => {
      const heard = said.map(({ text, startSeconds, endSeconds }) => ({
        text,
        startSeconds: startSeconds + shiftMs / 1000,
        endSeconds: endSeconds + shiftMs / 1000,
      }))
      const found = compared(said, heard)
      expect(found.startErrorMs).toBeCloseTo(shiftMs * found.startCount, 6)
      expect(found.endErrorMs).toBeCloseTo(shiftMs * found.endCount, 6)
      expect(found.closeCount).toBe(shiftMs <= 200 ? found.comparedCount : 0)
    }),
  )
})

test('errors are the same in both directions, and never of more words than are matched', () => {
  fc.assert(
    fc.property(timedWords, timedWords, (said, heard) => {
      const there = compared(said, heard)
      const back = compared(heard, said)
      expect(there.matchedCount).toBe(back.matchedCount)
      expect(there.comparedCount).toBeLessThanOrEqual(there.matchedCount)
      expect(there.closeCount).toBeLessThanOrEqual(there.comparedCount)
      expect(Math.max(there.startCount, there.endCount)).toBeLessThanOrEqual(there.comparedCount)
    }),
  )
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { errorRate, matchErrorRate, sumCounts } from '#scoring/counts'
import { compareWriting, sumFormatting } from '#scoring/error-analysis/formatting'

const counts = (hits: number, substitutions: number, deletions: number, insertions: number) => ({
  hits,
  substitutions,
  deletions,
  insertions,
})

const formattingOf = (reference: string, hypothesis: string) =>
  compareWriting(reference, hypothesis).formatting

describe('punctuation', () => {
  test('is compared mark by mark after words that are right', () => {
    const { punctuation } = formattingOf('Well, I see. Do you? Yes!', 'Well I see, do you? Yes! No.')
    expect(punctuation).toEqual({
      ',': counts(0, 0, 1, 0),
      '.': counts(0, 1, 0, 0),
      '?': counts(1, 0, 0, 0),
      '!': counts(1, 0, 0, 0),
    })
    expect(matchErrorRate(sumCounts(Object.values(punctuation)))).toBe(0.5)
  })

  test('is not blamed for errors in words', () => {
    const wrongWords = formattingOf('One, two, three.', 'Ten, two, ten.')
    expect(wrongWords.punctuation).toEqual({ ',': counts(1, 0, 0, 0) })
    expect(formattingOf('One, two, three.', '').punctuation).toEqual({})
  })

  test('is the same mark in another script, and an ellipsis however it is written', () => {
    expect(formattingOf('你好。', '你好.').punctuation).toEqual({ '.': counts(1, 0, 0, 0) })
    expect(formattingOf('well...', 'well…').punctuation).toEqual({ '…': counts(1, 0, 0, 0) })
    expect(formattingOf('yes .', 'yes.').punctuation).toEqual({ '.': counts(1, 0, 0, 0) })
  })
})

describe('capitals', () => {
  test('are compared in words that are right, the start of a sentence apart', () => {
    const { sentenceStarts, otherWords } = formattingOf(
      'Anna met NASA. She left.',
      'anna met nasa. She Left.',
    )
    expect(sentenceStarts).toEqual({ compared: 2, wrong: 1 })
    expect(otherWords).toEqual({ compared: 3, wrong: 2 })
  })

  test('are not looked for where a script has none', () => {
    expect(formattingOf('你好 5', '你好 5').otherWords).toEqual({ compared: 0, wrong: 0 })
  })
})

test('a formatted error rate counts marks and capitals as words do', () => {
  const { formatted } = formattingOf('Yes, he can.', 'yes he can.')
  expect(formatted).toEqual(counts(3, 1, 1, 0))
  expect(errorRate(formatted)).toBe(0.4)
})

test('a text has no errors of formatting against itself, and sums add up', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('Yes,', 'no.', 'MAYBE?', 'e.g.', '—', '"quoted"', '…', "don't"), {
        maxLength: 12,
      }),
      (words) => {
        const text = words.join(' ')
        const same = formattingOf(text, text)
        for (const found of Object.values(same.punctuation))
          expect(found).toEqual({ ...counts(0, 0, 0, 0), hits: found.hits })
        expect(same.sentenceStarts.wrong + same.otherWords.wrong).toBe(0)
        const twice = sumFormatting([same, same])
        expect(twice.formatted.hits).toBe(2 * same.formatted.hits)
        expect(twice.otherWords.compared).toBe(2 * same.otherWords.compared)
      },
    ),
  )
})

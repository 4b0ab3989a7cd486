import { describe, expect, test } from 'vitest'
import { errorCount } from '#scoring/counts'
import { findProfile } from '#scoring/profiles/index'
import { scorePair } from '#scoring/score-utterance'
import { readLexicon } from '../../src/scoring/profiles/language-rules/number-reading.ts'
import { languages } from '../../src/scoring/profiles/languages/all.ts'

const marks = [', ', '. ', '; ', ': ', '! ', '? ', '… ', ' – ', ' (', '/']

/** Between figures, other marks say a range or a fraction. */
const isWritten = (mark: string): boolean => /[.,;:!?…] $/.test(mark)

const withNumbers = languages.filter(
  ({ rules }) => (rules().numbers ?? rules().unspacedNumbers) !== undefined,
)

describe.each(withNumbers)('a mark ends a number in $name', ({ name, rules }) => {
  const { numbers, unspacedNumbers, spaces } = rules()
  const words = numbers?.words ?? unspacedNumbers?.words
  if (words === undefined) throw new Error(`${name} has no words for numbers`)
  const lexicon = [...readLexicon(words)]
  /** How a value is said, where one word says it and nothing else. */
  const said = (value: number): readonly string[] =>
    lexicon
      .filter(
        ([, part]) => part.value === value && part.ordinal === null && !part.isWeak && !part.needsNumber,
      )
      .map(([word]) => word)
      .slice(0, 1)
  const errors = (one: string, other: string): number => {
    const score = scorePair({ reference: one, hypothesis: other }, findProfile(name))
    return errorCount(spaces === 'none' ? score.characters : score.words)
  }
  const ends = [...marks, ...(words.joinedByHyphen === 'true' ? [] : ['-'])]
  const pairs = [
    [20, 5],
    [30, 2],
    [100, 5],
    [1000, 5],
    [1000, 100],
    [5, 100],
    [5, 1000],
    [20, 100],
  ].flatMap(([one = 0, other = 0]) =>
    said(one).flatMap((first) => said(other).map((second) => ({ one, other, first, second }))),
  )

  test.each(pairs)(
    'between $first and $second, as between $one and $other',
    ({ one, other, first, second }) => {
      const joined = [`${one + other}`, `${one * other}`, `${one}${other}`]
      const found = ends.map((mark) => ({
        mark,
        // A single syllable is no number in Korean: 오 is not 5.
        asFigures:
          name === 'korean'
            ? 0
            : errors(`${first}${mark}${second}`, `${one}${isWritten(mark) ? mark : ', '}${other}`),
        joined: joined.filter((figure) => errors(`${first}${mark}${second}`, figure) === 0),
      }))
      expect(found.filter((each) => each.asFigures > 0 || each.joined.length > 0)).toEqual([])
    },
  )

  test.skipIf(name === 'korean' || said(5).length === 0)(
    'between digits that are counted, and not between those that are read out',
    () => {
      const digits = [2, 3, 5, 7].flatMap(said)
      expect(digits).toHaveLength(4)
      const counted = digits.join(', ')
      expect(errors(counted, '2, 3, 5, 7')).toBe(0)
      expect(errors(counted, '2357')).toBeGreaterThan(0)
      expect(errors('2, 3, 5, 7', '2357')).toBeGreaterThan(0)
      expect(errors(digits.join(' '), '2357')).toBe(0)
      if (spaces !== 'none') expect(errors(digits.join(' '), counted)).toBe(0)
    },
  )
})

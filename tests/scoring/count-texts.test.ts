import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { countErrors } from '#scoring/alignment/align'
import { profiles } from '#scoring/profiles/index'
import { normalise } from '#scoring/profiles/profile'
import { tokeniseCharacters, tokeniseWords } from '#scoring/tokens'
import { countCharacters, countTexts } from '../../src/scoring/counts.ts'

// Few letters, so that the texts of a pair have beginnings, ends and words in common.
const letter = fc.constantFrom(..."a|b| | |'|é|ж|א|語|ก|e\u0301|\t|\u00a0|\u00ad|😀".split('|'))
// Aa and BB have one hash: words are compared by more than that.
const plain = fc
  .array(fc.constantFrom('a', 'b', 'ab', 'é', 'Aa', 'BB', 'AaBB', 'BBAa'), { maxLength: 60 })
  .map((words) => words.join(' '))
const text = fc.oneof(
  plain,
  fc.array(letter, { maxLength: 40 }).map((letters) => letters.join('')),
)
const rule = fc.constantFrom('canonical', 'jiwer', 'kaldi', 'sclite' as const)

describe('the counts of two texts', () => {
  test('are those of their words, whatever both begin and end with', () => {
    const wordRule = fc.constantFrom(
      'spaces',
      'spaces-and-dictionary',
      'dictionary',
      'single-spaces' as const,
    )
    fc.assert(
      fc.property(text, text, text, wordRule, rule, (common, said, heard, words, alignment) => {
        for (const [reference, hypothesis] of [
          [said, heard],
          [common + said, common + heard],
          [said + common, heard + common],
          [`${common} ${said} ${common}`, `${common} ${heard} ${common}`],
        ] as const) {
          expect(countTexts(reference, hypothesis, words, alignment)).toEqual(
            countErrors(tokeniseWords(reference, words), tokeniseWords(hypothesis, words), alignment),
          )
        }
      }),
      { numRuns: 2000 },
    )
  })

  test('are those of their characters by every rule', () => {
    const characterRule = fc.constantFrom('graphemes', 'no-spaces', 'code-points' as const)
    fc.assert(
      fc.property(text, text, characterRule, rule, (said, heard, characters, alignment) => {
        expect(countCharacters(said, heard, characters, alignment)).toEqual(
          countErrors(tokeniseCharacters(said, characters), tokeniseCharacters(heard, characters), alignment),
        )
      }),
      { numRuns: 2000 },
    )
  })
})

test('a text in ASCII is normalised to the same by the fast way of each stage', () => {
  const mark = fc.constantFrom(' ', "'", "a'b", "'a", '-', '$', '\t', '\u0000', '\u007f', 'A', '5', '  ')
  const ascii = fc.oneof(
    fc.array(fc.oneof(mark, fc.string({ unit: 'binary-ascii' }))).map((parts) => parts.join('')),
    fc.string({ unit: 'binary-ascii' }),
  )
  const slow = new Map(
    profiles.map((profile) => [
      profile,
      {
        ...profile,
        stages: profile.stages.map(({ name, does, example, apply }) => ({ name, does, example, apply })),
      },
    ]),
  )
  fc.assert(
    fc.property(ascii, (text) => {
      for (const [profile, all] of slow) expect(normalise(text, profile)).toBe(normalise(text, all))
    }),
    { numRuns: 100 },
  )
})

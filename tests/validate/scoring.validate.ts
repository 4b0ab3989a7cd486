import { describe, expect, test } from 'vitest'
import { type Random, seededRandom } from '#prelude'
import { align, alignmentRules, countErrors } from '#scoring/alignment/align'
import { findProfile, profiles } from '#scoring/profiles/index'
import { normalise } from '#scoring/profiles/profile'
import { tokeniseWords } from '#scoring/tokens'
import { numberWords } from '../../src/scoring/profiles/published/number-words.ts'
import { countOperations, operationsOf, oracle } from '../scoring/oracles.ts'

const seed = 20_260_101

const marks =
  "john's|it's|n't|'s|um|mm|mr|st.|half|and a half|o|oh|colour|(x)|[|1|05|3.5|.5|-5|$5|$0.36|¢7|50%|%|1,000|3,5|1st|1990's|10km|é|½|" +
  '你好|今天|สวัสดี|नमस्ते|مرحبًا|привет|안녕|\ud800|\u200d|\u0301|👍🏽|\u0000|…'
const pieces: readonly string[] = [...numberWords().keys(), ...marks.split('|')]

/** Text of any kind: words of speech, marks and figures, and code points from all over Unicode. */
function randomText(random: Random): string {
  const count = 1 + random.below(10)
  let text = ''
  for (let index = 0; index < count; index += 1) {
    const isAnywhere = random.below(4) === 0
    text += isAnywhere ? String.fromCodePoint(random.below(0x110000)) : pieces[random.below(pieces.length)]
    if (random.below(4) > 0) text += ' '
  }
  return text
}

describe('300,000 random texts', () => {
  test('go through every profile without an exception, and twice without a change: by english but for one in 2,000', () => {
    const random = seededRandom(seed)
    const changed = new Map(['basic', 'verbatim', 'english'].map((name) => [findProfile(name), 0]))
    for (let index = 0; index < 300_000; index += 1) {
      const text = randomText(random)
      for (const profile of profiles) {
        const made = normalise(text, profile)
        if (index % 20 === 0) tokeniseWords(made, profile.words)
        const count = changed.get(profile)
        if (count !== undefined && normalise(made, profile) !== made) changed.set(profile, count + 1)
      }
    }
    expect(changed.get(findProfile('basic'))).toBe(0)
    expect(changed.get(findProfile('verbatim'))).toBe(0)
    // Where a mark ended a number, nothing says so in what was made.
    expect(changed.get(findProfile('english'))).toBeLessThan(150)
  })
})

test.each(alignmentRules)(
  'the %s alignment is the one of its definition for 200 pairs of up to 2,500 words',
  (rule) => {
    const random = seededRandom(seed)
    for (let pair = 0; pair < 200; pair += 1) {
      const vocabulary = 2 + random.below(200)
      const draw = (count: number): string[] =>
        Array.from({ length: count }, () => `w${random.below(vocabulary)}`)
      const reference = draw(random.below(2500))
      const rate = random.unit() * 0.6
      const near = reference.flatMap((word) => {
        const dice = random.unit()
        if (dice < rate * 0.2) return []
        return dice < rate * 0.4 ? [word, ...draw(1)] : dice < rate ? draw(1) : [word]
      })
      const hypothesis = random.below(5) === 0 ? draw(random.below(2500)) : near
      const expected = oracle(reference, hypothesis, rule)
      expect(operationsOf(align(reference, hypothesis, rule))).toBe(expected)
      expect(countErrors(reference, hypothesis, rule)).toEqual(countOperations(expected))
    }
  },
  900_000,
)

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { errorCount } from '#scoring/counts'
import { startConfusions } from '#scoring/error-analysis/confusions'
import { compareWriting, makeLadder } from '#scoring/error-analysis/formatting'
import { findProfile, profiles } from '#scoring/profiles/index'
import { normalise, wordStage } from '#scoring/profiles/profile'
import { rememberTexts } from '#scoring/profiles/remembered-profile'
import { alignPair, scorePair } from '#scoring/score-utterance'
import type { AlignmentStep } from '#scoring/shapes'

const english = findProfile('english')
const written = fc
  .array(
    fc.oneof(
      fc.constantFrom('Colour,', 'twenty', 'one', "don't", 'O’Neil.', 'the', 'programme', 'café', '5%', '…'),
      fc.string({ unit: 'grapheme', maxLength: 4 }),
    ),
    { maxLength: 8 },
  )
  .map((words) => words.join(' '))

/** How many texts are kept; fewer than there are, too. */
const most = fc.constantFrom(undefined, 1, 2)

test('a profile that remembers makes of every text what the profile makes, the first time and later', () => {
  fc.assert(
    fc.property(
      fc.array(written, { maxLength: 4 }),
      fc.constantFrom(...profiles),
      most,
      (texts, profile, most) => {
        const { profile: remembered, withoutSpellings } = rememberTexts(profile, most)
        const { stages } = profile
        const others = {
          ...profile,
          stages: stages.at(-1)?.name === 'spellings' ? stages.slice(0, -1) : stages,
        }
        expect(remembered).toMatchObject({ id: profile.id, fingerprint: profile.fingerprint })
        for (const text of [...texts, ...texts]) {
          expect(normalise(text, remembered)).toBe(normalise(text, profile))
          expect(normalise(text, withoutSpellings)).toBe(normalise(text, others))
        }
      },
    ),
  )
})

test('a profile that is remembered again, as for every utterance, asks its stages once about a word', () => {
  const asked: string[] = []
  const looking = wordStage({
    name: 'looking',
    does: 'Changes nothing.',
    example: ['a', 'a'],
    concerns: (word) => asked.push(word) > 0,
    applyToWords: (words) => words,
  })
  const profile = { ...english, stages: [looking, ...english.stages.slice(-1)] }
  for (const text of ['one two', 'two one', 'one two']) normalise(text, rememberTexts(profile).profile)
  expect(asked.filter((word) => word !== '')).toEqual(['one', 'two'])
})

test('the last stage of english is its spellings, which the ladder climbs on their own', () => {
  expect(english.stages.at(-1)?.name).toBe('spellings')
})

test('a ladder that is climbed again and again finds the counts of each profile by itself', () => {
  const rungs = { 'as written': 'verbatim', punctuation: 'basic', spellings: 'english' }
  fc.assert(
    fc.property(
      fc.array(fc.record({ reference: written, hypothesis: written }), { maxLength: 5 }),
      (pairs) => {
        const climb = makeLadder(rememberTexts(english))
        for (const pair of [...pairs, ...pairs]) {
          const found = new Map(climb(pair).map(({ rung, words }) => [rung as string, words]))
          for (const [rung, id] of Object.entries(rungs)) {
            expect(found.get(rung)).toEqual(scorePair(pair, findProfile(id)).words)
          }
        }
      },
    ),
  )
})

test('a known alignment changes nothing about the errors of formatting', () => {
  fc.assert(
    fc.property(written, written, fc.constantFrom(english, findProfile('basic')), (said, heard, profile) => {
      const { steps } = alignPair({ reference: said, hypothesis: heard }, profile)
      expect(compareWriting(said, heard, steps)).toEqual(compareWriting(said, heard))
    }),
  )
})

test('a plain word is compared as any other is', () => {
  const { formatted, otherWords } = compareWriting('go Home, x1!? now', 'go home, X1!? now').formatting
  expect(errorCount(formatted)).toBe(2)
  expect(otherWords).toEqual({ compared: 2, wrong: 2 })
})

test('confusions are distinguished by their texts, whatever is in them', () => {
  const text = fc.option(fc.string({ unit: fc.constantFrom(' ', 'a', '1'), maxLength: 3 }))
  const confusion = fc
    .record({ reference: text, hypothesis: text })
    .filter(({ reference, hypothesis }) => reference !== null || hypothesis !== null)
  fc.assert(
    fc.property(fc.array(confusion, { maxLength: 20 }), (all) => {
      const steps = all.map(({ reference, hypothesis }): AlignmentStep => {
        if (reference === null) return { kind: 'insertion', reference, hypothesis: hypothesis ?? '' }
        return hypothesis === null
          ? { kind: 'deletion', reference, hypothesis }
          : { kind: 'substitution', reference, hypothesis }
      })
      const tally = startConfusions()
      tally.add({ id: 'a', steps })
      const { substitutions, deletions, insertions } = tally.result()
      const told = [...substitutions, ...deletions, ...insertions]
      expect(told.map(({ reference, hypothesis }) => JSON.stringify([reference, hypothesis])).sort()).toEqual(
        [...new Set(all.map(({ reference, hypothesis }) => JSON.stringify([reference, hypothesis])))].sort(),
      )
      expect(told.reduce((sum, { count }) => sum + count, 0)).toBe(all.length)
    }),
    { numRuns: 500 },
  )
})

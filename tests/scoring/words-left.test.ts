import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { extendProfile } from '#scoring/profiles/extension'
import { findProfile, profiles } from '#scoring/profiles/index'
import { normalise, type Profile } from '#scoring/profiles/profile'
import { wordsLeft } from '#scoring/profiles/words-left'

/** Words that stages of a profile look for: those of its examples, and its fillers. */
function wordsOf({ stages }: Profile): readonly string[] {
  const fillers = stages.flatMap(({ settings }) =>
    typeof settings === 'object' && settings !== null && 'fillers' in settings ? settings['fillers'] : [],
  )
  return [...stages.flatMap(({ example }) => example[0].split(/\s+/)), ...(fillers as string[])].filter(
    (word) => word !== '',
  )
}

const ordinary = 'well uh um two hundred and the äh euh 是 [noise] (ah) <unk> - zero'.split(' ')

describe('whether words are left', () => {
  test.each(profiles.map((profile) => [profile.id, profile] as const))(
    'is what %s leaves of a text',
    (_, profile) => {
      const words = fc.oneof(fc.constantFrom(...ordinary, ...wordsOf(profile)), fc.string({ maxLength: 4 }))
      const texts = fc.array(words, { maxLength: 5 }).map((list) => list.join(' '))
      const left = wordsLeft(profile)
      fc.assert(
        fc.property(texts, (text) => {
          expect(left(text), JSON.stringify(text)).toBe(normalise(text, profile).trim() !== '')
        }),
        { numRuns: 150 },
      )
    },
  )

  test('is looked for in the whole text where a user has rules of phrases', () => {
    const profile = extendProfile(findProfile('basic'), { fillers: ['you know'] })
    const left = wordsLeft(profile)
    expect([left('you'), left('you know'), left('you know it')]).toEqual([true, false, true])
  })
})

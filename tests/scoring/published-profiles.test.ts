import { describe, expect, test } from 'vitest'
import { findProfile, profiles } from '#scoring/profiles/index'
import { normalise, type Profile, traceNormalisation } from '#scoring/profiles/profile'
import {
  finishNumbers,
  joinNumberWords,
  prepareNumbers,
} from '../../src/scoring/profiles/published/english-numbers.ts'
import { readVectors } from './vectors.ts'

/** Column of a fixture → profile that has to give it. */
const columns = {
  normalizers: {
    whisper_en: 'whisper-english',
    whisper_basic: 'whisper-basic',
    whisper_basic_nodiac: 'whisper-basic-no-diacritics',
    whisper_basic_split: 'whisper-basic-split-letters',
    leaderboard_en: 'leaderboard-english@1',
    leaderboard_ml: 'leaderboard-multilingual-with-diacritics',
  },
  'normalizer-vectors': {
    whisperEnglish: 'whisper-english',
    whisperBasic: 'whisper-basic',
    whisperBasicNoDiacritics: 'whisper-basic-no-diacritics',
    leaderboardEnglish: 'leaderboard-english@1',
    leaderboardMultilingual: 'leaderboard-multilingual@1',
  },
} as const

const sizes = { normalizers: 6123, 'normalizer-vectors': 4000 } as const
const inputs = { normalizers: 'text', 'normalizer-vectors': 'input' } as const

describe.each(['normalizers', 'normalizer-vectors'] as const)('every row of %s', (name) => {
  const rows = readVectors<Record<string, string>>(name)
  test.each(Object.entries(columns[name]))('has %s from the profile %s', (column, id) => {
    expect(rows).toHaveLength(sizes[name])
    const profile = findProfile(id)
    const different = rows.flatMap((row) => {
      const text = row[inputs[name]] as string
      const made = normalise(text, profile)
      return made === row[column] ? [] : [{ text, made, published: row[column] }]
    })
    expect(different).toEqual([])
  })
})

test('the number stages alone are those of the published number normaliser', () => {
  const different = readVectors<Record<string, string>>('normalizers').flatMap((row) => {
    const prepared = prepareNumbers.apply((row['text'] as string).toLowerCase())
    const made = finishNumbers.apply(joinNumberWords.apply(prepared))
    return made === row['number'] ? [] : [{ text: row['text'], made, published: row['number'] }]
  })
  expect(different).toEqual([])
})

describe.each(profiles.map((profile) => [profile.id, profile] as const))(
  'the profile %s',
  (_, profile: Profile) => {
    test('shows with each stage what that stage does', () => {
      for (const stage of profile.stages)
        expect([stage.name, stage.apply(stage.example[0])]).toEqual([stage.name, stage.example[1]])
    })

    test('has stages of different names, and a fingerprint', () => {
      expect(new Set(profile.stages.map((stage) => stage.name)).size).toBe(profile.stages.length)
      expect(profile.fingerprint).toMatch(/^[0-9a-f]{64}$/)
    })

    test('traces a text to what it makes of it', () => {
      const text = 'Mr. O’Brien’s  3,5 colours (really) <noise> und 你好'
      expect(traceNormalisation(text, profile).at(-1)?.text).toBe(normalise(text, profile))
    })
  },
)

test('profiles have different ids and fingerprints', () => {
  expect(new Set(profiles.map((profile) => profile.id)).size).toBe(profiles.length)
  expect(new Set(profiles.map((profile) => profile.fingerprint)).size).toBe(profiles.length)
})

test('a profile that does not exist is refused with those that do', () => {
  expect(() => findProfile('whisper')).toThrow(/“whisper”.*whisper-english/)
})

test('brackets that are never closed stay, in time that grows with the text', () => {
  const [basic, english] = [findProfile('whisper-basic'), findProfile('whisper-english')]
  expect(normalise('a (b) () (c <d> e', basic)).toBe('a c e')
  expect(normalise('[a] b <c (d)', english)).toBe('b c')
  for (const opening of ['<', '[', '(a'])
    expect(normalise(opening.repeat(300_000), basic).replaceAll(' ', '')).toBe(
      opening.slice(1).repeat(300_000),
    )
})

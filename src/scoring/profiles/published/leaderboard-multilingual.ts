import { profileOfUtterance } from '../by-language.ts'
import { defineProfile, type Profile, type Stage } from '../profile.ts'
import { cardinalOf, type SpelledLanguage, spelledLanguages } from './cardinals/index.ts'
import { englishStages, leaderboardEnglish, multilingualStages } from './leaderboard.ts'
import { asciiNumber } from './python-text.ts'

const parted = /(\p{Nd})\s+(\p{Nd}{3})(?![\p{L}\p{N}_])/gu
const figures = /\p{Nd}+/gu
const hasFigure = /\p{Nd}/u

/** Thousands with a space between are joined, in every language. */
const joinThousands: Stage = {
  name: 'thousands',
  does: 'Groups of three figures after a space are joined to the number before them.',
  example: ['1 000', '1000'],
  apply: (text) => (hasFigure.test(text) ? text.replace(parted, '$1$2') : text),
}

/** Numbers as words of a language, as num2words spells them. */
function spellNumbers(language: SpelledLanguage): Stage {
  const spell = cardinalOf(language)
  return {
    name: 'numbers',
    does: 'Whole numbers are spelt in the language of the utterance.',
    example: ['1000', spell('1000')],
    settings: language,
    apply: (text) =>
      hasFigure.test(text) ? text.replace(figures, (digits) => spell(asciiNumber(digits))) : text,
  }
}

const quirks: readonly string[] = [
  `Numbers are spelt in ${spelledLanguages.join(', ')}; elsewhere, and from 10^18 on, figures stay.`,
  'Only whole numbers are spelt: “3,5” is two numbers, and ordinals lose their point.',
  'Vowel signs are marks and become spaces: नमस्ते turns into “नमस त”. Hindi is scored by another program there.',
]

const rules = {
  id: 'leaderboard-multilingual@2026-07',
  version: 202607,
  purpose:
    'Other languages as the Open ASR Leaderboard scores them since July 2026: numbers spelt, compounds joined.',
  words: 'spaces',
  pairing: 'regions-and-compounds',
  quirks,
} as const

/** Languages without a spelling of numbers share one profile. */
const withFigures = defineProfile({ ...rules, stages: [...multilingualStages, joinThousands] })
const withNumbers = new Map<string, Profile>(
  spelledLanguages.map((language) => [
    language,
    defineProfile({ ...rules, stages: [...multilingualStages, joinThousands, spellNumbers(language)] }),
  ]),
)

/** What the leaderboard prints for other languages since July 2026. */
export const leaderboardMultilingual: Profile = defineProfile({
  ...rules,
  stages: withFigures.stages,
  ofLanguage: (language) => withNumbers.get(codeOf(language)) ?? withFigures,
  languageProfiles: () => [withFigures, ...withNumbers.values()],
})

/** English by its rules and any other language by those of the others. */
export const leaderboard: Profile = defineProfile({
  id: 'leaderboard@2026-07',
  version: 202607,
  purpose: 'The figure that the Open ASR Leaderboard prints: English, or the language of the utterance.',
  stages: englishStages,
  words: 'spaces',
  pairing: 'compounds',
  quirks: [
    'An utterance without a language is English, as in the scripts of the leaderboard.',
    'English is leaderboard-english@2026-06, all others are leaderboard-multilingual@2026-07.',
  ],
  ofLanguage: (language) =>
    language === null || codeOf(language) === 'en'
      ? leaderboardEnglish
      : profileOfUtterance(leaderboardMultilingual, language),
  languageProfiles: () => [leaderboardEnglish, leaderboardMultilingual],
})

function codeOf(language: string | null): string {
  return language === null ? '' : new Intl.Locale(language).language
}

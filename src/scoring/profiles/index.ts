import type { AlignmentRule } from '../alignment/align.ts'
import { scoringErrors } from '../errors.ts'
import { basic } from './basic.ts'
import { english } from './english/english.ts'
import { jiwer, sclite } from './peers.ts'
import type { Profile } from './profile.ts'
import {
  leaderboardEnglish,
  leaderboardMultilingual,
  leaderboardMultilingualWithDiacritics,
} from './published/leaderboard.ts'
import {
  whisperBasic,
  whisperBasicNoDiacritics,
  whisperBasicSplitLetters,
} from './published/whisper-basic.ts'
import { whisperEnglish } from './published/whisper-english.ts'
import { verbatim } from './verbatim.ts'

/** Every profile that comes with the program, the general ones first. */
export const profiles: readonly Profile[] = [
  basic,
  english,
  verbatim,
  whisperEnglish,
  whisperBasic,
  whisperBasicNoDiacritics,
  whisperBasicSplitLetters,
  leaderboardEnglish,
  leaderboardMultilingual,
  leaderboardMultilingualWithDiacritics,
  jiwer,
  sclite,
]

/**
 * @param id as in `profiles`
 * @throws BenchError SCORING_PROFILE_UNKNOWN, naming the profiles that exist
 */
export function findProfile(id: string): Profile {
  const found = profiles.find((profile) => profile.id === id)
  if (found !== undefined) return found
  throw scoringErrors.make('SCORING_PROFILE_UNKNOWN', {
    message: `There is no scoring profile “${id}”. There are: ${profiles.map((profile) => profile.id).join(', ')}.`,
    hint: 'asrbench explain basic',
  })
}

/**
 * The profile that is right when nobody asks for one: for an alignment that follows another scorer, the text as
 * that scorer takes it; else `english` for English and `basic` for any other language, or none that is known.
 *
 * @param language BCP 47 tag, or null
 * @throws RangeError for what has not the form of a tag: `en_US`
 */
export function defaultProfile(language: string | null, alignment: AlignmentRule = 'canonical'): Profile {
  if (alignment === 'jiwer') return jiwer
  if (alignment === 'sclite') return sclite
  return language !== null && new Intl.Locale(language).language === 'en' ? english : basic
}

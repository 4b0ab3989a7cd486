import { readLanguage } from '#prelude/languages'
import { defaultProfile, findProfile } from '#scoring/profiles/index'
import type { Profile } from '#scoring/profiles/profile'
import type { TextScoreOptions } from './scored-pair.ts'

/**
 * Chooses the profile by its name, by the language of each text or of all, by the alignment, or by the texts'
 * script.
 *
 * @throws BenchError SCORING_PROFILE_UNKNOWN, LANGUAGE_UNKNOWN
 */
export function chooseProfile(options: TextScoreOptions): Profile {
  const { profile, language, texts, alignment } = options
  const tag = language === undefined ? null : readLanguage(language)
  if (profile !== undefined) return findProfile(profile)
  const isByLanguage = options.namesLanguages === true && tag === null && isOwnAlignment(alignment)
  return isByLanguage ? findProfile('by-language') : defaultProfile(tag, alignment, texts)
}

function isOwnAlignment(alignment: TextScoreOptions['alignment']): boolean {
  return alignment !== 'jiwer' && alignment !== 'sclite'
}

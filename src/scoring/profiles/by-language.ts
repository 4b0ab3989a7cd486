import { basic } from './basic.ts'
import { defineProfile, type Profile } from './profile.ts'

/**
 * A profile for a corpus of several languages: every utterance is scored by the profile of its language.
 *
 * @param profileOf a language: BCP 47 tag, or null where it is not known
 * @param all every profile that it may return, for the fingerprint
 */
export function profileByLanguage(
  profileOf: (language: string | null) => Profile,
  all: () => readonly Profile[],
): Profile {
  return defineProfile({
    id: 'by-language@1',
    version: 1,
    purpose: 'A corpus of several languages: every utterance is scored by the profile of its language.',
    stages: basic.stages,
    words: basic.words,
    ofLanguage: profileOf,
    languageProfiles: all,
    quirks: [
      'The rate of the whole corpus adds up words of all languages; the table by language has the rates to compare.',
      'What looks at texts without their language (suspect references, repeats) reads them as basic does.',
    ],
  })
}

/** The profile that an utterance is scored by. */
export function profileOfUtterance(profile: Profile, language: string | null = null): Profile {
  return profile.ofLanguage?.(language) ?? profile
}

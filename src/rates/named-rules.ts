import { extendProfile, type Profile, type ScoringRules } from '#scoring/counting'

/** Rules of a user, by the name that they give the profile: `english+shop`. */
export interface NamedRules {
  readonly name: string
  readonly rules: ScoringRules
}

/** A profile with what was added to it. */
export interface ExtendedProfile {
  readonly profile: Profile
  /** Null where there is nothing to look for. */
  readonly vocabulary: readonly string[] | null
}

/** A profile with rules added, and the words of their vocabularies. */
export function extended(profile: Profile, added: readonly NamedRules[]): ExtendedProfile {
  const words = added.flatMap(({ rules }) => rules.vocabulary ?? [])
  return {
    profile: added.reduce((made, { name, rules }) => extendProfile(made, rules, name), profile),
    vocabulary: words.length === 0 ? null : [...new Set(words)],
  }
}

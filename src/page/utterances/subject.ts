import type { PageScoring } from '#reports/page'
import { extendProfile, findRecordedProfile, type Profile } from '#scoring'

/** Whose utterances are listed: what the list needs to know of its run. */
export interface Subject {
  /** In the order of the config; none where a corpus alone is listed. */
  readonly contenders: readonly string[]
  readonly failures: readonly string[]
  /** The rules that texts are aligned and counted by. */
  readonly profile: Profile
  /** False where the figures were made with rules that the page lacks. */
  readonly isProfileComplete: boolean
  readonly utteranceCount: number
}

/** The rules as the scorer takes them. */
export function profileOf({ profileId, rules }: PageScoring): Profile {
  return rules.reduce(
    (profile, added) => extendProfile(profile, added.rules, added.name),
    findRecordedProfile(profileId),
  )
}

import { defaultNoSpeechRules, type NoSpeechRule } from '#contract'
import type { RunRecord } from '#journal'
import { type ExtendedProfile, extended, type NamedRules } from '#rates'
import { findProfile, findRecordedProfile } from '#scoring'

/** What decides how texts are compared: a profile, what is added to it, and the words that are looked for. */
export interface ScoringChoice {
  /** Id of a profile as it comes with the program; without it the run's own, with the run's own rules. */
  readonly profile?: string | undefined
  /** What is added to the profile, in this order. */
  readonly rules?: readonly NamedRules[] | undefined
}

/**
 * What a run is scored with. The rules of a run's config belong to its own profile: who names another one gets
 * it as it is published, and adds to it what is named next to it.
 *
 * @throws BenchError SCORING_PROFILE_UNKNOWN
 */
export function chooseScoring(record: RunRecord, { profile, rules }: ScoringChoice): ExtendedProfile {
  const own = record.scoringRules === undefined ? [] : [{ name: 'own', rules: record.scoringRules }]
  const added = [...(profile === undefined ? own : []), ...(rules ?? [])]
  return extended(
    profile === undefined ? findRecordedProfile(record.scoringProfile) : findProfile(profile),
    added,
  )
}

/** Which answers mean that no speech was heard: the chosen rules, or those of the run's config, or the API's own. */
export function chooseNoSpeech(
  { noSpeech }: RunRecord,
  chosen: readonly NoSpeechRule[] | undefined,
): readonly NoSpeechRule[] {
  return chosen ?? noSpeech ?? defaultNoSpeechRules
}

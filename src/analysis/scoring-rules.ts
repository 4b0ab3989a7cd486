import { defaultNoSpeechRules, type NoSpeechRule } from '#contract'
import type { RunRecord } from '#journal'
import { extendProfile, findProfile, type Profile, type ScoringRules } from '#scoring'

/** Rules of a person's own, by the name that they give the profile: `english+shop`. */
export interface NamedRules {
  readonly name: string
  readonly rules: ScoringRules
}

/** What decides how texts are compared: a profile, what is added to it, and the words that are looked for. */
export interface ScoringChoice {
  /** Id of a profile as it comes with the program; without it the run's own, with the run's own rules. */
  readonly profile?: string | undefined
  /** What is added to the profile, in this order. */
  readonly rules?: readonly NamedRules[] | undefined
}

/** A choice, made. */
export interface ChosenScoring {
  readonly profile: Profile
  /** Null where there is nothing to look for. */
  readonly vocabulary: readonly string[] | null
}

/**
 * What a run is scored with. The rules of a run's config belong to its own profile: who names another one gets
 * it as it is published, and adds to it what is named beside it.
 *
 * @throws BenchError SCORING_PROFILE_UNKNOWN
 */
export function chooseScoring(record: RunRecord, { profile, rules }: ScoringChoice): ChosenScoring {
  const own = record.scoringRules === undefined ? [] : [{ name: 'own', rules: record.scoringRules }]
  const added = [...(profile === undefined ? own : []), ...(rules ?? [])]
  return extended(findProfile(profile ?? record.scoringProfile), added)
}

/** Which answers mean that no speech was heard: the chosen rules, or those of the run's config, or the API's own. */
export function chooseNoSpeech(
  { noSpeech }: RunRecord,
  chosen: readonly NoSpeechRule[] | undefined,
): readonly NoSpeechRule[] {
  return chosen ?? noSpeech ?? defaultNoSpeechRules
}

/** A profile with rules added, and the words of their vocabularies. */
export function extended(profile: Profile, added: readonly NamedRules[]): ChosenScoring {
  const words = added.flatMap(({ rules }) => rules.vocabulary ?? [])
  return {
    profile: added.reduce((made, { name, rules }) => extendProfile(made, rules, name), profile),
    vocabulary: words.length === 0 ? null : [...new Set(words)],
  }
}

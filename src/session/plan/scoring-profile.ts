import { automaticProfile, type BenchConfig, detectedLanguage } from '#config'
import type { Utterance } from '#corpus'
import type { RecordedRules } from '#journal'
import { defaultCorpusProfile, defaultProfile, extendProfile, findProfile, type Profile } from '#scoring'

/** References, with the language of those whose manifest names none; null where it is not clear. */
interface ReadReferences {
  readonly utterances: readonly Utterance[]
  readonly writtenLanguage: string | null
}

type Config = Pick<BenchConfig, 'contenders' | 'scoring'>

/**
 * The id of the profile that a run is scored with: the one that the config names, or the one of its language.
 * The language of an utterance is that of its manifest. Where the manifest has none, the references decide: the script for
 * the scripts that are written without spaces, then the language that they are written in. Where that is not clear, it is the language
 * that all contenders name, if it is not "auto". Utterances with different default profiles are scored by the profile of each language.
 */
export function scoringProfileId(
  { contenders, scoring }: Config,
  { utterances, writtenLanguage }: ReadReferences,
): string {
  if (scoring.profile !== automaticProfile) return findProfile(scoring.profile).id
  const asked = new Set(contenders.map(({ language }) => (language === detectedLanguage ? null : language)))
  const [only = null] = asked
  const languages = new Set(utterances.map((utterance) => utterance.language))
  const texts = languages.has(null)
    ? utterances.flatMap(({ language, text }) => (language === null ? text : []))
    : []
  const byScript = defaultProfile(null, 'canonical', texts)
  const language = writtenLanguage ?? (asked.size > 1 ? null : only)
  const unknown = byScript.leads === 'characters' || language === null ? byScript : defaultProfile(language)
  return defaultCorpusProfile(languages, unknown).id
}

/** The profile with what the config adds to it. */
export function scoringProfile(config: Config, corpus: ReadReferences): Profile {
  return extendProfile(findProfile(scoringProfileId(config, corpus)), config.scoring)
}

/** What the config adds to the profile, for the record; undefined where it adds nothing. */
export function recordedRules({ scoring }: Config): RecordedRules | undefined {
  const { fillers, replacements, equivalences, vocabulary } = scoring
  const rules = { fillers, replacements, equivalences, vocabulary }
  return Object.values(rules).every((list) => list.length === 0) ? undefined : rules
}

import type { AlignmentRule } from '../alignment/align.ts'
import { scoringErrors } from '../errors.ts'
import { isUnspacedLanguage } from '../tokens.ts'
import { basic, unspaced } from './basic.ts'
import { profileByLanguage } from './by-language.ts'
import { languageProfiles, looseProfiles, profileOfLanguage } from './languages/all.ts'
import { english2, english3 } from './languages/english.ts'
import { jiwer, sclite } from './peers.ts'
import { plainProfile } from './plain-profile.ts'
import { type Profile, profileName } from './profile.ts'
import {
  leaderboardEnglish,
  leaderboardEnglish1,
  leaderboardMultilingual1,
  leaderboardMultilingualWithDiacritics,
} from './published/leaderboard.ts'
import { leaderboard, leaderboardMultilingual } from './published/leaderboard-multilingual.ts'
import {
  whisperBasic,
  whisperBasicNoDiacritics,
  whisperBasicSplitLetters,
} from './published/whisper-basic.ts'
import { whisperEnglish } from './published/whisper-english.ts'
import { verbatim } from './verbatim.ts'

const byLanguage: Profile = profileByLanguage(
  (language) => defaultProfile(language),
  () => [basic, unspaced, english3, ...languageProfiles],
)

/** Every profile that comes with the program, the general ones first. */
export const profiles: readonly Profile[] = [
  basic,
  unspaced,
  english3,
  english2,
  ...languageProfiles,
  ...looseProfiles,
  byLanguage,
  verbatim,
  whisperEnglish,
  whisperBasic,
  whisperBasicNoDiacritics,
  whisperBasicSplitLetters,
  leaderboard,
  leaderboardEnglish,
  leaderboardEnglish1,
  leaderboardMultilingual,
  leaderboardMultilingual1,
  leaderboardMultilingualWithDiacritics,
  jiwer,
  sclite,
]

/** Names under which a profile can be asked for: every id, and the name alone of those that have several versions. */
export const profileNames: readonly string[] = [
  ...new Set(profiles.flatMap(({ id }) => (id.includes('@') ? [profileName(id), id] : [id]))),
]

/**
 * The profile that a person asks for: `english` is its newest version.
 *
 * @param name as in `profileNames`
 * @throws BenchError SCORING_PROFILE_UNKNOWN, naming the profiles that exist
 */
export function findProfile(name: string): Profile {
  return newest(profiles.filter(({ id }) => id === name || profileName(id) === name)) ?? unknownProfile(name)
}

/**
 * The profile that a document names, with its version where there are several.
 *
 * @throws BenchError SCORING_PROFILE_UNKNOWN
 */
export function findRecordedProfile(id: string): Profile {
  return profiles.find((profile) => profile.id === id) ?? unknownProfile(id)
}

function newest(versions: readonly Profile[]): Profile | undefined {
  return versions.toSorted((a, b) => b.version - a.version)[0]
}

function unknownProfile(name: string): never {
  throw scoringErrors.make('SCORING_PROFILE_UNKNOWN', {
    message: `There is no scoring profile “${name}”. There are: ${profileNames.join(', ')}.`,
    hint: 'transcribench explain basic',
  })
}

/**
 * The default profile: for an alignment that follows another scorer, the text as that scorer takes it; else the profile of the
 * language, `unspaced` for another language that is written without spaces, and `basic` for any other language. Where the
 * language is unknown, the script of the texts decides between `unspaced` and `basic`.
 *
 * @param language BCP 47 tag, or null
 * @param texts references, read where the language is null
 * @throws RangeError for what has not the form of a tag: `en_US`
 */
export function defaultProfile(
  language: string | null,
  alignment: AlignmentRule = 'canonical',
  texts: Iterable<string> = [],
): Profile {
  if (language === null || alignment === 'jiwer' || alignment === 'sclite')
    return plainProfile(alignment, texts)
  const { language: code, script } = new Intl.Locale(language)
  // In Latin letters a language has other rules than in its own script.
  const profile = script === 'Latn' ? undefined : profileOfOwnLanguage(code)
  if (profile !== undefined) return profile
  return isUnspacedLanguage(language) ? unspaced : basic
}

/**
 * The default profile of a corpus: the one that all of its utterances share, else the one that scores each by its language.
 *
 * @param languages BCP 47 tags, null where one is not known
 * @param unknown the profile of utterances whose language is not known
 */
export function defaultCorpusProfile(languages: Iterable<string | null>, unknown: Profile): Profile {
  const all = new Set<Profile>()
  for (const language of new Set(languages)) all.add(language === null ? unknown : defaultProfile(language))
  const [only = unknown] = all
  return all.size <= 1 ? only : byLanguage
}

/**
 * The profile with the rules of a language, whichever profile a text is scored by.
 *
 * @param language BCP 47 tag, or null where it is not known
 * @param chosen what the text is scored by: where the language is not known, and these are rules of one, those
 * @returns null for a language without rules
 */
export function languageRules(language: string | null, chosen: Profile): Profile | null {
  const rules = [english3, english2, ...languageProfiles, ...looseProfiles]
  const profile = language === null ? chosen : defaultProfile(language)
  // By the id first, because a fingerprint reads the whole language.
  return rules.find((each) => each.id === profile.id && each.fingerprint === profile.fingerprint) ?? null
}

/** Norwegian without a written form is Bokmål, as `no` is used. */
function profileOfOwnLanguage(code: string | undefined): Profile | undefined {
  if (code === 'en') return english3
  return profileOfLanguage.get(code === 'no' ? 'nb' : (code ?? ''))
}

import { normaliseForPair, type Profile } from './profile.ts'

/** A profile that makes every text once, for those who look at the same texts again and again. */
export interface RememberedProfile {
  /** Has the id and the fingerprint of the profile, and gives the same texts. */
  readonly profile: Profile
  /** The same without its spellings, where those are its last stage. */
  readonly withoutSpellings: Profile
}

/** Enough for the references and answers of two runs of a million requests, which take some 80 MB. */
const defaultMaxTexts = 250_000

/**
 * Keeps what a profile makes of texts, for as long as the result is kept.
 *
 * @param maxTexts max number of texts of a language; one more clears them all
 */
export function rememberTexts(profile: Profile, maxTexts: number = defaultMaxTexts): RememberedProfile {
  const { ofLanguage } = profile
  return ofLanguage === undefined
    ? rememberOne(profile, maxTexts)
    : rememberEach(profile, ofLanguage, maxTexts)
}

/** Each language keeps what its own profile makes. */
function rememberEach(
  profile: Profile,
  ofLanguage: NonNullable<Profile['ofLanguage']>,
  maxTexts: number,
): RememberedProfile {
  const rememberedByProfile = new Map<Profile, RememberedProfile>()
  const rememberedOf = (language: string | null): RememberedProfile => {
    const languageProfile = ofLanguage(language)
    const remembered = rememberedByProfile.get(languageProfile) ?? rememberOne(languageProfile, maxTexts)
    rememberedByProfile.set(languageProfile, remembered)
    return remembered
  }
  const others = rememberOne({ ...profile, ofLanguage: undefined }, maxTexts)
  return {
    profile: { ...others.profile, ofLanguage: (language) => rememberedOf(language).profile },
    withoutSpellings: {
      ...others.withoutSpellings,
      ofLanguage: (language) => rememberedOf(language).withoutSpellings,
    },
  }
}

const shortened = new WeakMap<Profile['stages'], Profile['stages']>()

/** The same array each time: what is known of words is kept with the array of stages, and takes long to set up. */
function withoutLast(stages: Profile['stages']): Profile['stages'] {
  const others = shortened.get(stages) ?? stages.slice(0, -1)
  shortened.set(stages, others)
  return others
}

function rememberOne(profile: Profile, maxTexts: number): RememberedProfile {
  const finished = new Map<string, string>()
  /** Only of texts that the spellings change. */
  const unfinished = new Map<string, string>()
  const last = profile.stages.at(-1)
  const others = { ...profile, stages: withoutLast(profile.stages) }
  const hasSpellings = last?.name === 'spellings'
  const make = (text: string): string => {
    const known = finished.get(text)
    if (known !== undefined) return known
    const before = normaliseForPair(text, others)
    const result = last === undefined ? before : last.apply(before)
    if (finished.size >= maxTexts) {
      finished.clear()
      unfinished.clear()
    }
    finished.set(text, result)
    if (hasSpellings && before !== result) unfinished.set(text, before)
    return result
  }
  const inOneStage = (apply: (text: string) => string): Profile => ({
    ...profile,
    stages: [
      {
        name: 'all at once',
        does: 'What was made before is kept.',
        example: ['', ''],
        apply,
      },
    ],
  })
  return {
    profile: inOneStage(make),
    withoutSpellings: inOneStage((text) => {
      const result = make(text)
      return unfinished.get(text) ?? result
    }),
  }
}

import { normalise, type Profile } from './profile.ts'

/** A profile that makes every text once, for those who look at the same texts again and again. */
export interface RememberedProfile {
  /** Makes of every text what the profile does, and goes by its id and fingerprint. */
  readonly profile: Profile
  /** The same without its last stage. */
  readonly withoutLastStage: Profile
}

/**
 * Keeps what a profile makes of texts, for as long as the result is kept.
 *
 * @param maxTexts how many texts are cached; default: no limit
 */
export function rememberTexts(
  profile: Profile,
  maxTexts: number = Number.POSITIVE_INFINITY,
): RememberedProfile {
  const made = new Map<string, string>()
  /** Only of texts that the last stage changes. */
  const unfinished = new Map<string, string>()
  const last = profile.stages.at(-1)
  const others = { ...profile, stages: profile.stages.slice(0, -1) }
  const make = (text: string): string => {
    const known = made.get(text)
    if (known !== undefined) return known
    const before = normalise(text, others)
    const result = last === undefined ? before : last.apply(before)
    if (made.size >= maxTexts) {
      made.clear()
      unfinished.clear()
    }
    made.set(text, result)
    if (before !== result) unfinished.set(text, before)
    return result
  }
  const inOneStage = (apply: (text: string) => string): Profile => ({
    ...profile,
    stages: [
      {
        name: 'all at once',
        does: 'What was made before is kept.',
        example: ['', ''],
        settings: null,
        apply,
      },
    ],
  })
  return {
    profile: inOneStage(make),
    withoutLastStage: inOneStage((text) => {
      const result = make(text)
      return unfinished.get(text) ?? result
    }),
  }
}

import { defineProfile, normalise, type Profile, type Stage } from './profile.ts'
import { type Replacement, replacementStage } from './replacements.ts'

/** What a person adds to a profile. All texts may be written as people write them. */
export interface ProfileExtension {
  /** Names the new profile: `english+shop`. */
  readonly name: string
  /** Words that only fill a pause and do not count on either side. */
  readonly fillers?: readonly string[]
  /** Texts that are written otherwise, in the order in which they are tried. */
  readonly replacements?: readonly Replacement[]
  /** Ways to write the same; the first of each list is what all of them become. */
  readonly equivalences?: readonly (readonly string[])[]
  /** Spellings that stand for every way to break or join them: `wifi` for `wi fi` and `wi-fi`. */
  readonly vocabulary?: readonly string[]
}

/**
 * A profile with further stages after its own. Everything in the extension goes through the profile first, so
 * that it meets the texts as they are by then. The new profile has a fingerprint of its own.
 */
export function extendProfile(profile: Profile, extension: ProfileExtension): Profile {
  const made = (text: string): string => normalise(text, profile)
  const { fillers = [], replacements = [], equivalences = [], vocabulary = [] } = extension
  const stages: Stage[] = []
  if (fillers.length > 0)
    stages.push(
      wholeWordStage(
        'own fillers',
        'Words that only fill a pause go.',
        fillers.map((word) => [made(word), '']),
      ),
    )
  if (replacements.length > 0) {
    stages.push(replacementStage('own replacements', 'Texts are written otherwise, by a list.', replacements))
  }
  const equal = equivalences.flatMap(([first = '', ...others]) =>
    others.map((other): readonly [string, string] => [made(other), made(first)]),
  )
  if (equal.length > 0)
    stages.push(wholeWordStage('own equivalences', 'Ways to write the same become one.', equal))
  const spellings = vocabulary.flatMap((word) => brokenSpellings(made(word)))
  if (spellings.length > 0) {
    stages.push(wholeWordStage('own vocabulary', 'Broken spellings of known words are joined.', spellings))
  }
  return defineProfile({
    ...profile,
    id: `${profile.id}+${extension.name}`,
    purpose: `${profile.purpose} With ${stages.map((stage) => stage.name).join(', ')}.`,
    stages: [...profile.stages, ...stages],
  })
}

/** The longest is tried first, so that a phrase goes before its words. */
function wholeWordStage(name: string, does: string, pairs: readonly (readonly [string, string])[]): Stage {
  const rules = pairs
    .filter(([from, to]) => from !== '' && from !== to)
    .toSorted(([a], [b]) => b.length - a.length)
    .map(([from, to]): Replacement => ({ from, to, before: ' ', after: ' ' }))
  return replacementStage(name, does, rules)
}

/** Every way to part a word in two or to write its parts together: `wi fi` and `wifi`. */
function brokenSpellings(word: string): (readonly [string, string])[] {
  const joined = word.replaceAll(' ', '')
  const letters = Array.from(joined)
  const parted = letters
    .slice(1)
    .map((_, index) => `${letters.slice(0, index + 1).join('')} ${letters.slice(index + 1).join('')}`)
  return [joined, ...parted].map((spelling) => [spelling, word])
}

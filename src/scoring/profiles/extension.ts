import { defineProfile, normaliseForPair, type Profile, type Stage } from './profile.ts'

/**
 * What a person adds to a profile, as data: in the scoring section of a config, or in a file of rules. All texts
 * may be written as people write them, capitals, accents and marks included.
 */
export interface ScoringRules {
  /** Words and phrases that only fill a pause and do not count on either side. */
  readonly fillers?: readonly string[] | undefined
  /** Texts that are written otherwise, in the order in which they are tried. */
  readonly replacements?: readonly ReplacementRule[] | undefined
  /** Ways to write the same; the first of each list is what all of them become. */
  readonly equivalences?: readonly (readonly string[])[] | undefined
  /** Spellings that cover every way to break or join them: `wifi` for `wi fi` and `wi-fi`. */
  readonly vocabulary?: readonly string[] | undefined
}

/** A replacement as a user writes it: of whole words, unless `before` or `after` says otherwise. */
export interface ReplacementRule {
  readonly from: string
  /** Empty where `from` is to go. */
  readonly to: string
  /** Required text directly before `from`, spaces included; default: a space; empty for any text. */
  readonly before?: string | undefined
  /** Required text directly after `from`, spaces included; default: a space; empty for any text. */
  readonly after?: string | undefined
}

/**
 * A profile with further stages after its own: fillers, replacements, equivalences, vocabulary. Everything in the
 * rules goes through the profile first, so that it meets the texts as they are by then.
 *
 * @param name of the rules: `english` with `shop` is `english+shop`
 * @returns a profile with a new fingerprint; the same profile where the rules do nothing
 */
export function extendProfile(profile: Profile, rules: ScoringRules, name = 'own'): Profile {
  const { ofLanguage } = profile
  const extended = extendOne(profile, rules, name)
  if (ofLanguage === undefined || extended === profile) return extended
  const extendedByProfile = new Map<Profile, Profile>()
  return {
    ...extended,
    ofLanguage(language) {
      const languageProfile = ofLanguage(language)
      const withRules = extendedByProfile.get(languageProfile) ?? extendOne(languageProfile, rules, name)
      extendedByProfile.set(languageProfile, withRules)
      return withRules
    },
  }
}

function extendOne(profile: Profile, rules: ScoringRules, name: string): Profile {
  const normalised = (text: string): string => normaliseForPair(text, profile)
  const { fillers = [], replacements = [], equivalences = [], vocabulary = [] } = rules
  const equal = equivalences.flatMap(([first = '', ...others]) =>
    others.map((other): readonly [string, string] => [normalised(other), normalised(first)]),
  )
  const stages = [
    wholeWordStage(
      `fillers (${name})`,
      'Words that only fill a pause go.',
      fillers.map((word) => [normalised(word), '']),
    ),
    listStage(
      `replacements (${name})`,
      'Texts are written otherwise, by a list.',
      replacements.map((rule) => normalisedRule(rule, normalised)),
    ),
    wholeWordStage(`equivalences (${name})`, 'Ways to write the same become one.', equal),
    wholeWordStage(
      `vocabulary (${name})`,
      'Broken spellings of known words are joined.',
      vocabulary.flatMap((word) => brokenSpellings(normalised(word))),
    ),
  ].filter((stage) => stage !== null)
  if (stages.length === 0) return profile
  return defineProfile({
    ...profile,
    id: `${profile.id}+${name}`,
    purpose: `${profile.purpose} With ${stages.map((stage) => stage.name).join(', ')}.`,
    stages: [...profile.stages, ...stages],
  })
}

/** The texts of a rule as the profile has them by then; spaces at their ends are part of what it says. */
function normalisedRule(
  { from, to, before = ' ', after = ' ' }: ReplacementRule,
  normalised: (text: string) => string,
): Replacement {
  const spaced = (text: string): string => {
    const core = normalised(text.trim())
    const [start, end] = [/^\s/, /\s$/].map((space) => (space.test(text) ? ' ' : ''))
    return core === '' ? `${start}` : `${start}${core}${end}`
  }
  // 'cause is a separate word, and would be a part of because if the profile took its apostrophe.
  const isWhole = startsOrEndsInSpace(before) && startsOrEndsInSpace(after)
  const isKept = isWhole || normalised(from.trim()).toLowerCase() === from.trim().toLowerCase()
  return {
    from: isKept ? spaced(from) : from,
    to: spaced(to),
    before: spaced(before),
    after: spaced(after),
  }
}

function startsOrEndsInSpace(context: string): boolean {
  return /^\s|\s$/.test(context)
}

/** Null where no rule can ever do anything. */
function listStage(name: string, does: string, rules: readonly Replacement[]): Stage | null {
  const working = rules.filter(({ from, to }) => from.trim() !== '' && from !== to)
  return working.length === 0 ? null : replacementStage(name, does, working)
}

/** The longest is tried first, so that a phrase goes before its words. */
function wholeWordStage(
  name: string,
  does: string,
  pairs: readonly (readonly [string, string])[],
): Stage | null {
  const longestFirst = pairs.toSorted(([a], [b]) => b.length - a.length)
  return listStage(
    name,
    does,
    longestFirst.map(([from, to]) => ({ from, to, before: ' ', after: ' ' })),
  )
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

/** A text to replace, where it is between certain other texts. */
interface Replacement {
  readonly from: string
  readonly to: string
  /** Required text directly before it, spaces included; empty for any text. */
  readonly before: string
  /** Required text directly after it, spaces included; empty for any text. */
  readonly after: string
}

/**
 * A stage that goes through a text once, from the left: at each place the first rule that fits is applied, and
 * what it has written is not looked at again. The text counts as surrounded by spaces, so that
 * rules can match whole words.
 *
 * @see SCTK, doc/rfilter1.htm
 */
function replacementStage(name: string, does: string, replacements: readonly Replacement[]): Stage {
  const first = replacements[0]
  const byLetter = Map.groupBy(replacements, ({ from }) => from.charAt(0))
  return {
    name,
    does,
    example: first === undefined ? ['', ''] : [first.from.trim(), first.to.trim()],
    settings: replacements.map(({ from, to, before, after }) => [from, to, before, after]),
    apply: (text) => replaceOnce(` ${text} `, byLetter).replace(/ {2,}/g, ' ').trim(),
  }
}

function replaceOnce(text: string, byLetter: ReadonlyMap<string, readonly Replacement[]>): string {
  let result = ''
  let copied = 0
  let at = 0
  while (at < text.length) {
    const fitting = byLetter.get(text.charAt(at))?.find((rule) => fits(rule, text, at))
    if (fitting === undefined) at += 1
    else {
      result += text.slice(copied, at) + fitting.to
      at += fitting.from.length
      copied = at
    }
  }
  return result + text.slice(copied)
}

function fits({ from, before, after }: Replacement, text: string, at: number): boolean {
  return (
    text.startsWith(from, at) &&
    at >= before.length &&
    text.startsWith(before, at - before.length) &&
    text.startsWith(after, at + from.length)
  )
}

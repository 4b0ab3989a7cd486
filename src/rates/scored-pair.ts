import { withoutUndefined } from '#prelude'
import { parseLanguage, readLanguage } from '#prelude/languages'
import type { AlignmentRule } from '#scoring/alignment/align'
import type { ScliteOptions, TranscriptPart } from '#scoring/alignment/networks'
import { errorRate } from '#scoring/counts'
import { extendProfile, type ScoringRules } from '#scoring/profiles/extension'
import { normalise, type Profile } from '#scoring/profiles/profile'
import type { ScoreOptions, Utterance } from '#scoring/read-pair'
import { alignUtterance, scoreUtterance, type UtteranceScore } from '#scoring/score-utterance'
import type { AlignmentStep } from '#scoring/shapes'
import type { CharacterRule } from '#scoring/tokens'
import type { ScoredText } from './documents.ts'

/** Version of the document that `transcribench wer --json` prints. */
export const textScoreFormatVersion = 3

/** Version of the document that `transcribench wer --json` prints for several systems. */
export const systemsScoreFormatVersion = 1

export interface TextScoreOptions {
  /** Id of the profile; default: by language and alignment. */
  readonly profile?: string | undefined
  /** Rules that are added to the profile, in this order. */
  readonly rules?: readonly NamedRules[] | undefined
  /** A BCP 47 tag, an ISO 639 code or an English name, which decides the default profile. */
  readonly language?: string | undefined
  /** The first references, whose script decides the default profile without a language. */
  readonly texts?: readonly string[] | undefined
  /** Whether the first utterances name their languages, each of which then has its own profile. */
  readonly namesLanguages?: boolean | undefined
  /** Default: `canonical`. */
  readonly alignment?: AlignmentRule | undefined
  /** Default: that of the profile; code points for jiwer's alignment. */
  readonly characters?: CharacterRule | undefined
  /** Both are off by default. They apply to sclite's alignment only. */
  readonly sclite?: ScliteOptions | undefined
  readonly seed: number
  /** Groupings: `speaker`, `duration` or names of tags. */
  readonly by?: readonly string[] | undefined
  /** Number of most frequent confusions to list; default: none. */
  readonly confusions?: number | undefined
  /** `words` skips character error rates. */
  readonly only?: 'words' | undefined
}

/** Rules of a user, with the name that is appended to the profile: `english+shop`. */
export interface NamedRules {
  readonly name: string
  readonly rules: ScoringRules
}

export interface ExtendedProfile {
  readonly profile: Profile
  /** Null where there are no terms to look for. */
  readonly vocabulary: readonly string[] | null
}

export function extended(profile: Profile, added: readonly NamedRules[]): ExtendedProfile {
  const words = added.flatMap(({ rules }) => rules.vocabulary ?? [])
  return {
    profile: added.reduce((made, { name, rules }) => extendProfile(made, rules, name), profile),
    vocabulary: words.length === 0 ? null : [...new Set(words)],
  }
}

/** Parses a language into a tag, in any of its spellings; null for text that is no language. */
export function languageTag(written: string | null | undefined): string | null {
  if (written === null || written === undefined || written.trim() === '') return null
  const parsed = parseLanguage(written)
  return parsed.ok ? parsed.value : null
}

export interface ScoredPair {
  readonly score: UtteranceScore
  /** True where the reference is in a script with vowel signs, and the profile drops them. */
  readonly losesVowelSigns: boolean
}

/** Scores utterances one by one, without keeping any. */
export interface PairScorer {
  readonly scoring: ScoreOptions
  score(utterance: Utterance): ScoredPair
  /** Aligns the words of both sides as `score` counts them. */
  align(utterance: Utterance): readonly AlignmentStep[]
}

// Devanagari to Myanmar, and Khmer: scripts whose vowels are signs on consonants.
const signedScript = /[\u0900-\u109f\u1780-\u17ff]/
const signedWord = 'की'

/**
 * @param chosen profile that `chooseProfile` returned for these options
 * @throws BenchError LANGUAGE_UNKNOWN
 */
export function startPairScorer(options: TextScoreOptions, chosen: Profile): PairScorer {
  const scoring = scoreOptions(options, chosen)
  const language = options.language === undefined ? null : readLanguage(options.language)
  const dropsSigns = normalise(signedWord, scoring.profile) !== signedWord
  return {
    scoring,
    score: (utterance) => ({
      score: scoreUtterance(withLanguage(utterance, scoring, language), scoring),
      losesVowelSigns: dropsSigns && signedScript.test(writtenText(utterance.reference)),
    }),
    align: (utterance) => alignUtterance(withLanguage(utterance, scoring, language), scoring).steps,
  }
}

function scoreOptions(options: TextScoreOptions, chosen: Profile): ScoreOptions {
  const { alignment, characters, sclite, only, rules = [] } = options
  return {
    profile: extended(chosen, rules).profile,
    ...withoutUndefined({ alignment, characters, sclite, only }),
  }
}

/** Sets the language of an utterance, or else of all, where the language decides the profile. */
function withLanguage(utterance: Utterance, { profile }: ScoreOptions, all: string | null): Utterance {
  return profile.ofLanguage === undefined
    ? utterance
    : { ...utterance, language: languageTag(utterance.tags?.['language']) ?? all }
}

export function makeRow(
  { reference, hypothesis }: Utterance,
  { id, speaker, tags, words, characters }: UtteranceScore,
  steps: ScoredText['steps'],
): ScoredText {
  return {
    id,
    speaker,
    tags,
    reference: writtenText(reference),
    hypothesis: hypothesis === null ? null : writtenText(hypothesis),
    words,
    characters,
    wordErrorRate: words === null ? null : errorRate(words),
    steps,
  }
}

/** Formats a transcript as text, with its alternatives in braces. */
export function writtenText(text: Utterance['reference']): string {
  if (typeof text === 'string') return text
  const written = text.map((part) => (typeof part === 'string' ? part : writtenPart(part)))
  const isList = text.length > 1 && typeof text[0] === 'string'
  return isList ? `{ ${written.join(' / ')} }` : written.join(' ')
}

function writtenPart(part: TranscriptPart): string {
  if (part.kind === 'words') return part.words.join(' ')
  if (part.kind === 'optional') return `(${part.word})`
  const branches = part.branches.map((branch) => branch.map(writtenPart).join(' ') || '@')
  return branches.join() === '@' ? '@' : `{ ${branches.join(' / ')} }`
}

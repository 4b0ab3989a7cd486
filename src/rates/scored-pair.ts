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

/** Version of the document that `transcribench wer` prints of several systems. */
export const systemsScoreFormatVersion = 1

export interface TextScoreOptions {
  /** Id; by language and alignment by default. */
  readonly profile?: string | undefined
  /** What is added to the profile, in this order. */
  readonly rules?: readonly NamedRules[] | undefined
  /** A BCP 47 tag, an ISO 639 code or an English name, for the default profile. */
  readonly language?: string | undefined
  /** The first references, whose script decides the default profile where no language is named. */
  readonly texts?: readonly string[] | undefined
  /** Whether the first utterances name their languages, each of which then has its own profile. */
  readonly namesLanguages?: boolean | undefined
  /** `canonical` by default. */
  readonly alignment?: AlignmentRule | undefined
  /** Default: those of the profile; code points for jiwer's alignment. */
  readonly characters?: CharacterRule | undefined
  /** Both are off by default. Only for sclite's alignment. */
  readonly sclite?: ScliteOptions | undefined
  /** Of the intervals. */
  readonly seed: number
  /** `speaker`, `duration` or names of tags. */
  readonly by?: readonly string[] | undefined
  /** How many of the most frequent ones; none by default. */
  readonly confusions?: number | undefined
  /** Characters are not counted. */
  readonly only?: 'words' | undefined
}

/** Rules of a user, by the name that they give the profile: `english+shop`. */
export interface NamedRules {
  readonly name: string
  readonly rules: ScoringRules
}

/** A profile with what was added to it. */
export interface ExtendedProfile {
  readonly profile: Profile
  /** Null where there is nothing to look for. */
  readonly vocabulary: readonly string[] | null
}

/** A profile with rules added, and the words of their vocabularies. */
export function extended(profile: Profile, added: readonly NamedRules[]): ExtendedProfile {
  const words = added.flatMap(({ rules }) => rules.vocabulary ?? [])
  return {
    profile: added.reduce((made, { name, rules }) => extendProfile(made, rules, name), profile),
    vocabulary: words.length === 0 ? null : [...new Set(words)],
  }
}

/** A language as a tag, however it is written; null for what is none. */
export function languageTag(written: string | null | undefined): string | null {
  if (written === null || written === undefined || written.trim() === '') return null
  const parsed = parseLanguage(written)
  return parsed.ok ? parsed.value : null
}

/** What is counted of one utterance. */
export interface ScoredPair {
  readonly score: UtteranceScore
  /** The reference is in a script with vowel signs, and the profile drops them. */
  readonly losesVowelSigns: boolean
}

/** Counts utterances one by one; keeps nothing. */
export interface PairScorer {
  readonly scoring: ScoreOptions
  score(utterance: Utterance): ScoredPair
  /** The words of both sides as `score` counts them. */
  align(utterance: Utterance): readonly AlignmentStep[]
}

// Devanagari to Myanmar, and Khmer: their vowels are signs on consonants.
const signedScript = /[\u0900-\u109f\u1780-\u17ff]/
const signedWord = 'की'

/**
 * Starts to count.
 *
 * @param chosen what `chooseProfile` chose by these options
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

/** The language that an utterance names, else that of all, where it decides the profile. */
function withLanguage(utterance: Utterance, { profile }: ScoreOptions, all: string | null): Utterance {
  return profile.ofLanguage === undefined
    ? utterance
    : { ...utterance, language: languageTag(utterance.tags?.['language']) ?? all }
}

/** The row of an utterance that was counted. */
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

/** A transcript as it is written, its choices in braces. */
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
  return `{ ${branches.join(' / ')} }`
}

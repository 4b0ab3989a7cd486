import { readLanguage } from '#languages'
import {
  type AlignmentStep,
  alignUtterance,
  errorRate,
  normalise,
  type Profile,
  type ScoreOptions,
  scoreUtterance,
  type TranscriptPart,
  type Utterance,
  type UtteranceScore,
} from '#scoring/counting'
import type { ScoredText } from './documents.ts'
import { languageTag } from './language-tag.ts'
import { extended } from './named-rules.ts'
import type { TextScoreOptions } from './text-score.ts'

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
    ...(alignment === undefined ? {} : { alignment }),
    ...(characters === undefined ? {} : { characters }),
    ...(sclite === undefined ? {} : { sclite }),
    ...(only === undefined ? {} : { only }),
  }
}

/** The language that an utterance names, else that of all, where it decides the profile. */
function withLanguage(utterance: Utterance, { profile }: ScoreOptions, all: string | null): Utterance {
  return profile.ofLanguage === undefined
    ? utterance
    : { ...utterance, language: languageTag(utterance.tags?.['language']) ?? all }
}

/** The row of an utterance that was counted. */
export function rowOf(
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

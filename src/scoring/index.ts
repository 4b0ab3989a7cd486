/**
 * Text to error counts: make two texts comparable, cut them into words and characters, align, count, divide.
 * Never reads the clock or the locale, never rounds; runs in a browser as it does in Node. The only files that it reads
 * are the rules of a language, when a profile of it is first used.
 *
 *   const profile = findProfile('basic')
 *   const { words } = scorePair({ reference: 'The cat sat.', hypothesis: 'the cat sad' }, profile)
 *   errorRate(words)                                              // 0.333…
 */

export { type Alignment, type AlignmentRule, align, alignmentRules } from './alignment/align.ts'
export type { ScliteOptions, TranscriptPart } from './alignment/networks.ts'
export {
  addCounts,
  errorCount,
  errorRate,
  hypothesisLength,
  matchErrorRate,
  noErrors,
  type Rates,
  ratesOf,
  referenceLength,
  sumCounts,
  wordInformationLost,
  wordInformationPreserved,
} from './counts.ts'
export { extendProfile, type ReplacementRule, type ScoringRules } from './profiles/extension.ts'
export {
  defaultCorpusProfile,
  defaultProfile,
  findProfile,
  profileNames,
  profiles,
} from './profiles/index.ts'
export {
  type ErrorLevel,
  normalise,
  type Profile,
  type Stage,
  type StageSettings,
  traceNormalisation,
} from './profiles/profile.ts'
export type { ScoreOptions, Utterance } from './read-pair.ts'
export {
  type CorpusScore,
  type ScoreTally,
  type SilentUtterances,
  score,
  startTally,
} from './score-corpus.ts'
export {
  alignPair,
  alignUtterance,
  type PairOptions,
  type PairScore,
  scorePair,
  scoreUtterance,
  type TextPair,
  type UtteranceScore,
} from './score-utterance.ts'
export type { AlignmentStep, ErrorCounts } from './shapes.ts'
export {
  type CharacterRule,
  characterRules,
  tokeniseCharacters,
  tokeniseWords,
  type WordRule,
} from './tokens.ts'

/**
 * What counting errors and reading transcripts takes of `#scoring`: neither the table of profiles, since the rules of fifty
 * languages take longer to load than to count the errors of an hour of speech, nor the analysis of errors.
 */

export type { Alignment } from './alignment/align.ts'
export { type AlignmentRule, align, alignmentRules, countErrors, editDistance } from './alignment/align.ts'
export type { ScliteOptions, TranscriptPart } from './alignment/networks.ts'
export {
  addCounts,
  errorCount,
  errorRate,
  hypothesisLength,
  leadingFirst,
  matchErrorRate,
  noErrors,
  type Rates,
  rateMetrics,
  rateOfAll,
  ratesOf,
  referenceLength,
  sentenceErrorRate,
  sumCounts,
  timesCounts,
  wordInformationLost,
  wordInformationPreserved,
} from './counts.ts'
export {
  type AlignedUtterance,
  breakDown,
  type Confusions,
  type ConfusionTally,
  confusions,
  durationBucket,
  type Group,
  startConfusions,
} from './error-analysis/confusions.ts'
export { scoringErrors } from './errors.ts'
export { profileOfUtterance } from './profiles/by-language.ts'
export { extendProfile, type ReplacementRule, type ScoringRules } from './profiles/extension.ts'
export { plainProfile } from './profiles/plain-profile.ts'
export {
  type ErrorLevel,
  normalise,
  type Profile,
  type Stage,
  type StageSettings,
  traceNormalisation,
} from './profiles/profile.ts'
export type { ScoreOptions, Utterance } from './readings.ts'
export {
  type CorpusScore,
  type ScoreTally,
  type SilentUtterances,
  score,
  startTally,
} from './score-corpus.ts'
export { alignUtterance, scoreUtterance, type UtteranceScore } from './score-utterance.ts'
export type {
  AlignmentStep,
  CaseCounts,
  Confusion,
  Entity,
  ErrorCounts,
  KeywordCounts,
  NumberFindings,
  SelfReference,
  SuspectReference,
  TimedText,
} from './shapes.ts'
export {
  type CharacterRule,
  characterRules,
  isUnspacedLanguage,
  tokeniseCharacters,
  tokeniseWords,
  type WordRule,
} from './tokens.ts'

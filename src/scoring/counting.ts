/**
 * What counting errors and reading transcripts takes of `#scoring`: neither the table of profiles, since the rules of fifty
 * languages take longer to load than to count the errors of an hour of speech, nor the analysis of errors.
 */
export type { AlignmentRule } from './alignment/align.ts'
export { align, alignmentRules, countErrors, editDistance } from './alignment/align.ts'
export type { Alignment } from './alignment/moves.ts'
export type { ScliteOptions, TranscriptPart } from './alignment/networks.ts'
export type { Rates } from './counts.ts'
export {
  addCounts,
  errorCount,
  errorRate,
  hypothesisLength,
  leadingFirst,
  matchErrorRate,
  noErrors,
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
export type { Group } from './error-analysis/breakdown.ts'
export { breakDown, durationBucket } from './error-analysis/breakdown.ts'
export type { AlignedUtterance, Confusions, ConfusionTally } from './error-analysis/confusions.ts'
export { confusions, startConfusions } from './error-analysis/confusions.ts'
export { scoringErrors } from './errors.ts'
export { profileOfUtterance } from './profiles/by-language.ts'
export type { ReplacementRule, ScoringRules } from './profiles/extension.ts'
export { extendProfile } from './profiles/extension.ts'
export { plainProfile } from './profiles/plain-profile.ts'
export type { ErrorLevel, Profile, Stage, StageSettings } from './profiles/profile.ts'
export { normalise, traceNormalisation } from './profiles/profile.ts'
export type { CorpusScore, ScoreTally, SilentUtterances } from './score-corpus.ts'
export { score, startTally } from './score-corpus.ts'
export type { UtteranceScore } from './score-utterance.ts'
export { alignUtterance, scoreUtterance } from './score-utterance.ts'
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
export type { CharacterRule, WordRule } from './tokens.ts'
export { characterRules, isUnspacedLanguage, tokeniseCharacters, tokeniseWords } from './tokens.ts'
export type { ScoreOptions, Utterance } from './utterance.ts'

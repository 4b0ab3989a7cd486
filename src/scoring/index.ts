/**
 * Text to error counts: make two texts comparable, cut them into words and characters, align, count, divide.
 * Never reads files, the clock or the locale, never rounds; runs in a browser as it does in Node.
 *
 *   const profile = findProfile('basic')
 *   const { words } = scorePair({ reference: 'The cat sat.', hypothesis: 'the cat sad' }, profile)
 *   errorRate(words)                                              // 0.333…
 */

export type { Alignment } from './alignment/align.ts'
export { type AlignmentRule, align, alignmentRules, countErrors, editDistance } from './alignment/align.ts'
export { alignTranscripts, type TranscriptAlignment } from './alignment/align-transcripts.ts'
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
  sumCounts,
  timesCounts,
  wordInformationLost,
  wordInformationPreserved,
} from './counts.ts'
export {
  type AlignedUtterance,
  type Confusions,
  type ConfusionTally,
  durationBucket,
  startConfusions,
} from './error-analysis/confusions.ts'
export {
  compareWriting,
  type FormattingCounts,
  makeLadder,
  type RungCounts,
  sumFormatting,
} from './error-analysis/formatting.ts'
export {
  keywordF1,
  keywordKey,
  keywordPrecision,
  keywordRecall,
  keywordSearch,
} from './error-analysis/keywords.ts'
export {
  findPathologies,
  type Pathology,
  type PathologyKind,
  pathologyRules,
} from './error-analysis/pathologies.ts'
export {
  type AuditedUtterance,
  auditReferences,
  type Flakiness,
  measureFlakiness,
  type ReferenceAudit,
  type RepeatedUtterance,
} from './error-analysis/repeats.ts'
export { closeTimeMs, compareTimes, type TimeErrors } from './error-analysis/time-errors.ts'
export {
  type ClassCounts,
  compareNumbers,
  countClasses,
  type NameOutcome,
  nameRule,
  wordClass,
} from './error-analysis/word-classes.ts'
export { scoringErrors } from './errors.ts'
export * from './formats/index.ts'
export { type EntityType, entityTypes, type Rung, rungs, type WordClass, wordClasses } from './kinds.ts'
export { profileOfUtterance } from './profiles/by-language.ts'
export { extendProfile, type ReplacementRule, type ScoringRules } from './profiles/extension.ts'
export {
  defaultCorpusProfile,
  defaultProfile,
  findProfile,
  findRecordedProfile,
  languageRules,
  profileNames,
  profiles,
} from './profiles/index.ts'
export { plainProfile } from './profiles/plain-profile.ts'
export {
  type ErrorLevel,
  normalise,
  type Profile,
  type Stage,
  type StageSettings,
  traceNormalisation,
} from './profiles/profile.ts'
export { type RememberedProfile, rememberTexts } from './profiles/remembered-profile.ts'
export { wordsLeft } from './profiles/words-left.ts'
export type { ScoreOptions, Utterance } from './read-pair.ts'
export { takenReading } from './read-pair.ts'
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

/**
 * Text to error counts: make two texts comparable, cut them into words and characters, align, count, divide.
 * Never reads files, the clock or the locale, never rounds; runs in a browser as it does in Node.
 *
 *   const profile = findProfile('basic')
 *   const { words } = scorePair({ reference: 'The cat sat.', hypothesis: 'the cat sad' }, profile)
 *   errorRate(words)                                              // 0.333…
 */

export { alignTranscripts, type TranscriptAlignment } from './alignment/align-transcripts.ts'
export * from './counting.ts'
export {
  climbLadder,
  compareFormatting,
  compareWriting,
  type FormattingCounts,
  makeLadder,
  type RungCounts,
  sumFormatting,
} from './error-analysis/formatting.ts'
export {
  countKeywords,
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
export * from './formats/index.ts'
export { type PairedRecords, type ParsedPairs, pairRecords, parsePairs } from './formats/plain-text.ts'
export { type EntityType, entityTypes, type Rung, rungs, type WordClass, wordClasses } from './kinds.ts'
export {
  defaultCorpusProfile,
  defaultProfile,
  findProfile,
  findRecordedProfile,
  languageRules,
  profileNames,
  profiles,
} from './profiles/index.ts'
export { type RememberedProfile, rememberTexts } from './profiles/remembered-profile.ts'
export { wordsLeft } from './profiles/words-left.ts'
export { takenReading } from './readings.ts'
export { alignPair, type PairOptions, type PairScore, scorePair, type TextPair } from './score-utterance.ts'

/**
 * Text to error counts: make two texts comparable, cut them into words and characters, align, count, divide.
 * Never reads files, the clock or the locale, never rounds; runs in a browser as it does in Node.
 *
 *   const profile = findProfile('basic')
 *   const { words } = scorePair({ reference: 'The cat sat.', hypothesis: 'the cat sad' }, profile)
 *   errorRate(words)                                              // 0.333…
 */

export type { TranscriptAlignment } from './alignment/align-transcripts.ts'
export { alignTranscripts } from './alignment/align-transcripts.ts'
export * from './counting.ts'
export type { EntityType } from './entity-types.ts'
export { entityTypes } from './entity-types.ts'
export type { FormattingCounts } from './error-analysis/formatting.ts'
export { compareFormatting, compareWriting, sumFormatting } from './error-analysis/formatting.ts'
export type { Rung, RungCounts } from './error-analysis/formatting-ladder.ts'
export { climbLadder, makeLadder, rungs } from './error-analysis/formatting-ladder.ts'
export {
  countKeywords,
  keywordF1,
  keywordKey,
  keywordPrecision,
  keywordRecall,
  keywordSearch,
} from './error-analysis/keywords.ts'
export type { NameOutcome } from './error-analysis/names.ts'
export { nameRule } from './error-analysis/names.ts'
export type { Pathology, PathologyKind } from './error-analysis/pathologies.ts'
export { findPathologies, pathologyRules } from './error-analysis/pathologies.ts'
export type { AuditedUtterance, ReferenceAudit } from './error-analysis/reference-audit.ts'
export { auditReferences } from './error-analysis/reference-audit.ts'
export type { Flakiness, RepeatedUtterance } from './error-analysis/repeats.ts'
export { measureFlakiness } from './error-analysis/repeats.ts'
export type { TimeErrors } from './error-analysis/time-errors.ts'
export { closeTimeMs, compareTimes } from './error-analysis/time-errors.ts'
export type { ClassCounts, WordClass } from './error-analysis/word-classes.ts'
export {
  compareNumbers,
  countClasses,
  wordClass,
  wordClasses,
} from './error-analysis/word-classes.ts'
export * from './formats/index.ts'
export type { PairedRecords, ParsedPairs } from './formats/plain-text.ts'
export { pairRecords, parsePairs } from './formats/plain-text.ts'
export {
  defaultCorpusProfile,
  defaultProfile,
  findProfile,
  findRecordedProfile,
  languageRules,
  profileNames,
  profiles,
} from './profiles/index.ts'
export type { RememberedProfile } from './profiles/remembered-profile.ts'
export { rememberTexts } from './profiles/remembered-profile.ts'
export { wordsLeft } from './profiles/words-left.ts'
export type { PairOptions, PairScore, TextPair } from './score-pair.ts'
export { alignPair, scorePair } from './score-pair.ts'
export { takenReading } from './taken-reading.ts'

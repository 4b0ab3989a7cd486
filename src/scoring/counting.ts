/**
 * All of `#scoring` but the table of profiles: the rules of fifty languages take longer to load than to count the errors of
 * an hour of speech. Who has a profile needs no more than this.
 */
export type { AlignmentRule } from './alignment/align.ts'
export { align, alignmentRules, countErrors, editDistance } from './alignment/align.ts'
export type { TranscriptAlignment } from './alignment/align-transcripts.ts'
export { alignTranscripts } from './alignment/align-transcripts.ts'
export type { TranscriptPart } from './alignment/network/network.ts'
export type { ScliteOptions } from './alignment/network/sclite-costs.ts'
export type { Alignment } from './alignment/steps.ts'
export {
  addCounts,
  errorCount,
  hypothesisLength,
  noErrors,
  referenceLength,
  sumCounts,
  timesCounts,
} from './counts.ts'
export type { EntityType } from './entity-types.ts'
export { entityTypes } from './entity-types.ts'
export type { Group } from './error-analysis/breakdown.ts'
export { breakDown, durationBucket } from './error-analysis/breakdown.ts'
export type { AlignedUtterance, Confusions, ConfusionTally } from './error-analysis/confusions.ts'
export { confusions, startConfusions } from './error-analysis/confusions.ts'
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
export { scoringErrors } from './errors.ts'
export type { ParsedCtm, TimedChoice, TimedWord } from './formats/ctm.ts'
export { parseCtm } from './formats/ctm.ts'
export type { ParsedGlm } from './formats/glm.ts'
export { parseGlm } from './formats/glm.ts'
export { writeHtmlDiff } from './formats/html-diff.ts'
export type { PairedRecords, ParsedPairs } from './formats/pairs.ts'
export { pairRecords, parsePairs } from './formats/pairs.ts'
export { parseJsonLines, parseKaldiText, parseLines } from './formats/plain-text.ts'
export type { ParsedTranscripts, TranscriptRecord } from './formats/record.ts'
export type { ReportNames, SpokenAlignment } from './formats/sclite-reports.ts'
export {
  writePra,
  writeSgmlPath,
  writeSgmlSystem,
  writeTrnLine,
} from './formats/sclite-reports.ts'
export type { SpeakerCounts, SpeakerTally } from './formats/speaker-table.ts'
export { startSpeakers, writeSpeakerTable } from './formats/speaker-table.ts'
export type { Segment } from './formats/stm.ts'
export { asksToBeIgnored, parseStm } from './formats/stm.ts'
export type { AssignedWords } from './formats/timed.ts'
export { assignWords } from './formats/timed.ts'
export type { MarkupRules, ParsedMarkup } from './formats/transcript-markup.ts'
export { parseMarkup } from './formats/transcript-markup.ts'
export { parseTrn, speakerOf } from './formats/trn.ts'
export { leadingFirst, rateMetrics, rateOfAll } from './leading-rate.ts'
export { profileOfUtterance } from './profiles/by-language.ts'
export type { ReplacementRule, ScoringRules } from './profiles/extension.ts'
export { extendProfile } from './profiles/extension.ts'
export { plainProfile } from './profiles/plain-profile.ts'
export type { ErrorLevel, Profile, Stage, StageSettings } from './profiles/profile.ts'
export { normalise, traceNormalisation } from './profiles/profile.ts'
export type { RememberedProfile } from './profiles/remembered-profile.ts'
export { rememberTexts } from './profiles/remembered-profile.ts'
export type { Rates } from './rates.ts'
export {
  errorRate,
  matchErrorRate,
  ratesOf,
  sentenceErrorRate,
  wordInformationLost,
  wordInformationPreserved,
} from './rates.ts'
export type { CorpusScore, ScoreTally, SilentUtterances } from './score-corpus.ts'
export { score, startTally } from './score-corpus.ts'
export type { PairOptions, PairScore, TextPair } from './score-pair.ts'
export { alignPair, scorePair } from './score-pair.ts'
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
export { takenReading } from './taken-reading.ts'
export type { CharacterRule } from './tokens/characters.ts'
export { characterRules, tokeniseCharacters } from './tokens/characters.ts'
export { isUnspacedLanguage } from './tokens/unspaced-scripts.ts'
export type { WordRule } from './tokens/words.ts'
export { tokeniseWords } from './tokens/words.ts'
export type { ScoreOptions, Utterance } from './utterance.ts'

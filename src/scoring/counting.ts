/**
 * What counting errors and reading transcripts takes of `#scoring`: neither the table of profiles, since the rules of fifty
 * languages take longer to load than to count the errors of an hour of speech, nor the analysis of errors.
 */
export type { AlignmentRule } from './alignment/align.ts'
export { align, alignmentRules, countErrors, editDistance } from './alignment/align.ts'
export type { Alignment } from './alignment/moves.ts'
export type { TranscriptPart } from './alignment/network/network.ts'
export type { ScliteOptions } from './alignment/network/sclite-costs.ts'
export {
  addCounts,
  errorCount,
  hypothesisLength,
  noErrors,
  referenceLength,
  sumCounts,
  timesCounts,
} from './counts.ts'
export type { Group } from './error-analysis/breakdown.ts'
export { breakDown, durationBucket } from './error-analysis/breakdown.ts'
export type { AlignedUtterance, Confusions, ConfusionTally } from './error-analysis/confusions.ts'
export { confusions, startConfusions } from './error-analysis/confusions.ts'
export { scoringErrors } from './errors.ts'
export type { ParsedCtm, TimedChoice, TimedWord } from './formats/ctm.ts'
export { parseCtm } from './formats/ctm.ts'
export type { ParsedGlm } from './formats/glm.ts'
export { parseGlm } from './formats/glm.ts'
export { writeHtmlDiff } from './formats/html-diff.ts'
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
export type { CharacterRule } from './tokens/characters.ts'
export { characterRules, tokeniseCharacters } from './tokens/characters.ts'
export { isUnspacedLanguage } from './tokens/unspaced-scripts.ts'
export type { WordRule } from './tokens/words.ts'
export { tokeniseWords } from './tokens/words.ts'
export type { ScoreOptions, Utterance } from './utterance.ts'

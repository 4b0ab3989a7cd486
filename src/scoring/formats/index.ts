/**
 * The formats of other scorers, read and written: trn, stm, ctm, glm and Kaldi; pra, sgml, sys and HTML. A separate
 * entry point, because most texts are counted without any of them.
 */

export {
  type ParsedGlm,
  type ParsedTranscripts,
  parseGlm,
  parseKaldiText,
  type TranscriptRecord,
} from './plain-text.ts'
export {
  type ReportNames,
  type SpeakerCounts,
  type SpeakerTally,
  type SpokenAlignment,
  startSpeakers,
  writeHtmlDiff,
  writePra,
  writeSgmlPath,
  writeSgmlSystem,
  writeSpeakerTable,
  writeTrnLine,
} from './sclite-reports.ts'
export {
  type AssignedWords,
  asksToBeIgnored,
  assignWords,
  type ParsedCtm,
  parseCtm,
  parseStm,
  type Segment,
  type TimedChoice,
  type TimedWord,
} from './timed.ts'
export { type MarkupRules, type ParsedMarkup, parseMarkup, parseTrn, speakerOf } from './trn.ts'

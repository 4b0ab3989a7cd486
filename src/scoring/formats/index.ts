/**
 * The formats of other scorers, read and written: trn, stm, ctm, glm, Kaldi and JSON Lines; pra, sgml, sys and HTML. A separate
 * entry point, because most texts are counted without any of them.
 */

export type { ParsedGlm } from './glm.ts'
export { parseGlm } from './glm.ts'
export { writeHtmlDiff } from './html-diff.ts'
export type { ParsedTranscripts, TranscriptRecord } from './plain-text.ts'
export { parseJsonLines, parseKaldiText, parseLines } from './plain-text.ts'
export type { ReportNames, SpeakerCounts, SpeakerTally, SpokenAlignment } from './sclite-reports.ts'
export {
  startSpeakers,
  writePra,
  writeSgmlPath,
  writeSgmlSystem,
  writeSpeakerTable,
  writeTrnLine,
} from './sclite-reports.ts'
export type { AssignedWords, ParsedCtm, Segment, TimedChoice, TimedWord } from './timed.ts'
export { asksToBeIgnored, assignWords, parseCtm, parseStm } from './timed.ts'
export type { MarkupRules, ParsedMarkup } from './trn.ts'
export { parseMarkup, parseTrn, speakerOf } from './trn.ts'

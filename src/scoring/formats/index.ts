/**
 * The formats of other scorers, read and written: trn, stm, ctm, glm, Kaldi and JSON Lines; pra, sgml, sys and HTML. A separate
 * entry point, because most texts are counted without any of them.
 */
export type { ParsedCtm, TimedChoice, TimedWord } from './ctm.ts'
export { parseCtm } from './ctm.ts'
export type { ParsedGlm } from './glm.ts'
export { parseGlm } from './glm.ts'
export { writeHtmlDiff } from './html-diff.ts'
export { parseJsonLines, parseKaldiText, parseLines } from './plain-text.ts'
export type { ParsedTranscripts, TranscriptRecord } from './record.ts'
export type { ReportNames, SpokenAlignment } from './sclite-reports.ts'
export {
  writePra,
  writeSgmlPath,
  writeSgmlSystem,
  writeTrnLine,
} from './sclite-reports.ts'
export type { SpeakerCounts, SpeakerTally } from './speaker-table.ts'
export { startSpeakers, writeSpeakerTable } from './speaker-table.ts'
export type { Segment } from './stm.ts'
export { asksToBeIgnored, parseStm } from './stm.ts'
export type { AssignedWords } from './timed.ts'
export { assignWords } from './timed.ts'
export type { MarkupRules, ParsedMarkup } from './transcript-markup.ts'
export { parseMarkup } from './transcript-markup.ts'
export { parseTrn, speakerOf } from './trn.ts'

/**
 * Files of transcripts to pairs that can be scored: text, NIST's formats, Kaldi, JSON Lines, tables, subtitles, Whisper's
 * JSON and folders. Never scores, never skips a line silently, never writes.
 *
 *   for await (const pairs of readPairs({ reference: 'ref.txt', hypothesis: 'hyp.txt' })) score(pairs, options)
 */

export { type CaptionRule, captionRules, type TranscriptFormat, transcriptFormats } from './formats.ts'
export {
  type ReadingEvents,
  type ReadingProgress,
  readPairs,
  type TranscriptSource,
  transcriptErrors,
} from './read-pairs.ts'
export type { RowNames } from './rows.ts'

/**
 * Files of transcripts to pairs that can be scored: text, NIST's formats, Kaldi, JSON Lines, tables, subtitles, Whisper's
 * JSON and folders. Never scores, never skips a line silently, never writes.
 *
 *   for await (const pairs of readPairs({ reference: 'ref.txt', hypothesis: 'hyp.txt' })) score(pairs, options)
 */

export { transcriptErrors } from './errors.ts'
export type { CaptionRule, TranscriptFormat } from './formats.ts'
export { captionRules, transcriptFormats } from './formats.ts'
export type { ReadingEvents, ReadingProgress, TranscriptSource } from './read-pairs.ts'
export { readPairs } from './read-pairs.ts'
export type { RowNames } from './rows.ts'

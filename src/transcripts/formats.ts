import { basename, extname } from 'node:path'
import type { LineBlock } from './input.ts'
import type { ParsedTranscripts, RowNames, Side, Transcript } from './rows.ts'
import type { RowReader } from './tables.ts'

/**
 * Format of a file with transcripts. `trn` and `kaldi` have one per line, with the id at its end or its start.
 * `jsonl` has objects, and `csv` and `tsv` have rows. `stm` has timed segments and `ctm` timed words, for
 * hypotheses only. `whisper`, `srt` and `vtt` have one transcript per file.
 */
export type TranscriptFormat = RowFormat | 'ctm' | DocumentFormat

/** Formats with many transcripts per file, each with its id or its line. */
const rowFormats = ['lines', 'trn', 'kaldi', 'jsonl', 'csv', 'tsv', 'stm'] as const
export type RowFormat = (typeof rowFormats)[number]

/** Formats with one transcript per file. */
const documentFormats = ['whisper', 'srt', 'vtt'] as const
export type DocumentFormat = (typeof documentFormats)[number]

/** All formats of transcripts, the default first. */
export const transcriptFormats: readonly TranscriptFormat[] = [...rowFormats, 'ctm', ...documentFormats]

/** How to treat captions that roll up, where each caption repeats the end of the one before. */
export type CaptionRule = 'keep' | 'merge'

export const captionRules: readonly CaptionRule[] = ['keep', 'merge']

/** Returns the format that a file name implies; null for an unknown name. `.json` may also be Whisper's. */
export function formatOfName(path: string): TranscriptFormat | null {
  const name = basename(path).toLowerCase()
  if (name === 'text' || name.endsWith('.trans.txt')) return 'kaldi'
  const extension = extname(name).slice(1)
  if (['jsonl', 'ndjson', 'json'].includes(extension)) return 'jsonl'
  if (extension === 'txt') return 'lines'
  return transcriptFormats.find((format) => format === extension) ?? null
}

/** Whether files of a format hold one transcript each. */
export function isDocumentFormat(format: TranscriptFormat): format is DocumentFormat {
  return documentFormats.some((each) => each === format)
}

/** Reads the transcripts of one file in blocks of lines. */
export interface TranscriptReader {
  push(block: LineBlock): ParsedTranscripts
  /** Returns what the end of the file completes. */
  end(): ParsedTranscripts
}

const nothingMore: ParsedTranscripts = { transcripts: [], problems: [] }

/**
 * Starts to read one file. Blank lines are skipped where lines are paired by id. The reader of a format is loaded
 * on demand, because most texts are plain lines.
 */
export async function startTranscripts(
  format: RowFormat,
  side: Side,
  names: RowNames,
): Promise<TranscriptReader> {
  if (format === 'lines') return { push: parseLines, end: () => nothingMore }
  if (format === 'trn' || format === 'kaldi' || format === 'stm') {
    const { lineParsers } = await import('./nist.ts')
    return { push: lineParsers[format], end: () => nothingMore }
  }
  const rows = await startRows(format, side, names)
  const { parseRows } = await import('./rows.ts')
  return {
    push: (block) => parseRows(rows.push(block), side, names),
    end: () => parseRows(rows.end(), side, names),
  }
}

/** Starts to read the rows of a table or of JSON Lines. */
export async function startRows(
  format: 'jsonl' | 'csv' | 'tsv',
  side: Side | 'both',
  names: RowNames,
): Promise<RowReader> {
  const { jsonRows, lacks } = await import('./rows.ts')
  if (format === 'jsonl') return { push: jsonRows, end: () => [] }
  const { startTable } = await import('./tables.ts')
  return startTable(format, (row) => lacks(row, side, names))
}

const noTags: Transcript['tags'] = {}

function parseLines({ text, firstLine, lineCount }: LineBlock): ParsedTranscripts {
  const lines = text.split('\n', lineCount)
  const transcripts = lines.map(
    (line, index): Transcript => ({
      id: String(firstLine + index),
      text: line.endsWith('\r') ? line.slice(0, -1) : line,
      speaker: null,
      tags: noTags,
      line: firstLine + index,
    }),
  )
  return { transcripts, problems: [] }
}

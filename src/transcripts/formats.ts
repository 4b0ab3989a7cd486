import { basename, extname } from 'node:path'
import type { LineBlock } from './input.ts'
import type { ParsedTranscripts, RowNames, Side, Transcript } from './rows.ts'

/**
 * How a file holds transcripts: a line each, with an id at its end (trn) or at its beginning (kaldi); as objects; in the
 * rows of a table; by time, as segments (stm) or word by word (ctm, hypotheses alone); or as one transcript, in the JSON
 * of Whisper or as subtitles.
 */
export type TranscriptFormat = RowFormat | 'ctm' | DocumentFormat

/** Formats whose files hold many transcripts, each with its id or its line. */
const rowFormats = ['lines', 'trn', 'kaldi', 'jsonl', 'csv', 'tsv', 'stm'] as const
export type RowFormat = (typeof rowFormats)[number]

/** Formats whose files hold one transcript. */
const documentFormats = ['whisper', 'srt', 'vtt'] as const
export type DocumentFormat = (typeof documentFormats)[number]

/** Every format of transcripts, the default first. */
export const transcriptFormats: readonly TranscriptFormat[] = [...rowFormats, 'ctm', ...documentFormats]

/** What becomes of captions that roll up, where each repeats the end of the one before. */
export type CaptionRule = 'keep' | 'merge'

export const captionRules: readonly CaptionRule[] = ['keep', 'merge']

/** What a file is by its name; null where the name says nothing. `.json` may also be Whisper's. */
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

/** Reads the transcripts of one file, some lines at a time. */
export interface TranscriptReader {
  push(block: LineBlock): ParsedTranscripts
  /** What the end of the file completes. */
  end(): ParsedTranscripts
}

const nothingMore: ParsedTranscripts = { transcripts: [], problems: [] }

/**
 * Starts to read one file. Of lines that are paired by id, blank ones are passed over. What reads a format is loaded when a
 * file has it: most texts are plain lines.
 */
export async function startTranscripts(
  format: RowFormat,
  side: Side,
  names: RowNames,
): Promise<TranscriptReader> {
  if (format === 'lines') return { push: parseLines, end: () => nothingMore }
  if (format === 'csv' || format === 'tsv') {
    const [{ startTable }, { lacks, parseRows }] = await Promise.all([
      import('./tables.ts'),
      import('./rows.ts'),
    ])
    const table = startTable(format, (row) => lacks(row, side, names))
    return {
      push: (block) => parseRows(table.push(block), side, names),
      end: () => parseRows(table.end(), side, names),
    }
  }
  if (format === 'jsonl') {
    const { jsonRows, parseRows } = await import('./rows.ts')
    return { push: (block) => parseRows(jsonRows(block), side, names), end: () => nothingMore }
  }
  const { lineParsers } = await import('./nist.ts')
  return { push: lineParsers[format], end: () => nothingMore }
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

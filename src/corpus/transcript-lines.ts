import { basename, extname } from 'node:path'
import type { Problem } from '#prelude'
import {
  asksToBeIgnored,
  parseKaldiText,
  parseStm,
  parseTrn,
  type TranscriptRecord,
  type Utterance,
} from '#scoring'
import type { LineBlock } from './line-blocks.ts'
import { jsonRows, lacks, parseRows } from './transcript-rows.ts'
import { startTable } from './transcript-tables.ts'

/**
 * How a file holds transcripts: a line each, with an id at its end (trn) or at its beginning (kaldi); as objects; in the
 * rows of a table; by time, as segments (stm) or word by word (ctm, hypotheses alone).
 */
export type TranscriptFormat = 'lines' | 'trn' | 'kaldi' | 'jsonl' | 'csv' | 'tsv' | 'stm' | 'ctm'

/** A format whose files are read for themselves: the words of a ctm belong to the segments of another file. */
export type WholeFormat = Exclude<TranscriptFormat, 'ctm'>

/** Every format of transcripts, the default first. */
export const transcriptFormats: readonly TranscriptFormat[] = [
  'lines',
  'trn',
  'kaldi',
  'jsonl',
  'csv',
  'tsv',
  'stm',
  'ctm',
]

/** Which of the two texts is meant, where a line may hold both. */
export type Side = 'reference' | 'hypothesis'

/** One transcript of a file. */
export interface Transcript {
  readonly id: string
  /** Several texts in references alone; null in hypotheses alone: the request failed. */
  readonly text: Utterance['reference'] | null
  readonly speaker: string | null
  readonly tags: Readonly<Record<string, string>>
  /** From 1. */
  readonly line: number
  /** A segment of an stm file that asks not to be scored, with what stands for it on the other side. */
  readonly isIgnored?: boolean
}

export interface ParsedTranscripts {
  readonly transcripts: readonly Transcript[]
  /** `where` is a line number. */
  readonly problems: readonly Problem[]
}

/** What a file is by its name; null where the name says nothing. */
export function formatOfName(path: string): TranscriptFormat | null {
  const name = basename(path).toLowerCase()
  if (name === 'text' || name.endsWith('.trans.txt')) return 'kaldi'
  const extension = extname(name).slice(1)
  if (['jsonl', 'ndjson', 'json'].includes(extension)) return 'jsonl'
  if (extension === 'txt') return 'lines'
  return transcriptFormats.find((format) => format === extension) ?? null
}

/** Reads the transcripts of one file, some lines at a time. */
export interface TranscriptReader {
  push(block: LineBlock): ParsedTranscripts
  /** What the end of the file completes. */
  end(): ParsedTranscripts
}

const nothingMore: ParsedTranscripts = { transcripts: [], problems: [] }

/** Starts to read one file, but for a ctm. Of lines that are paired by id, blank ones are passed over. */
export function startTranscripts(format: WholeFormat, side: Side): TranscriptReader {
  if (format === 'csv' || format === 'tsv') {
    const table = startTable(format, (row) => lacks(row, side))
    return { push: (block) => parseRows(table.push(block), side), end: () => parseRows(table.end(), side) }
  }
  return { push: (block) => parseBlock(block, format, side), end: () => nothingMore }
}

function parseBlock(
  block: LineBlock,
  format: Exclude<WholeFormat, 'csv' | 'tsv'>,
  side: Side,
): ParsedTranscripts {
  if (format === 'jsonl') return parseRows(jsonRows(block), side)
  if (format === 'trn') return parseTrnBlock(block)
  if (format === 'kaldi') return parseKaldiBlock(block)
  if (format === 'stm') return parseStmBlock(block)
  const lines = block.text.split(/\r?\n/, block.lineCount)
  const transcripts = lines.map((text, index): Transcript => {
    const line = block.firstLine + index
    return { id: String(line), text: withoutReturn(text), speaker: null, tags: {}, line }
  })
  return { transcripts, problems: [] }
}

function parseStmBlock({ text, firstLine }: LineBlock): ParsedTranscripts {
  const { segments, problems } = parseStm(text, firstLine)
  const transcripts = segments.map((segment): Transcript => {
    const transcript = transcriptOf(segment)
    return asksToBeIgnored(segment.text) ? { ...transcript, isIgnored: true } : transcript
  })
  return { transcripts, problems }
}

/** A transcript as it was parsed, with its choices. */
export function transcriptOf(record: TranscriptRecord): Transcript {
  const { id, parts, text, speaker, tags, line } = record
  return { id, text: parts ?? text, speaker, tags, line }
}

/** The carriage return at the very end of a file has no line feed behind it. */
function withoutReturn(text: string): string {
  return text.endsWith('\r') ? text.slice(0, -1) : text
}

function parseTrnBlock({ text, firstLine }: LineBlock): ParsedTranscripts {
  // Line by line: an id that stands twice is found over the whole file, not within a block of it.
  const lines = text.split('\n').map((line, index) => parseTrn(line, firstLine + index))
  const records = lines.flatMap((line) => line.records)
  return {
    transcripts: records.map(transcriptOf),
    problems: lines.flatMap((line) => line.problems),
  }
}

function parseKaldiBlock({ text, firstLine }: LineBlock): ParsedTranscripts {
  const transcripts = text
    .split('\n')
    .flatMap((line, index) => parseKaldiText(line, firstLine + index).records)
  return { transcripts, problems: [] }
}

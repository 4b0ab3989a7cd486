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
import { jsonRows, lacks, parseRows, type RowNames } from './rows.ts'
import { startTable } from './tables.ts'

/**
 * How a file holds transcripts: a line each, with an id at its end (trn) or at its beginning (kaldi); as objects; in the
 * rows of a table; by time, as segments (stm) or word by word (ctm, hypotheses alone); or as one transcript, in the JSON
 * of Whisper or as subtitles.
 */
export type TranscriptFormat = RowFormat | 'ctm' | DocumentFormat

/** A format whose files hold many transcripts, each with its id or its line. */
export type RowFormat = 'lines' | 'trn' | 'kaldi' | 'jsonl' | 'csv' | 'tsv' | 'stm'

/** A format whose files hold one transcript. */
export type DocumentFormat = 'whisper' | 'srt' | 'vtt'

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
  'whisper',
  'srt',
  'vtt',
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
  /** The file, where it is one of several in a folder. */
  readonly file?: string
  /** A segment of an stm file that asks not to be scored, with what stands for it on the other side. */
  readonly isIgnored?: boolean
}

export interface ParsedTranscripts {
  readonly transcripts: readonly Transcript[]
  /** `where` is a line number. */
  readonly problems: readonly Problem[]
  /** Words with a tag that is not scored; absent where the format has no tags. */
  readonly taggedCount?: number
}

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
  return format === 'whisper' || format === 'srt' || format === 'vtt'
}

/** Reads the transcripts of one file, some lines at a time. */
export interface TranscriptReader {
  push(block: LineBlock): ParsedTranscripts
  /** What the end of the file completes. */
  end(): ParsedTranscripts
}

const nothingMore: ParsedTranscripts = { transcripts: [], problems: [] }

/** Starts to read one file. Of lines that are paired by id, blank ones are passed over. */
export function startTranscripts(format: RowFormat, side: Side, names: RowNames): TranscriptReader {
  if (format === 'csv' || format === 'tsv') {
    const table = startTable(format, (row) => lacks(row, side, names))
    return {
      push: (block) => parseRows(table.push(block), side, names),
      end: () => parseRows(table.end(), side, names),
    }
  }
  if (format === 'jsonl') {
    return { push: (block) => parseRows(jsonRows(block), side, names), end: () => nothingMore }
  }
  return { push: parsers[format], end: () => nothingMore }
}

const parsers: Readonly<Record<'lines' | 'trn' | 'kaldi' | 'stm', (block: LineBlock) => ParsedTranscripts>> =
  {
    lines({ text, firstLine, lineCount }) {
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
    },
    trn: ({ text, firstLine }) => {
      // Line by line: an id that is used twice is found over the whole file, not within a block of it.
      const lines = text.split('\n').map((line, index) => parseTrn(line, firstLine + index))
      return {
        ...parsedOf(lines.flatMap(({ records }) => records)),
        problems: lines.flatMap(({ problems }) => problems),
      }
    },
    kaldi({ text, firstLine }) {
      const records = text
        .split('\n')
        .flatMap((line, index) => parseKaldiText(line, firstLine + index).records)
      return { ...parsedOf(records), problems: [] }
    },
    stm({ text, firstLine }) {
      const { segments, problems } = parseStm(text, firstLine)
      const { transcripts, taggedCount } = parsedOf(segments)
      return {
        transcripts: transcripts.map((transcript, index) =>
          asksToBeIgnored(segments[index]?.text ?? '') ? { ...transcript, isIgnored: true } : transcript,
        ),
        problems,
        taggedCount,
      }
    },
  }

const noTags: Transcript['tags'] = {}

function parsedOf(
  records: readonly TranscriptRecord[],
): Required<Pick<ParsedTranscripts, 'transcripts' | 'taggedCount'>> {
  return {
    transcripts: records.map(transcriptOf),
    taggedCount: records.reduce((sum, record) => sum + (record.taggedCount ?? 0), 0),
  }
}

/** A transcript as it was parsed, with its choices. */
export function transcriptOf({ id, parts, text, speaker, tags, line }: TranscriptRecord): Transcript {
  return { id, text: parts ?? text, speaker, tags, line }
}

import { basename, extname } from 'node:path'
import { asksToBeIgnored, parseKaldiText, parseStm, parseTrn, type TranscriptRecord } from '#scoring/counting'
import type { LineBlock } from './line-blocks.ts'
import { jsonRows, lacks, parseRows, type RowNames } from './rows.ts'
import { startTable } from './tables.ts'
import { type ParsedTranscripts, type Side, type Transcript, transcriptOf } from './transcript.ts'

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

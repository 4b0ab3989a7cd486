import type { Problem } from '#prelude'
import { parseKaldiText, parseTrn, type Utterance } from '#scoring'
import type { LineBlock } from './line-blocks.ts'
import { parseRows } from './transcript-rows.ts'

/** How a file holds transcripts: a line each, with an id at its end (trn) or at its beginning (kaldi), or as objects. */
export type TranscriptFormat = 'lines' | 'trn' | 'kaldi' | 'jsonl'

/** Every format of transcripts, the default first. */
export const transcriptFormats: readonly TranscriptFormat[] = ['lines', 'trn', 'kaldi', 'jsonl']

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
}

export interface ParsedTranscripts {
  readonly transcripts: readonly Transcript[]
  /** `where` is a line number. */
  readonly problems: readonly Problem[]
}

/** What a file is by its name; null where the name says nothing. */
export function formatOfName(extension: string): TranscriptFormat | null {
  if (['.jsonl', '.ndjson', '.json'].includes(extension)) return 'jsonl'
  return extension === '.trn' ? 'trn' : extension === '.txt' ? 'lines' : null
}

/** Reads some lines of a file. Of lines that are paired by id, blank ones are passed over. */
export function parseTranscripts(block: LineBlock, format: TranscriptFormat, side: Side): ParsedTranscripts {
  if (format === 'jsonl') return parseRows(block, side)
  if (format === 'trn') return parseTrnBlock(block)
  if (format === 'kaldi') return parseKaldiBlock(block)
  const lines = block.text.split(/\r?\n/, block.lineCount)
  const transcripts = lines.map((text, index): Transcript => {
    const line = block.firstLine + index
    return { id: String(line), text: withoutReturn(text), speaker: null, tags: {}, line }
  })
  return { transcripts, problems: [] }
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
    transcripts: records.map((record) => ({ ...record, text: record.parts ?? record.text })),
    problems: lines.flatMap((line) => line.problems),
  }
}

function parseKaldiBlock({ text, firstLine }: LineBlock): ParsedTranscripts {
  const transcripts = text
    .split('\n')
    .flatMap((line, index) => parseKaldiText(line, firstLine + index).records)
  return { transcripts, problems: [] }
}

import type { Problem } from '#prelude'
import type { TextLine } from './text-file.ts'

export interface Transcript {
  readonly id: string
  readonly text: string
  /** From 1. */
  readonly line: number
}

interface TranscriptFormat {
  /** Of the file, with its dot. */
  readonly extension: string
  /** Where a line carries both sides, this one is meant. */
  readonly side: 'reference' | 'hypothesis'
  readonly shownPath: string
}

type ParsedLine = { readonly id: string; readonly text: string } | string

/** Reads lines as transcripts, by the file's extension. Of lines that are paired by id, blank ones are passed over. */
export function parseTranscripts(
  lines: readonly TextLine[],
  { extension, side, shownPath }: TranscriptFormat,
): { readonly transcripts: readonly Transcript[]; readonly problems: readonly Problem[] } {
  if (!['.jsonl', '.ndjson', '.json', '.trn'].includes(extension)) {
    const transcripts = lines.map(({ number, text }) => ({ id: String(number), text, line: number }))
    return { transcripts, problems: [] }
  }
  const transcripts: Transcript[] = []
  const problems: Problem[] = []
  const lineOf = new Map<string, number>()
  for (const { number: line, text } of lines) {
    if (text.trim() === '') continue
    const where = `${shownPath}:${line}`
    const parsed = extension === '.trn' ? parseTrn(text) : parseJson(text, side)
    if (typeof parsed === 'string') {
      problems.push({ where, what: parsed })
      continue
    }
    const earlier = lineOf.get(parsed.id)
    if (earlier !== undefined)
      problems.push({ where, what: `the id "${parsed.id}" stands on line ${earlier} already` })
    lineOf.set(parsed.id, line)
    transcripts.push({ ...parsed, line })
  }
  return { transcripts, problems }
}

/** The words, then the id in parentheses at the end of the line, as sclite and its kin write it. */
function parseTrn(text: string): ParsedLine {
  const found = /^(.*?)\s*\(([^()]+)\)\s*$/.exec(text)
  const [, words, id] = found ?? []
  return words === undefined || id === undefined ? 'has no id in parentheses at its end' : { id, text: words }
}

function parseJson(line: string, side: TranscriptFormat['side']): ParsedLine {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch (error) {
    return `is not JSON: ${error instanceof Error ? error.message : String(error)}`
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'is not a JSON object'
  const fields = value as Readonly<Record<string, unknown>>
  const id = typeof fields['id'] === 'number' ? String(fields['id']) : fields['id']
  const text = fields[side] ?? fields['text']
  if (typeof id !== 'string' || id === '') return 'has no "id"'
  if (text === undefined) return `has neither "${side}" nor "text"`
  return typeof text === 'string' ? { id, text } : `"${side in fields ? side : 'text'}" is not a text`
}

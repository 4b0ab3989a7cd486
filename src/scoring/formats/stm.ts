import type { Problem } from '#prelude'
import { linesOf, type TranscriptRecord } from './record.ts'
import { parseMarkup } from './transcript-markup.ts'

/** A stretch of a recording with its transcript. */
export interface Segment extends TranscriptRecord {
  readonly file: string
  readonly channel: string
  readonly startSeconds: number
  readonly endSeconds: number
  readonly labels: readonly string[]
}

/** Segments that the tools of NIST leave out, with all words in them; newer ones also know it without underscores. */
const ignoredText = /IGNORE_?TIME_?SEGMENT_?IN_?SCORING/i

/** Whether a transcript of an stm file is the request to leave its segment out. */
export function asksToBeIgnored(text: string): boolean {
  return ignoredText.test(text)
}

/**
 * Reads a segment time mark file: `file channel speaker start end [<label,label>] text`, `;;` before a comment.
 *
 * @see SCTK, doc/infmts.htm
 */
export function parseStm(text: string, firstLine = 1): { segments: Segment[]; problems: Problem[] } {
  const segments: Segment[] = []
  const problems: Problem[] = []
  for (const { line: index, text: content } of linesOf(text)) {
    const line = firstLine + index - 1
    if (content.trim() === '' || content.trimStart().startsWith(';;')) continue
    const segment = segmentOf(content, line)
    if ('what' in segment) problems.push({ where: String(line), ...segment })
    else segments.push(segment)
  }
  return { segments, problems }
}

function segmentOf(content: string, line: number): Segment | Omit<Problem, 'where'> {
  const match = /^\s*(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)(?:\s+<([^>]*)>)?\s*(.*)$/s.exec(content)
  const [, file = '', channel = '', speaker = '', start = '', end = '', labels = '', text = ''] = match ?? []
  const startSeconds = Number(start)
  const endSeconds = Number(end)
  if (match === null || !(startSeconds >= 0) || !(endSeconds >= startSeconds)) {
    return {
      what: 'the line is no segment',
      hint: 'write: file channel speaker start end <labels> text, times in seconds',
    }
  }
  const markup = parseMarkup(text, { hasTags: true })
  if (!markup.ok) return { what: markup.what, hint: markup.hint }
  const labelled = labels === '' ? [] : labels.split(',')
  return {
    id: `${file}-${channel}-${start}`,
    text: text.trim(),
    parts: markup.parts,
    taggedCount: markup.taggedCount,
    speaker,
    tags: Object.fromEntries(labelled.map((label, position) => [`label ${position + 1}`, label])),
    line,
    file,
    channel,
    startSeconds,
    endSeconds,
    labels: labelled,
  }
}

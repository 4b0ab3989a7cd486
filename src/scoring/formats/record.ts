import type { Problem } from '#prelude'
import type { TranscriptPart } from '../alignment/networks.ts'

/** One transcript of a file, before any normalisation. */
export interface TranscriptRecord {
  /** What pairs it with its partner. In files without ids the line number, from 1. */
  readonly id: string
  /** As written, without markup where the format has markup that `parts` holds. */
  readonly text: string
  /** Words, optional words and alternatives. Null where the format has none of them. */
  readonly parts: readonly TranscriptPart[] | null
  /** Words with a tag behind a semicolon, which is not scored. Absent where the format has no tags. */
  readonly taggedCount?: number
  readonly speaker: string | null
  /** Further columns, labels and fields, by name. */
  readonly tags: Readonly<Record<string, string>>
  /** Line number, from 1. */
  readonly line: number
}

/** What a file holds, and everything that is wrong with it. */
export interface ParsedTranscripts {
  readonly records: readonly TranscriptRecord[]
  /** In line order. `where` is the line number alone: the reader of the file puts its name before it. */
  readonly problems: readonly Problem[]
}

/** A line of a file, numbered from 1, without its ending. */
export interface NumberedLine {
  readonly line: number
  readonly text: string
}

/** The lines of a text. LF, CRLF and CR end a line; an ending at the very end does not begin another one. */
export function linesOf(text: string): NumberedLine[] {
  const body = text.startsWith('\ufeff') ? text.slice(1) : text
  const lines = body.split(/\r\n|\n|\r/)
  if (lines.at(-1) === '') lines.pop()
  return lines.map((line, index) => ({ line: index + 1, text: line }))
}

/** The ids that occur more than once, as problems of their second and later lines. */
export function duplicateIds(records: readonly { readonly id: string; readonly line: number }[]): Problem[] {
  const firstLines = new Map<string, number>()
  const problems: Problem[] = []
  for (const { id, line } of records) {
    const first = firstLines.get(id)
    if (first === undefined) firstLines.set(id, line)
    else {
      problems.push({
        where: String(line),
        what: `the id “${id}” was used before, in line ${first}`,
        hint: 'give every utterance a unique id',
      })
    }
  }
  return problems
}

/** Whether a text is broken: half of a surrogate pair is not a character. */
export function isBroken(text: string): boolean {
  return /\p{Surrogate}/u.test(text)
}

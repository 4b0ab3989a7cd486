import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Problem } from '#prelude'
import { asUtf8, type Utf8Pieces, utf16ToUtf8 } from '#prelude/utf16'

export interface TextLine {
  /** Line number, counted from 1. */
  readonly number: number
  /** Text without the line ending. */
  readonly text: string
}

const newline = 0x0a

/**
 * Reads a text file in UTF-8, or in UTF-16 with a byte order mark. Byte order marks and carriage returns
 * before line feeds are removed; an empty last line is omitted.
 *
 * @param file path or content of the file
 * @param shownPath the file's name in problems
 * @throws file system errors
 */
export async function readTextFile(file: string | Uint8Array, shownPath: string) {
  const bytes = asUtf8(typeof file === 'string' ? await readFile(file) : file)
  const problems: Problem[] = []
  const lines = [...splitLines(bytes, shownPath, 0, (problem) => problems.push(problem))]
  return { lines, problems }
}

/**
 * Reads a file of any length in pieces, by the same rules. Lines of a piece are decoded lazily, so that only
 * one is in memory at a time.
 *
 * @param report called with problems, in reading order
 * @throws file system errors
 */
export async function* streamTextLines(
  path: string,
  shownPath: string,
  report: (problem: Problem) => void,
): AsyncGenerator<Iterable<TextLine>> {
  // A line in many pieces is joined once, because joining after each piece would take quadratic time.
  let open: Uint8Array[] = []
  let linesBefore = 0
  for await (const piece of utf8Pieces(createReadStream(path, { highWaterMark: pieceBytes }))) {
    const end = piece.lastIndexOf(newline) + 1
    if (end === 0) {
      open.push(piece)
      continue
    }
    const whole = Buffer.concat([...open, piece.subarray(0, end)])
    open = [piece.subarray(end)]
    yield splitLines(whole, shownPath, linesBefore, report)
    linesBefore += countLines(whole)
  }
  yield splitLines(Buffer.concat(open), shownPath, linesBefore, report)
}

const pieceBytes = 1 << 18

async function* utf8Pieces(file: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let converted: Utf8Pieces | null | undefined
  for await (const piece of file) {
    if (converted === undefined) converted = utf16ToUtf8(piece)
    yield converted?.push(piece) ?? piece
  }
  if (converted) yield converted.end()
}

function countLines(bytes: Uint8Array): number {
  let count = 0
  for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, at + 1)) count += 1
  return count
}

function* splitLines(
  bytes: Uint8Array,
  shownPath: string,
  linesBefore: number,
  report: (problem: Problem) => void,
): Generator<TextLine, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const hasMark = linesBefore === 0 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  let start = hasMark ? 3 : 0
  for (let number = linesBefore + 1; start < bytes.length; number += 1) {
    const next = bytes.indexOf(newline, start)
    const end = next === -1 ? bytes.length : next
    let text = ''
    try {
      text = decoder.decode(bytes.subarray(start, end))
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      // The invalid line is kept as an empty one, so that later lines keep their numbers.
      report({ where: `${shownPath}:${number}`, what: 'is not UTF-8; save the file as UTF-8' })
    }
    yield { number, text: text.endsWith('\r') ? text.slice(0, -1) : text }
    start = end + 1
  }
}

/** Maximum number of lines with the same problem that are listed separately. */
const maxAlike = 3

/** Collects problems of millions of lines in little memory: equal ones become one, with the number of lines. */
export function problemList(): {
  add(problem: Problem): void
  /** Number of all added problems. */
  readonly count: number
  list(): readonly Problem[]
} {
  const alike = new Map<string, { count: number; readonly first: Problem[] }>()
  let total = 0
  return {
    add(problem) {
      const key = `${problem.what}\n${problem.hint}`
      const group = alike.get(key) ?? { count: 0, first: [] }
      if (group.count === 0) alike.set(key, group)
      if (group.count < maxAlike) group.first.push(problem)
      group.count += 1
      total += 1
    },
    get count() {
      return total
    },
    list: () =>
      [...alike.values()].flatMap(({ count, first }) =>
        count <= maxAlike
          ? first
          : first.slice(0, 1).map((problem) => ({ ...problem, what: `${problem.what} (${count} lines)` })),
      ),
  }
}

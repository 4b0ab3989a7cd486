import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Problem } from '#prelude'

export interface TextLine {
  /** From 1. */
  readonly number: number
  /** Without its line ending. */
  readonly text: string
}

export interface TextFile {
  readonly lines: readonly TextLine[]
  readonly problems: readonly Problem[]
}

const newline = 0x0a

/**
 * Reads a file of UTF-8 lines. A byte order mark and carriage returns before line feeds are not part of the text; what
 * follows the last line feed is a line only where it is not empty.
 *
 * @param file its path, or what was read of it
 * @param shownPath how problems name the file
 * @throws file system errors
 */
export async function readTextFile(file: string | Uint8Array, shownPath: string): Promise<TextFile> {
  const bytes = typeof file === 'string' ? await readFile(file) : file
  return readLines(bytes, shownPath, 0)
}

/**
 * Reads a file of any length in batches of lines, with the same rules.
 *
 * @param report called with what is wrong, in reading order
 * @throws file system errors
 */
export async function* streamTextLines(
  path: string,
  shownPath: string,
  report: (problem: Problem) => void,
): AsyncGenerator<readonly TextLine[]> {
  let rest: Uint8Array = new Uint8Array()
  let lineCount = 0
  for await (const piece of createReadStream(path, {
    highWaterMark: pieceBytes,
  }) as AsyncIterable<Uint8Array>) {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece])
    const end = bytes.lastIndexOf(newline) + 1
    rest = bytes.subarray(end)
    if (end === 0) continue
    const { lines, problems } = readLines(bytes.subarray(0, end), shownPath, lineCount)
    problems.forEach(report)
    lineCount += lines.length
    yield lines
    if (lines.length === 0) return
  }
  const { lines, problems } = readLines(rest, shownPath, lineCount)
  problems.forEach(report)
  yield lines
}

const pieceBytes = 1 << 20

function readLines(bytes: Uint8Array, shownPath: string, linesBefore: number): TextFile {
  const [first, second] = linesBefore === 0 ? bytes : []
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    return { lines: [], problems: [{ where: shownPath, what: 'is UTF-16; save it as UTF-8' }] }
  }
  const hasMark = first === 0xef && second === 0xbb && bytes[2] === 0xbf
  return splitLines(hasMark ? bytes.subarray(3) : bytes, shownPath, linesBefore)
}

function splitLines(bytes: Uint8Array, shownPath: string, linesBefore: number): TextFile {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const lines: TextLine[] = []
  const problems: Problem[] = []
  let start = 0
  for (let number = linesBefore + 1; start < bytes.length; number += 1) {
    const next = bytes.indexOf(newline, start)
    const end = next === -1 ? bytes.length : next
    try {
      const text = decoder.decode(bytes.subarray(start, end))
      lines.push({ number, text: text.endsWith('\r') ? text.slice(0, -1) : text })
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      problems.push({ where: `${shownPath}:${number}`, what: 'is not UTF-8; save the file as UTF-8' })
      // The line keeps its place, so that those behind it keep their numbers.
      lines.push({ number, text: '' })
    }
    start = end + 1
  }
  return { lines, problems }
}

import { createReadStream } from 'node:fs'
import type { Problem } from '#prelude'

/** Some lines of a file, in one piece. */
export interface LineBlock {
  /** Number of the first of them, from 1. */
  readonly firstLine: number
  readonly lineCount: number
  /** Ends at the end of a line. Line endings are LF or CRLF; a byte order mark is gone. */
  readonly text: string
  /** Where the file is read up to. */
  readonly bytesRead: number
}

const newline = 0x0a
const blockBytes = 262_144
// The longest book has some 10 MB, and no recording that one service answers is as long.
const longestLineBytes = 16 * 1_048_576

/**
 * Reads a file of UTF-8 lines in blocks, in memory that does not grow with the file. A line that cannot be read is
 * reported, and keeps its place as an empty one, so that those behind it keep their numbers.
 *
 * @param shownPath how problems name the file
 * @throws file system errors
 */
export async function* readLineBlocks(
  path: string,
  shownPath: string,
  report: (problem: Problem) => void,
): AsyncGenerator<LineBlock> {
  const reader = startLines(shownPath, report)
  let bytesRead = 0
  for await (const chunk of createReadStream(path, { highWaterMark: blockBytes }) as AsyncIterable<Buffer>) {
    if (bytesRead === 0 && isUtf16(chunk)) {
      report({ where: shownPath, what: 'is UTF-16', hint: 'save it as UTF-8' })
      return
    }
    const hasMark = bytesRead === 0 && chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf
    bytesRead += chunk.length
    const block = reader.push(hasMark ? chunk.subarray(3) : chunk)
    if (block !== null) yield { ...block, bytesRead }
  }
  const last = reader.end()
  if (last !== null) yield { ...last, bytesRead }
}

function isUtf16([first, second]: Uint8Array): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
}

type Block = Omit<LineBlock, 'bytesRead'>

interface LineReader {
  /** The lines that a chunk completes; null where it completes none. */
  push(chunk: Buffer): Block | null
  end(): Block | null
}

function startLines(shownPath: string, report: (problem: Problem) => void): LineReader {
  let firstLine = 1
  let pending: Buffer[] = []
  let pendingBytes = 0
  let isTooLong = false
  const keep = (bytes: Buffer): void => {
    pendingBytes += bytes.length
    isTooLong ||= pendingBytes > longestLineBytes
    // Of a line that is refused nothing is kept.
    if (isTooLong) pending = []
    else if (bytes.length > 0) pending.push(bytes)
  }
  const complete = (bytes: Buffer): Block | null => {
    if (isTooLong) report(tooLong(`${shownPath}:${firstLine}`, pendingBytes))
    const whole = isTooLong ? afterFirstLine(bytes) : Buffer.concat([...pending, bytes])
    pending = []
    pendingBytes = 0
    isTooLong = false
    if (whole.length === 0) return null
    const block = { firstLine, ...decodeLines(whole, firstLine, shownPath, report) }
    firstLine += block.lineCount
    return block
  }
  return {
    push(chunk) {
      const end = chunk.lastIndexOf(newline) + 1
      const first = end === 0 ? chunk.length : chunk.indexOf(newline) + 1
      // Whether the line under way is too long is known when its own end is reached, not the chunk's.
      if (end > 0 && pendingBytes + first > longestLineBytes) {
        isTooLong = true
        pendingBytes += first
      }
      const block = end === 0 ? null : complete(chunk.subarray(0, end))
      keep(chunk.subarray(end))
      return block
    },
    end: () => complete(isTooLong ? Buffer.of(newline) : Buffer.alloc(0)),
  }
}

/** The line that was too long ends in these bytes: it stays as an empty one. */
function afterFirstLine(bytes: Buffer): Buffer {
  return bytes.subarray(bytes.indexOf(newline))
}

function tooLong(where: string, bytes: number): Problem {
  return {
    where,
    what: `is longer than ${longestLineBytes / 1_048_576} MiB (${Math.round(bytes / 1_048_576)} MiB)`,
    hint: 'give every utterance a line of its own: split -l, or cut the transcript where its recording is cut',
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decodeLines(
  bytes: Buffer,
  firstLine: number,
  shownPath: string,
  report: (problem: Problem) => void,
): { readonly text: string; readonly lineCount: number } {
  const text = decoded(bytes) ?? decodeOneByOne(bytes, firstLine, shownPath, report)
  let lineCount = text.endsWith('\n') ? 0 : 1
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lineCount += 1
  for (const { index } of text.matchAll(/\r(?!\n|$)/g)) {
    report({
      where: `${shownPath}:${firstLine + text.slice(0, index).split('\n').length - 1}`,
      what: 'has a carriage return inside',
      hint: "lines end with LF or CRLF; where CR alone ends a line: tr '\\r' '\\n' < old > new",
    })
  }
  return { text, lineCount }
}

/** @returns null for bytes that are not UTF-8 */
function decoded(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes)
  } catch (error) {
    if (error instanceof TypeError) return null
    throw error
  }
}

function decodeOneByOne(
  bytes: Buffer,
  firstLine: number,
  shownPath: string,
  report: (problem: Problem) => void,
): string {
  const lines: string[] = []
  for (let start = 0; start < bytes.length; ) {
    const next = bytes.indexOf(newline, start)
    const end = next === -1 ? bytes.length : next + 1
    const line = decoded(bytes.subarray(start, end))
    if (line === null) {
      report({
        where: `${shownPath}:${firstLine + lines.length}`,
        what: 'is not UTF-8',
        hint: 'save the file as UTF-8',
      })
    }
    lines.push(line ?? '\n')
    start = end
  }
  return lines.join('')
}

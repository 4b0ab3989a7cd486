import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Problem } from '#prelude'
import { type Utf8Pieces, utf16ToUtf8 } from '#prelude/utf16'

/** How standard input is named on a command line. */
export const standardInput = '-'

/** A file as it was named, or standard input. */
export interface Input {
  /** As named. */
  readonly path: string
  /** How problems name it. */
  readonly shownPath: string
  readonly isFolder: boolean
  /** Null for standard input, and for a folder. */
  readonly sizeBytes: number | null
  readonly open: () => AsyncIterable<Uint8Array>
}

// The pairs of a chunk live until it is scored: of a larger one they outlive the young generation, which costs a tenth.
const chunkBytes = 65_536

/**
 * Looks at the files that were named. Of several with one name the paths distinguish them.
 *
 * @param stdin read where a path is `-`
 * @returns null where one of them cannot be used, which is reported
 */
export async function inspectInputs(
  paths: readonly string[],
  stdin: AsyncIterable<Uint8Array> | undefined,
  report: (problem: Problem) => void,
): Promise<readonly Input[] | null> {
  if (paths.filter((path) => path === standardInput).length > 1) {
    report({
      where: standardInput,
      what: 'is named twice',
      hint: 'standard input holds one file: name the other one',
    })
    return null
  }
  const names = paths.map((path) => (path === standardInput ? 'stdin' : basename(path)))
  const found = await Promise.allSettled(paths.map((path) => (path === standardInput ? null : stat(path))))
  // Reported after all were looked at, so that problems have the order of the files.
  const inputs = found.map((outcome, index): Input | null => {
    const [path, name] = [paths[index] as string, names[index] as string]
    const shownPath = names.indexOf(name) === names.lastIndexOf(name) ? name : path
    if (outcome.status === 'rejected') {
      report({ where: path, what: unreadable(outcome.reason) })
      return null
    }
    if (outcome.value === null) return findStandardInput(stdin, report)
    const isFolder = outcome.value.isDirectory()
    return { ...fileInput(path, shownPath, isFolder ? null : outcome.value.size), isFolder }
  })
  return inputs.every((input) => input !== null) ? inputs : null
}

/** A file that is opened when it is read. */
export function fileInput(path: string, shownPath: string, sizeBytes: number | null): Input {
  const open = (): AsyncIterable<Uint8Array> => createReadStream(path, { highWaterMark: chunkBytes })
  return { path, shownPath, isFolder: false, sizeBytes, open }
}

function findStandardInput(
  stdin: AsyncIterable<Uint8Array> | undefined,
  report: (problem: Problem) => void,
): Input | null {
  if (stdin === undefined) {
    report({ where: standardInput, what: 'is standard input, which is not there', hint: 'name a file' })
    return null
  }
  return { path: standardInput, shownPath: 'stdin', isFolder: false, sizeBytes: null, open: () => stdin }
}

/**
 * What is said of a file that the system does not let us read.
 *
 * @throws whatever is no error of the file system
 */
export function unreadable(error: unknown): string {
  if (!(error instanceof Error && 'code' in error && 'syscall' in error)) throw error
  if (error.code === 'ENOENT') return 'is missing'
  // “EACCES: permission denied, open '/x'”: the file is named next to it.
  const reason = /^\w+: ([^,]+)/.exec(error.message)?.[1] ?? error.message
  return `cannot be read: ${reason} (${error.code})`
}

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
// The longest book has some 10 MB, and no recording that one service answers is as long.
const longestLineBytes = 16 * 1_048_576
// A file that is one transcript may be one line of JSON, with the times of all words.
const longestDocumentBytes = 256 * 1_048_576

/**
 * Reads a file of lines in UTF-8, or in UTF-16 with a byte order mark, in blocks, in memory that does not grow with the file. A line that cannot be read is
 * reported, and keeps its number as an empty one, so that those behind it keep theirs. A file that the system does
 * not let us read, or that is no UTF-8 text at all, is reported once.
 */
export async function* readLineBlocks(
  input: Input,
  report: (problem: Problem) => void,
  longestBytes: number = longestLineBytes,
): AsyncGenerator<LineBlock> {
  const { shownPath } = input
  const reader = startLines(longestBytes, (line, what, hint) =>
    report({ where: `${shownPath}:${line}`, what, hint }),
  )
  let bytesRead = 0
  let converted: Utf8Pieces | null = null
  try {
    for await (const bytes of input.open()) {
      const isFirst = bytesRead === 0
      if (isFirst) converted = utf16ToUtf8(bytes)
      const wrong = isFirst && converted === null ? notUtf8(bytes) : null
      if (wrong !== null) {
        report({ where: shownPath, ...wrong })
        return
      }
      bytesRead += bytes.length
      const { buffer, byteOffset, byteLength } = converted?.push(bytes) ?? bytes
      const chunk = Buffer.from(buffer, byteOffset, byteLength)
      const block = reader.push(isFirst && hasMark(chunk) ? chunk.subarray(3) : chunk)
      if (block !== null) yield { ...block, bytesRead }
    }
  } catch (error) {
    report({ where: shownPath, what: unreadable(error) })
    return
  }
  const rest = converted === null ? null : reader.push(Buffer.from(converted.end()))
  if (rest !== null) yield { ...rest, bytesRead }
  const last = reader.end()
  if (last !== null) yield { ...last, bytesRead }
}

/** The text of a whole file, read and checked like its lines. */
export async function readWholeText(
  input: Input,
  report: (problem: Problem) => void,
): Promise<{ readonly text: string; readonly bytesRead: number }> {
  const texts: string[] = []
  let bytesRead = 0
  for await (const block of readLineBlocks(input, report, longestDocumentBytes)) {
    texts.push(block.text)
    bytesRead = block.bytesRead
  }
  return { text: texts.join(''), bytesRead }
}

function hasMark([first, second, third]: Uint8Array): boolean {
  return first === 0xef && second === 0xbb && third === 0xbf
}

const lookedAtBytes = 4096

/**
 * What the first bytes of a file without a byte order mark show it to be instead of UTF-8: text in UTF-16 and UTF-32 has NUL
 * bytes at every second or at three of four positions. Text in UTF-8 has none.
 */
function notUtf8(chunk: Uint8Array): Omit<Problem, 'where'> | null {
  const looked = chunk.subarray(0, lookedAtBytes)
  // One NUL alone shows no encoding.
  if (looked.indexOf(0) === looked.lastIndexOf(0)) return null
  // How many of the bytes at positions 0, 1, 2 and 3 of every four are NUL, as a share of those positions.
  const shares = [0, 1, 2, 3].map((offset) => {
    const column = looked.filter((_, at) => at % 4 === offset)
    return column.filter((byte) => byte === 0).length / Math.max(1, column.length)
  })
  const [a = 0, b = 0, c = 0, d = 0] = shares
  if (Math.min(b, c, d) > 0.9) return inEncoding('UTF-32LE')
  if (Math.min(a, b, c) > 0.9) return inEncoding('UTF-32BE')
  const [even, odd] = [(a + c) / 2, (b + d) / 2]
  // Spaces alone are one character in ten; of a short text nearly every character has to have its NUL.
  const isColumn = (share: number): boolean =>
    share > 0.9 || (share > 0.4 && looked.length > 64) || (share > 0.05 && looked.length > 512)
  if (isColumn(odd) && even < 0.01) return inEncoding('UTF-16LE')
  if (isColumn(even) && odd < 0.01) return inEncoding('UTF-16BE')
  return null
}

function inEncoding(encoding: string): Omit<Problem, 'where'> {
  return {
    what: `seems to be ${encoding.slice(0, -2)}`,
    hint: `save it as UTF-8: iconv -f ${encoding} -t UTF-8 old > new`,
  }
}

type Block = Omit<LineBlock, 'bytesRead'>

type ReportLine = (line: number, what: string, hint: string) => void

/** @returns takes chunks, and gives the lines that each completes; null where it completes none */
function startLines(longestBytes: number, report: ReportLine) {
  let firstLine = 1
  let pending: Buffer[] = []
  let pendingBytes = 0
  let isTooLong = false
  const keep = (bytes: Buffer): void => {
    pendingBytes += bytes.length
    isTooLong ||= pendingBytes > longestBytes
    // Of a line that is refused nothing is kept.
    if (isTooLong) pending = []
    else if (bytes.length > 0) pending.push(bytes)
  }
  const complete = (bytes: Buffer): Block | null => {
    if (isTooLong) {
      const size = `${longestBytes / 1_048_576} MiB (${Math.round(pendingBytes / 1_048_576)} MiB)`
      report(firstLine, `is longer than ${size}`, splitHint)
    }
    // The line that was too long ends in these bytes: it stays as an empty one.
    const whole = isTooLong ? bytes.subarray(bytes.indexOf(newline)) : Buffer.concat([...pending, bytes])
    pending = []
    pendingBytes = 0
    isTooLong = false
    if (whole.length === 0) return null
    const block = { firstLine, ...decodeLines(whole, firstLine, report) }
    firstLine += block.lineCount
    return block
  }
  return {
    push(chunk: Buffer): Block | null {
      const end = chunk.lastIndexOf(newline) + 1
      const first = end === 0 ? chunk.length : chunk.indexOf(newline) + 1
      // Whether the line under way is too long is known when its own end is reached, not the chunk's.
      if (end > 0 && pendingBytes + first > longestBytes) {
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

const splitHint =
  'put every utterance on a separate line: split -l, or cut the transcript where its recording is cut'

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decodeLines(
  bytes: Buffer,
  firstLine: number,
  report: ReportLine,
): { readonly text: string; readonly lineCount: number } {
  const text = decoded(bytes) ?? decodeOneByOne(bytes, firstLine, report)
  let lineCount = text.endsWith('\n') ? 0 : 1
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lineCount += 1
  const lineOf = (index: number): number => firstLine + text.slice(0, index).split('\n').length - 1
  if (text.includes('\0')) {
    const hint = "remove it: tr -d '\\000' < old > new; or save the file as UTF-8 where it is UTF-16"
    report(lineOf(text.indexOf('\0')), 'has a NUL byte', hint)
  }
  // Nearly no file has one, and to look for the character alone is ten times as fast.
  const carriageReturns = text.includes('\r') ? text.matchAll(/\r(?!\n|$)/g) : []
  for (const { index } of carriageReturns) {
    const hint = "lines end with LF or CRLF; where CR alone ends a line: tr '\\r' '\\n' < old > new"
    report(lineOf(index), 'has a carriage return inside', hint)
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

function decodeOneByOne(bytes: Buffer, firstLine: number, report: ReportLine): string {
  const lines: string[] = []
  for (let start = 0; start < bytes.length; ) {
    const next = bytes.indexOf(newline, start)
    const end = next === -1 ? bytes.length : next + 1
    const line = decoded(bytes.subarray(start, end))
    if (line === null) report(firstLine + lines.length, 'is not UTF-8', 'save the file as UTF-8')
    lines.push(line ?? '\n')
    start = end
  }
  return lines.join('')
}

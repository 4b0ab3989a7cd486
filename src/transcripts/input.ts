import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Problem } from '#prelude'
import { type Utf8Pieces, utf16ToUtf8 } from '#prelude/utf16'

/** Name of standard input on a command line. */
export const standardInput = '-'

/** A named file or folder, or standard input. */
export interface Input {
  readonly path: string
  /** Name that problems show. */
  readonly shownPath: string
  readonly isFolder: boolean
  /** Null for standard input, and for a folder. */
  readonly sizeBytes: number | null
  readonly open: () => AsyncIterable<Uint8Array>
}

// Pairs of a chunk live until they are scored. With larger chunks they outlive V8's young generation, at a cost of
// 10 %.
const chunkBytes = 65_536

/**
 * Checks the named files. Files of the same name are shown with their paths.
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
  // Problems are reported after all files were checked, so that they have the order of the files.
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

/** Makes an input whose file is opened when it is read. */
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
 * Describes why the file system does not let us read a file.
 *
 * @throws any error that is not of the file system
 */
export function unreadable(error: unknown): string {
  if (!(error instanceof Error && 'code' in error && 'syscall' in error)) throw error
  if (error.code === 'ENOENT') return 'is missing'
  // Drops the path from “EACCES: permission denied, open '/x'”, because the message names it already.
  const reason = /^\w+: ([^,]+)/.exec(error.message)?.[1] ?? error.message
  return `cannot be read: ${reason} (${error.code})`
}

/** Consecutive lines of a file, as one text. */
export interface LineBlock {
  /** Number of the first line, from 1. */
  readonly firstLine: number
  readonly lineCount: number
  /** Ends at the end of a line. Lines end with LF or CRLF. It has no byte order mark. */
  readonly text: string
  /** Number of bytes of the file that were read so far. */
  readonly bytesRead: number
}

const newline = 0x0a
// The longest books have some 10 MB, which is more than any recording that a service transcribes at once.
const longestLineBytes = 16 * 1_048_576
// A file with one transcript may be a single line of JSON with the times of all words.
const longestDocumentBytes = 256 * 1_048_576

/**
 * Reads a file in blocks of lines, in memory that does not grow with the file. It is UTF-8, or UTF-16 with a byte
 * order mark. An unreadable line is reported and becomes empty, so that later lines keep their numbers. A file that
 * cannot be read, or is not UTF-8 at all, is reported once.
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

/** Reads a whole file as one text, with the same checks as its lines. */
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
 * Recognises a file that is not UTF-8 by its first bytes. Without a byte order mark, UTF-16 and UTF-32 have NUL
 * bytes at every second, or at three of four positions; UTF-8 has none.
 */
function notUtf8(chunk: Uint8Array): Omit<Problem, 'where'> | null {
  const looked = chunk.subarray(0, lookedAtBytes)
  // A single NUL identifies no encoding.
  if (looked.indexOf(0) === looked.lastIndexOf(0)) return null
  // Share of NUL bytes at positions 0, 1, 2 and 3 of every four.
  const shares = [0, 1, 2, 3].map((offset) => {
    const column = looked.filter((_, at) => at % 4 === offset)
    return column.filter((byte) => byte === 0).length / Math.max(1, column.length)
  })
  const [a = 0, b = 0, c = 0, d = 0] = shares
  if (Math.min(b, c, d) > 0.9) return inEncoding('UTF-32LE')
  if (Math.min(a, b, c) > 0.9) return inEncoding('UTF-32BE')
  const [even, odd] = [(a + c) / 2, (b + d) / 2]
  // One character in ten is a space, which has a NUL in any script. In a short text nearly every character must
  // have one.
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

/** @returns `push`, which takes chunks and returns the lines that each completes, or null; and `end` */
function startLines(longestBytes: number, report: ReportLine) {
  let firstLine = 1
  let pending: Buffer[] = []
  let pendingBytes = 0
  let isTooLong = false
  const keep = (bytes: Buffer): void => {
    pendingBytes += bytes.length
    isTooLong ||= pendingBytes > longestBytes
    // A rejected line is not kept.
    if (isTooLong) pending = []
    else if (bytes.length > 0) pending.push(bytes)
  }
  const complete = (bytes: Buffer): Block | null => {
    if (isTooLong) {
      const size = `${longestBytes / 1_048_576} MiB (${Math.round(pendingBytes / 1_048_576)} MiB)`
      report(firstLine, `is longer than ${size}`, splitHint)
    }
    // The line that was too long ends in these bytes. It becomes an empty line.
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
      // A chunk may hold the end of the pending line, which decides whether that line is too long.
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
  const lines = text.split('\n')
  const lineCount = text.endsWith('\n') ? lines.length - 1 : lines.length
  if (text.includes('\0')) {
    const hint = "remove it: tr -d '\\000' < old > new; or save the file as UTF-8 where it is UTF-16"
    report(firstLine + lines.findIndex((line) => line.includes('\0')), 'has a NUL byte', hint)
  }
  // Looking for the character alone is ten times as fast, and hardly any file has one.
  if (text.includes('\r')) {
    const hint = "lines end with LF or CRLF; where CR alone ends a line: tr '\\r' '\\n' < old > new"
    for (const [index, line] of lines.entries())
      if (line.slice(0, -1).includes('\r')) report(firstLine + index, 'has a carriage return inside', hint)
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

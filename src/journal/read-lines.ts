import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import type { z } from 'zod'
import { type BenchError, type Problem, parseJson } from '#prelude'
import { journalErrors } from './errors.ts'
import { quickCheck } from './quick-check.ts'
import { runFiles } from './run-writer.ts'

/** Files without which a run can still be evaluated. */
const dispensable: readonly string[] = [runFiles.reused, runFiles.modes, runFiles.staged, runFiles.telemetry]

const notJson = 'not JSON'

/** From so many lines on it pays to make a quick check. */
const manyLines = 1000

export interface LineReading<Line> {
  readonly parser: z.ZodType<Line>
  /** Makes a line of an older format one of this format; default: the line is of this format. */
  readonly upgrade?: ((line: unknown) => unknown) | undefined
  /** Receives one line after the other; nothing is kept here. */
  readonly take: (line: Line) => void
}

/**
 * Reads a file of JSON lines and checks each.
 *
 * @returns whether the end of the file is the beginning of a line, which is ignored
 * @throws BenchError RUN_UNREADABLE with all bad lines
 */
export async function readLines<Line>(
  folder: string,
  name: string,
  { parser, upgrade = (line) => line, take }: LineReading<Line>,
): Promise<{ readonly isTorn: boolean }> {
  const problems: Problem[] = []
  let badLast = null as Problem | null
  let isPlain: ((value: unknown) => value is Line) | null = null
  const look = (text: string, lineNumber: number): void => {
    // What was added after a torn end begins with an empty line.
    if (text === '' && badLast?.what === notJson) badLast = null
    if (text === '') return
    if (badLast !== null) problems.push(badLast)
    badLast = null
    const json = upgrade(parseJson(text))
    if (lineNumber === manyLines) isPlain = quickCheck(parser)
    if (isPlain?.(json) === true) {
      take(json)
      return
    }
    const parsed = parser.safeParse(json)
    if (parsed.success) take(parsed.data)
    else {
      const what = json === undefined ? notJson : describeProblem(parsed.error)
      badLast = { where: `${name}:${lineNumber}`, what }
    }
  }
  try {
    await using file = await open(join(folder, name))
    await eachLine(file, look)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause
    if (dispensable.includes(name)) return { isTorn: false }
    problems.push({ where: join(folder, name), what: 'is missing' })
  }
  // Only a line that is no JSON at all can be the torn end of a run that died while writing.
  const isTorn = badLast?.what === notJson
  if (badLast !== null && !isTorn) problems.push(badLast)
  if (problems.length > 0) throw unreadable(folder, problems)
  return { isTorn }
}

const newline = 0x0a
const readBytes = 2 ** 20
/** Longer strings are kept apart by the engine, where they wait longer to be thrown away. */
const decodedBytes = 2 ** 16

/**
 * Lines end with a line feed and nothing else: a transcript may hold any other character that ends lines elsewhere
 * (U+2028), which JSON leaves as it is.
 */
async function eachLine(file: FileHandle, look: (text: string, lineNumber: number) => void): Promise<void> {
  let buffer = Buffer.allocUnsafe(readBytes)
  let lineNumber = 0
  const lookAt = (from: number, until: number): void => {
    const text = buffer.toString('utf8', from, until)
    for (let start = 0; start < text.length; ) {
      const feed = text.indexOf('\n', start)
      const end = feed < 0 ? text.length : feed
      lineNumber += 1
      look(text.slice(start, text[end - 1] === '\r' && end > start ? end - 1 : end), lineNumber)
      start = end + 1
    }
  }
  for (let held = 0; ; ) {
    if (held === buffer.length) buffer = Buffer.concat([buffer], 2 * buffer.length)
    const { bytesRead } = await file.read(buffer, held, buffer.length - held)
    const filled = held + bytesRead
    let from = 0
    for (
      let until = endOfLines(buffer, from, filled);
      until > from;
      until = endOfLines(buffer, from, filled)
    ) {
      lookAt(from, until)
      from = until
    }
    if (bytesRead === 0) {
      lookAt(from, filled)
      return
    }
    buffer.copyWithin(0, from, filled)
    held = filled - from
  }
}

/** Where the lines end that are looked at next: whole ones, about so many that they are decoded in one go. */
function endOfLines(buffer: Buffer, from: number, filled: number): number {
  if (filled === from) return from
  const near = buffer.lastIndexOf(newline, Math.min(from + decodedBytes, filled) - 1)
  if (near >= from) return near + 1
  const next = buffer.subarray(0, filled).indexOf(newline, from)
  return next < 0 ? from : next + 1
}

export function describeProblem(error: z.ZodError): string {
  return error.issues
    .slice(0, 3)
    .map((issue) => `${issue.path.join('.') || 'the line'}: ${issue.message}`)
    .join('; ')
}

export function unreadable(folder: string, problems: readonly Problem[]): BenchError {
  return journalErrors.make('RUN_UNREADABLE', {
    message: `${problems.length} ${problems.length === 1 ? 'place' : 'places'} in ${folder} cannot be read`,
    hint: 'restore the folder from a copy, or measure again: transcribench run',
    problems,
  })
}

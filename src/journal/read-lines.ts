import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import type { z } from 'zod'
import { type BenchError, counted, type Problem, parseJson } from '#prelude'
import { journalErrors, runFiles } from './run-writer.ts'

/** Files that may be absent from a run that is evaluated. */
const dispensable: readonly string[] = [runFiles.reused, runFiles.modes, runFiles.staged, runFiles.telemetry]

const notJson = 'not JSON'

/**
 * @param take receives each line in order; this function keeps none
 * @returns isTorn is true where the file ends within a line, which is ignored
 * @throws BenchError RUN_UNREADABLE with all bad lines
 */
export async function readLines<Line>(
  folder: string,
  name: string,
  parser: z.ZodType<Line>,
  take: (line: Line) => void,
): Promise<{ readonly isTorn: boolean }> {
  const problems: Problem[] = []
  let badLast = null as Problem | null
  const look = (text: string, lineNumber: number): void => {
    // Lines that were appended after an incomplete last line begin with an empty line.
    if (text === '' && badLast?.what === notJson) badLast = null
    if (text === '') return
    if (badLast !== null) problems.push(badLast)
    badLast = null
    const json = parseJson(text)
    const parsed = parser.safeParse(json)
    // The copy that a parser makes takes more memory, so a value that it did not change is kept itself.
    if (parsed.success) take(isSame(json, parsed.data) ? (json as Line) : parsed.data)
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
  // Only a line that is not JSON can be the incomplete last line of a run that died while writing.
  const isTorn = badLast?.what === notJson
  if (badLast !== null && !isTorn) problems.push(badLast)
  if (problems.length > 0) throw unreadable(folder, problems)
  return { isTorn }
}

/** Whether two values of JSON are equal. */
function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return one === other
  const [fields, others] = [one, other] as [Record<string, unknown>, Record<string, unknown>]
  let count = 0
  for (const name in fields) {
    if (!isSame(fields[name], others[name])) return false
    count += 1
  }
  return count === Object.keys(others).length
}

/** Bytes decoded at once. V8 stores longer strings separately, where they are collected later. */
const decodedBytes = 2 ** 16

/**
 * Calls `look` for each line. Only a line feed ends a line, because a transcript may contain other line separators
 * (U+2028), which JSON does not escape.
 */
async function eachLine(file: FileHandle, look: (text: string, lineNumber: number) => void): Promise<void> {
  let lineNumber = 0
  const lookAt = (line: string): void => {
    lineNumber += 1
    look(line.endsWith('\r') ? line.slice(0, -1) : line, lineNumber)
  }
  let rest = ''
  for await (const piece of file.createReadStream({ encoding: 'utf8', highWaterMark: decodedBytes })) {
    const lines = piece.split('\n')
    // V8 joins texts without a copy, but copies the whole text to search it.
    lines[0] = rest + (lines[0] ?? '')
    rest = lines.pop() ?? ''
    for (const line of lines) lookAt(line)
  }
  if (rest !== '') lookAt(rest)
}

export function describeProblem(error: z.ZodError): string {
  return error.issues
    .slice(0, 3)
    .map((issue) => `${issue.path.join('.') || 'the line'}: ${issue.message}`)
    .join('; ')
}

export function unreadable(folder: string, problems: readonly Problem[]): BenchError {
  return journalErrors.make('RUN_UNREADABLE', {
    message: `${counted(problems.length, 'place')} in ${folder} cannot be read`,
    hint: 'restore the folder from a copy, or measure again: transcribench run',
    problems,
  })
}

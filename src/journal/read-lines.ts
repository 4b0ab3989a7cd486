import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { type BenchError, counted, type Problem, parseJson } from '#prelude'
import { journalErrors, runFiles } from './run-writer.ts'

/** Files that may be absent from a run that is evaluated. */
const dispensable: readonly string[] = [runFiles.reused, runFiles.modes, runFiles.staged, runFiles.telemetry]

const notJson = 'not JSON'

/** Number of lines from which the quick check saves more time than compiling it takes. */
const manyLines = 1000

/**
 * Reads a file of JSON lines and checks each.
 *
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
  let isPlain: ((value: unknown) => value is Line) | null = null
  const look = (text: string, lineNumber: number): void => {
    // Lines that were appended after an incomplete last line begin with an empty line.
    if (text === '' && badLast?.what === notJson) badLast = null
    if (text === '') return
    if (badLast !== null) problems.push(badLast)
    badLast = null
    const json = parseJson(text)
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
  // Only a line that is not JSON can be the incomplete last line of a run that died while writing.
  const isTorn = badLast?.what === notJson
  if (badLast !== null && !isTorn) problems.push(badLast)
  if (problems.length > 0) throw unreadable(folder, problems)
  return { isTorn }
}

const newline = 0x0a
const readBytes = 2 ** 20
/** Max bytes decoded at once. V8 stores longer strings separately, where they are collected later. */
const decodedBytes = 2 ** 16

/**
 * Calls `look` for each line. Only a line feed ends a line, because a transcript may contain other line separators
 * (U+2028), which JSON does not escape.
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

/** Returns the end of the next whole lines to decode together, up to `decodedBytes` unless one line is longer. */
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
    message: `${counted(problems.length, 'place')} in ${folder} cannot be read`,
    hint: 'restore the folder from a copy, or measure again: transcribench run',
    problems,
  })
}

/**
 * Compiles a check that is many times as fast as the parser. It is true only for values that the parser would
 * return unchanged; the parser must decide on all others.
 *
 *   isPlain(value) || parser.safeParse(value)
 *
 * @param parser of JSON; it is read from its JSON Schema, so that no shape is defined twice
 */
export function quickCheck<Value>(parser: z.ZodType<Value>): (value: unknown) => value is Value {
  const check = compileCheck(z.toJSONSchema(parser, { metadata: z.registry() }))
  return (value): value is Value => check(value)
}

type JsonSchema = z.core.JSONSchema.BaseSchema
type Check = (value: unknown) => boolean

/** Keywords of JSON Schema that a check supports; a schema with any other keyword gets a check that is always false. */
const understood: ReadonlySet<string> = new Set([
  ...['$schema', 'default', 'type', 'const', 'enum', 'minimum', 'maximum'],
  ...['oneOf', 'anyOf', 'items', 'properties', 'required', 'additionalProperties'],
])

const nothing: Check = () => false

function compileCheck(schema: JsonSchema): Check {
  if (Object.keys(schema).some((key) => !understood.has(key))) return nothing
  const { type, const: only, enum: values, oneOf, anyOf, minimum, maximum } = schema
  const ways = oneOf ?? anyOf
  if (ways !== undefined) return anyOfChecks(ways.map(checkOfPart))
  if (only !== undefined) return (value) => value === only
  if (values !== undefined) return (value) => (values as readonly unknown[]).includes(value)
  if (Array.isArray(type)) {
    return anyOfChecks(
      type.map((one) => compileCheck({ ...schema, type: one as NonNullable<JsonSchema['type']> })),
    )
  }
  switch (type) {
    case 'string':
      return (value) => typeof value === 'string'
    case 'boolean':
      return (value) => typeof value === 'boolean'
    case 'null':
      return (value) => value === null
    case 'number':
    case 'integer':
      return numberCheck(type === 'integer', minimum, maximum)
    case 'array':
      return arrayCheck(schema)
    case 'object':
      return objectCheck(schema)
    default:
      return nothing
  }
}

/** A boolean schema gets a check that is always false, so that the parser decides. */
function checkOfPart(schema: JsonSchema | boolean): Check {
  return typeof schema === 'boolean' ? nothing : compileCheck(schema)
}

function anyOfChecks(ways: readonly Check[]): Check {
  return (value) => {
    for (const way of ways) if (way(value)) return true
    return false
  }
}

function numberCheck(
  isInteger: boolean,
  least = Number.NEGATIVE_INFINITY,
  most = Number.POSITIVE_INFINITY,
): Check {
  const isNumber = isInteger ? Number.isInteger : Number.isFinite
  return (value) => typeof value === 'number' && isNumber(value) && value >= least && value <= most
}

function arrayCheck({ items }: JsonSchema): Check {
  if (items === undefined || Array.isArray(items)) return nothing
  const check = checkOfPart(items as JsonSchema | boolean)
  return (value) => Array.isArray(value) && value.every(check)
}

function objectCheck({ properties = {}, required = [] }: JsonSchema): Check {
  const names = Object.keys(properties)
  const checks = names.map((name) => checkOfPart(properties[name] ?? false))
  const isRequired = names.map((name) => required.includes(name))
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
    const record = value as Readonly<Record<string, unknown>>
    let knownCount = 0
    for (let index = 0; index < names.length; index += 1) {
      const field = record[names[index] as string]
      if (field === undefined) {
        if (isRequired[index] === true) return false
        continue
      }
      if (!(checks[index] as Check)(field)) return false
      knownCount += 1
    }
    // A parser drops unknown fields, so a value with one would not be returned unchanged.
    return knownCount === Object.keys(record).length
  }
}

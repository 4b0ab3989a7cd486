import { extname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CsvError, parse } from 'csv-parse'
import { nearest, type Problem, parseJsonObject } from '#prelude'
import { streamTextLines, type TextLine } from '../text-file.ts'
import {
  findField,
  listNames,
  type ManifestField,
  type ManifestRow,
  nearestField,
  ownFields,
} from './manifest-row.ts'

/** Listeners for problems of a manifest, as they are found, and for warnings at the end. */
interface ManifestListeners {
  report(problem: Problem): void
  onWarning(warning: Problem): void
}

/**
 * Parses a manifest piece by piece: as a table by its extension, else as JSON Lines.
 *
 * @param shownPath the file's name in problems
 * @throws file system errors
 */
export async function* readRows(
  path: string,
  shownPath: string,
  listeners: ManifestListeners,
): AsyncGenerator<readonly ManifestRow[], void> {
  const pieces = streamTextLines(path, shownPath, listeners.report)
  const extension = extname(shownPath)
  if (extension === '.csv' || extension === '.tsv')
    yield* readTable(pieces, shownPath, extension === '.csv' ? 'csv' : 'tsv', listeners)
  else yield* readLines(pieces, shownPath, listeners)
}

/** Reads JSON Lines with our keys, those of NeMo, or both. Blank lines are skipped. */
async function* readLines(
  pieces: AsyncIterable<Iterable<TextLine>>,
  shownPath: string,
  { report, onWarning }: ManifestListeners,
): AsyncGenerator<readonly ManifestRow[], void> {
  const unusedKeys: UnusedKeys = new Map()
  let [isFirst, isArray] = [true, false]
  for await (const lines of pieces) {
    const rows: ManifestRow[] = []
    for (const { number, text } of lines) {
      if (text.trim() === '' || isArray) continue
      isArray = isFirst && text.trimStart().startsWith('[')
      isFirst = false
      const object = isArray
        ? 'begins a JSON array; a manifest has one object a line (jq -c ".[]" makes it so)'
        : parseJsonObject(text)
      if (typeof object === 'string') report({ where: `${shownPath}:${number}`, what: object })
      else rows.push(readRow(object, number, unusedKeys))
    }
    yield rows
  }
  describeUnused(unusedKeys, shownPath).forEach(onWarning)
}

/** The first line and the number of lines of each unused key. */
type UnusedKeys = Map<string, { readonly line: number; readonly count: number }>

type JsonObject = Readonly<Record<string, unknown>>

function readRow(object: JsonObject, line: number, unusedKeys: UnusedKeys): ManifestRow {
  const isForeign = 'audio_filepath' in object && !('audio' in object)
  const fields: Partial<Record<ManifestField, unknown>> = {}
  const unknownKeys: string[] = []
  for (const [key, value] of Object.entries(object)) {
    const field = isForeign ? findField(key) : ownFields.find((name) => name === key)
    if (field != null && (fields[field] === undefined || key === field)) fields[field] = value
    else if (!isForeign) {
      unknownKeys.push(key)
      const earlier = unusedKeys.get(key)
      unusedKeys.set(key, { line: earlier?.line ?? line, count: (earlier?.count ?? 0) + 1 })
    }
  }
  return { line, fields, unknownKeys, mayLackId: isForeign }
}

function describeUnused(unusedKeys: UnusedKeys, shownPath: string): Problem[] {
  return [...unusedKeys].map(([key, { line, count }]) => {
    const meant = nearestField(key)
    const what = `the key "${key}" is not used${count === 1 ? '' : ` (${count} lines)`}`
    const hint = meant === null ? {} : { hint: `did you mean "${meant}"?` }
    return { where: `${shownPath}:${line}`, what, ...hint }
  })
}

interface TableRecord {
  readonly record: readonly string[]
  readonly info: { readonly lines: number }
}

const rowsInBatch = 1000
/** Maximum size of a record, because an unclosed quote would make the rest of the file one record. */
const maxRecordBytes = 1 << 20

/**
 * Parses a table with a header row piece by piece: CSV with commas or semicolons (RFC 4180), or TSV, without
 * quoting. Unknown columns and blank lines are skipped.
 *
 * @param pieces lines of the file
 * @param shownPath the file's name in problems
 */
async function* readTable(
  pieces: AsyncIterable<Iterable<TextLine>>,
  shownPath: string,
  kind: 'csv' | 'tsv',
  { report, onWarning }: ManifestListeners,
): AsyncGenerator<readonly ManifestRow[], void> {
  let facts: TableFacts | null = null
  let line = 0
  let rows: ManifestRow[] = []
  try {
    for await (const { record, info } of readRecords(pieces, kind)) {
      // Quoted fields may contain line breaks, so a record begins after the last line of the previous one.
      line += 1
      const isBlank = record.every((value) => value.trim() === '')
      if (facts === null && !isBlank) {
        const columns = record.map((name) => name.trim())
        facts = { columns, fields: assignColumns(columns), where: `${shownPath}:${line}` }
        const problems = findHeaderProblems(facts)
        problems.forEach(report)
        if (problems.length > 0) return
      } else if (facts !== null && !isBlank) {
        const row = readRecord(record, line, facts)
        if ('what' in row) report({ where: `${shownPath}:${line}`, ...row })
        else rows.push(row)
      }
      line = info.lines
      if (rows.length < rowsInBatch) continue
      yield rows
      rows = []
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    report({ where: shownPath, what: `cannot be read as ${kind.toUpperCase()}: ${error.message}` })
  }
  yield rows
  if (facts !== null) describeNearMisses(facts).forEach(onWarning)
}

async function* readRecords(
  pieces: AsyncIterable<Iterable<TextLine>>,
  kind: 'csv' | 'tsv',
): AsyncGenerator<TableRecord, void> {
  const texts = readTexts(pieces)
  const { value: first } = await texts.next()
  if (first === undefined) return
  const [headerLine = ''] = first.trimStart().split('\n', 1)
  const delimiter = kind === 'tsv' ? '\t' : headerLine.includes(';') && !headerLine.includes(',') ? ';' : ','
  const parser = parse({
    delimiter,
    quote: kind === 'tsv' ? null : '"',
    info: true,
    relax_column_count: true,
    max_record_size: maxRecordBytes,
  })
  async function* all(): AsyncGenerator<string, void> {
    yield first as string
    yield* texts
  }
  // The error is ignored here, because iterating over the parser throws it, too.
  pipeline(Readable.from(all()), parser).catch(() => undefined)
  yield* parser as AsyncIterable<TableRecord>
}

/** Joins the lines of each piece. */
async function* readTexts(pieces: AsyncIterable<Iterable<TextLine>>): AsyncGenerator<string, void> {
  let separator = ''
  for await (const lines of pieces) {
    let text = ''
    for (const line of lines) {
      text += separator + line.text
      separator = '\n'
    }
    if (text !== '') yield text
  }
}

/** Maps fields to columns; our own name of a field takes precedence over other names. */
function assignColumns(columns: readonly string[]): ReadonlyMap<ManifestField, number> {
  const fields = new Map<ManifestField, number>()
  columns.forEach((name, index) => {
    const field = findField(name)
    if (field !== null && (!fields.has(field) || name === field)) fields.set(field, index)
  })
  return fields
}

interface TableFacts {
  readonly columns: readonly string[]
  readonly fields: ReadonlyMap<ManifestField, number>
  /** Place of the header. */
  readonly where: string
}

function findHeaderProblems({ columns, fields, where }: TableFacts): readonly Problem[] {
  const twice = columns.filter((name, index) => findField(name) !== null && columns.indexOf(name) !== index)
  if (twice.length > 0)
    return [...new Set(twice)].map((name) => ({ where, what: `has two columns "${name}"` }))
  return (['audio', 'text'] as const)
    .filter((field) => !fields.has(field))
    .map((field) => ({
      where,
      what: `has no column for ${field}, which may be called ${listNames(field).join(', ')}; the header has ${columns.join(', ')}`,
    }))
}

function readRecord(
  record: readonly string[],
  line: number,
  { columns, fields }: TableFacts,
): ManifestRow | Pick<Problem, 'what'> {
  if (record.length !== columns.length)
    return { what: `has ${record.length} columns, the header has ${columns.length}` }
  const values = [...fields].map(([field, index]) => [field, readCell(field, record[index] ?? '')] as const)
  return { line, fields: Object.fromEntries(values), mayLackId: !fields.has('id') }
}

/** Converts a cell. An empty one means no value, except for the reference. Semicolons separate the items of a list. */
function readCell(field: ManifestField, cell: string): unknown {
  if (field === 'text') return cell
  const value = cell.trim()
  if (value === '') return undefined
  if (field === 'durationSeconds') return Number.isNaN(Number(value)) ? value : Number(value)
  if ((field === 'choices' || field === 'draft') && /^(?:true|false)$/i.test(value))
    return value.toLowerCase() === 'true'
  if (field !== 'tags' && field !== 'keywords' && field !== 'entities') return value
  const parts = value.split(';').map((text) => text.trim())
  return field === 'entities' ? parts.map(readEntity) : parts
}

/** Parses `drug: ibuprofen` as type and text of an entity. */
function readEntity(part: string): unknown {
  const [, type, text] = /^(\w+)\s*:\s*(.+)$/u.exec(part) ?? []
  return type === undefined ? part : { type, text }
}

function describeNearMisses({ columns, fields, where }: TableFacts): Problem[] {
  const absent = ownFields.filter((field) => !fields.has(field))
  return columns.flatMap((name) => {
    const meant = findField(name) === null ? nearest(name, absent) : null
    if (meant === null) return []
    const what = `the column "${name}" is not used`
    return [{ where, what, hint: `did you mean "${meant}"?` }]
  })
}

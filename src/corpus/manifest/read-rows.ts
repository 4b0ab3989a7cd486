import { extname } from 'node:path'
import { nearest, type Problem, parseJsonObject } from '#prelude'
import type { NumberedRow, Row, Wrong } from '#transcripts/rows'
import { startTable } from '#transcripts/tables'
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
  const extension = extname(shownPath).toLowerCase()
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
    const isOther = field != null && key !== field && (field in object || field in fields)
    if (field != null && !isOther) fields[field] = value
    else if (!isForeign || isOther) {
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

/**
 * Parses a table with a header row piece by piece; see `startTable`. Unknown columns and blank lines are skipped.
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
  let fields: TableFields = new Map()
  const warnings: Problem[] = []
  const checkHeader = (header: Row, line: number): readonly Wrong[] => {
    const columns = Object.keys(header)
    fields = assignColumns(columns)
    warnings.push(...describeUnusedColumns(columns, fields, `${shownPath}:${line}`))
    return findMissingColumns(columns, fields)
  }
  const table = startTable(kind, checkHeader, (name) => findField(name) !== null)
  const takeRows = (rows: readonly NumberedRow[]): readonly ManifestRow[] =>
    rows.flatMap((numbered) => {
      if ('row' in numbered) return [readCells(numbered, fields)]
      report({ where: `${shownPath}:${numbered.line}`, ...numbered.wrong })
      return []
    })
  for await (const piece of pieces) {
    const lines = [...piece]
    const text = lines.map((line) => `${line.text}\n`).join('')
    yield takeRows(table.push({ text, firstLine: lines[0]?.number ?? 1 }))
  }
  yield takeRows(table.end())
  warnings.forEach(onWarning)
}

/** Column of each field. */
type TableFields = ReadonlyMap<ManifestField, string>

/** Our own name of a field takes precedence over other names. */
function assignColumns(columns: readonly string[]): TableFields {
  const fields = new Map<ManifestField, string>()
  for (const name of columns) {
    const field = findField(name)
    if (field !== null && (!fields.has(field) || name === field)) fields.set(field, name)
  }
  return fields
}

function findMissingColumns(columns: readonly string[], fields: TableFields): readonly Wrong[] {
  return (['audio', 'text'] as const)
    .filter((field) => !fields.has(field))
    .map((field) => ({
      what: `has no column for ${field}, which may be called ${listNames(field).join(', ')}`,
      hint: `name a column so; there are: ${columns.join(', ')}`,
    }))
}

function readCells(
  { line, row }: { readonly line: number; readonly row: Row },
  fields: TableFields,
): ManifestRow {
  const values = [...fields].map(([field, name]) => [field, readCell(field, String(row[name]))] as const)
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

function describeUnusedColumns(
  columns: readonly string[],
  fields: TableFields,
  where: string,
): readonly Problem[] {
  const absent = ownFields.filter((field) => !fields.has(field))
  return columns.flatMap((name) => {
    const field = findField(name)
    const used = field === null ? name : (fields.get(field) ?? name)
    const meant = field === null ? nearest(name, absent) : null
    const what = `the column "${name}" is not used`
    if (used !== name) return [{ where, what: `${what}, because "${used}" is the ${field} as well` }]
    return meant === null ? [] : [{ where, what, hint: `did you mean "${meant}"?` }]
  })
}

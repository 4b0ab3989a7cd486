import { CsvError, parse } from 'csv-parse/sync'
import { nearest, type Problem } from '#prelude'
import { fieldOf, type ManifestField, namesOf, ownFields } from './manifest-field.ts'
import type { ManifestRow, ManifestRows } from './manifest-row.ts'
import type { TextLine } from './text-file.ts'

interface TableRecord {
  readonly record: readonly string[]
  readonly info: { readonly lines: number }
}

/**
 * Takes a table with a header row apart: CSV with commas or semicolons (RFC 4180), or TSV, where quotes mean
 * nothing. Columns that are not ours are passed over; blank lines too.
 *
 * @param shownPath how problems name the file
 */
export function parseManifestTable(
  lines: readonly TextLine[],
  shownPath: string,
  kind: 'csv' | 'tsv',
): ManifestRows {
  const text = lines.map((line) => line.text).join('\n')
  const records = parseRecords(text, kind)
  if (typeof records === 'string')
    return { rows: [], problems: [{ where: shownPath, what: records }], warnings: [] }
  const [header, ...body] = records
  if (header === undefined) return { rows: [], problems: [], warnings: [] }
  const columns = header.record.map((name) => name.trim())
  const fields = assignColumns(columns)
  const missing = (['audio', 'text'] as const).filter((field) => !fields.has(field))
  if (missing.length > 0) {
    return {
      rows: [],
      problems: missing.map((field) => missingColumn(field, columns, shownPath)),
      warnings: [],
    }
  }
  return {
    ...readRows(body, { header, fields, shownPath }),
    warnings: describeNearMisses(columns, fields, shownPath),
  }
}

function parseRecords(text: string, kind: 'csv' | 'tsv'): readonly TableRecord[] | string {
  const [headerLine = ''] = text.split('\n', 1)
  const delimiter = kind === 'tsv' ? '\t' : headerLine.includes(';') && !headerLine.includes(',') ? ';' : ','
  try {
    return parse(text, {
      delimiter,
      quote: kind === 'tsv' ? null : '"',
      info: true,
      relax_column_count: true,
    }) as unknown as TableRecord[]
  } catch (error) {
    if (error instanceof CsvError) return `cannot be read as ${kind.toUpperCase()}: ${error.message}`
    throw error
  }
}

/** Our own name for a field goes before others' names for it. */
function assignColumns(columns: readonly string[]): ReadonlyMap<ManifestField, number> {
  const fields = new Map<ManifestField, number>()
  columns.forEach((name, index) => {
    const field = fieldOf(name)
    if (field !== null && (!fields.has(field) || name === field)) fields.set(field, index)
  })
  return fields
}

function missingColumn(field: ManifestField, columns: readonly string[], shownPath: string): Problem {
  return {
    where: `${shownPath}:1`,
    what: `has no column for ${field}, which may be called ${namesOf(field).join(', ')}; the header has ${columns.join(', ')}`,
  }
}

interface TableFacts {
  readonly header: TableRecord
  readonly fields: ReadonlyMap<ManifestField, number>
  readonly shownPath: string
}

function readRows(
  body: readonly TableRecord[],
  { header, fields, shownPath }: TableFacts,
): Omit<ManifestRows, 'warnings'> {
  const rows: ManifestRow[] = []
  const problems: Problem[] = []
  let line = header.info.lines
  for (const { record, info } of body) {
    line += 1
    // A quoted field may hold line breaks: a record begins where the one before it ended.
    if (record.some((value) => value.trim() !== '')) {
      if (record.length !== header.record.length) {
        const what = `has ${record.length} columns, the header has ${header.record.length}`
        problems.push({ where: `${shownPath}:${line}`, what })
      } else {
        rows.push({ line, fields: readFields(record, fields), mayLackId: !fields.has('id') })
      }
    }
    line = info.lines
  }
  return { rows, problems }
}

function readFields(
  record: readonly string[],
  fields: ReadonlyMap<ManifestField, number>,
): ManifestRow['fields'] {
  const values = [...fields].map(([field, index]) => [field, readCell(field, record[index] ?? '')] as const)
  return Object.fromEntries(values)
}

/** An empty cell is an absent value; the reference alone may be empty. A list is one cell, with semicolons. */
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

/** `drug: ibuprofen` is the entity of that type. */
function readEntity(part: string): unknown {
  const [, type, text] = /^(\w+)\s*:\s*(.+)$/u.exec(part) ?? []
  return type === undefined ? part : { type, text }
}

function describeNearMisses(
  columns: readonly string[],
  fields: ReadonlyMap<ManifestField, number>,
  shownPath: string,
): Problem[] {
  const absent = ownFields.filter((field) => !fields.has(field))
  return columns.flatMap((name) => {
    const meant = fieldOf(name) === null ? nearest(name, absent) : null
    if (meant === null) return []
    return [
      { where: `${shownPath}:1`, what: `the column "${name}" is not used`, hint: `did you mean "${meant}"?` },
    ]
  })
}

import { stringify } from 'csv-stringify/sync'
import { type FileColumn, makeTable, type ShownColumn, type Table } from './table.ts'
import { foreign } from './terminal.ts'

/**
 * A table as comma-separated values: RFC 4180, CRLF, UTF-8 without a mark, a header row. A text that a
 * spreadsheet would read as a formula (it begins with = + - @, tab or carriage return) gets an apostrophe
 * before it; numbers stay numbers.
 *
 * @see RFC 4180; OWASP, CSV Injection
 */
export function renderCsv<Row>(columns: readonly FileColumn<Row>[], rows: readonly Row[]): string {
  return [...csvPieces(columns, rows)].join('')
}

export const rowsInPiece = 1000

/** The text of `renderCsv` in pieces, for tables that are longer than a string can be. */
export function* csvPieces<Row>(columns: readonly FileColumn<Row>[], rows: Iterable<Row>): Iterable<string> {
  yield csvHeader(columns)
  for (const batch of batches(rows, rowsInPiece)) yield csvRows(columns, batch)
}

export function* batches<Row>(rows: Iterable<Row>, length: number): Iterable<readonly Row[]> {
  let batch: Row[] = []
  for (const row of rows) {
    batch.push(row)
    if (batch.length < length) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

export function csvHeader<Row>(columns: readonly FileColumn<Row>[]): string {
  return csvLines([columns.map(({ name }) => name)])
}

/** Rows without a header. */
export function csvRows<Row>(columns: readonly FileColumn<Row>[], rows: readonly Row[]): string {
  return csvLines(rows.map((row) => columns.map((column) => column.value(row))))
}

export function csvLines(cells: readonly (readonly (string | number | boolean | null)[])[]): string {
  return stringify([...cells], {
    record_delimiter: 'windows',
    escape_formulas: true,
    // The library quotes the delimiter of records alone, and a reader takes each of its two characters for one.
    quoted_match: /[\r\n]/,
    cast: { boolean: (value) => String(value) },
  })
}

/** Foreign text as text of GitHub's Markdown: no markup, no HTML, no new line, no mention that notifies a user. */
export function markdownText(text: string): string {
  return foreign(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(/[\\`*_{}[\]>#|~$]/g, '\\$&')
    .replaceAll(/(?<!\w)@/g, '@\u200b')
}

function markdownCode(text: string): string {
  return `\`${foreign(text).replaceAll('`', "'").replaceAll('|', '\\|')}\``
}

/** @see GitHub Flavored Markdown Spec, 4.10; empty without rows */
export function markdownTable<Row>(columns: readonly ShownColumn<Row>[], rows: readonly Row[]): string {
  return markdownWords(makeTable(columns, rows))
}

export function markdownWords(table: Table): string {
  if (table.rows.length === 0) return ''
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [
    line(table.columns.map(({ header }) => markdownText(header))),
    line(table.columns.map(({ align }) => (align === 'right' ? '--:' : ':--'))),
    ...table.rows.map((row) =>
      line(row.map(({ text, note }, index) => cellText([text, note ?? ''], table.columns[index]?.kind))),
    ),
  ].join('\n')
}

function cellText(parts: readonly string[], kind: Table['columns'][number]['kind']): string {
  const said = parts.filter((part) => part !== '')
  return said.map(kind === 'code' ? markdownCode : markdownText).join(', ')
}

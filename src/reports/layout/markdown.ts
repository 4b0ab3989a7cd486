import type { TableColumn } from './table.ts'
import { foreign } from './terminal.ts'

/** Text from outside as text of GitHub's Markdown: no markup, no HTML, no new line, no mention that notifies a user. */
export function markdownText(text: string): string {
  return foreign(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(/[\\`*_{}[\]>#|~]/g, '\\$&')
    .replaceAll(/(?<!\w)@/g, '@\u200b')
    .replaceAll(/\r?\n/g, ' ')
}

/** @see GitHub Flavored Markdown Spec, 4.10; empty without rows */
export function markdownTable<Row>(
  columns: readonly Pick<TableColumn<Row>, 'header' | 'align' | 'cell'>[],
  rows: readonly Row[],
): string {
  if (rows.length === 0) return ''
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [
    line(columns.map(({ header }) => markdownText(header))),
    line(columns.map(({ align }) => (align === 'right' ? '--:' : ':--'))),
    ...rows.map((row) => line(columns.map(({ cell }) => markdownText(cell(row))))),
  ].join('\n')
}

import { type ShownColumn, type Table, tableOf } from './column.ts'
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

/** Text as it is, set as code. */
function markdownCode(text: string): string {
  return `\`${foreign(text).replaceAll('`', "'").replaceAll('|', '\\|')}\``
}

/** @see GitHub Flavored Markdown Spec, 4.10; empty without rows */
export function markdownTable<Row>(columns: readonly ShownColumn<Row>[], rows: readonly Row[]): string {
  if (rows.length === 0) return ''
  const table = tableOf(columns, rows)
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [
    line(table.columns.map(({ header }) => markdownText(header))),
    line(table.columns.map(({ align }) => (align === 'right' ? '--:' : ':--'))),
    ...table.rows.map((row) =>
      line(row.map(({ text, note }, place) => cellText([text, note ?? ''], table.columns[place]?.kind))),
    ),
  ].join('\n')
}

function cellText(parts: readonly string[], kind: Table['columns'][number]['kind']): string {
  const said = parts.filter((part) => part !== '')
  return said.map(kind === 'code' ? markdownCode : markdownText).join(', ')
}

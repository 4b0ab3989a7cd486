import type { JSX } from 'preact'
import type { PageTable } from '#reports/page'
import { DataTable } from '../data-table.tsx'

/** A table that comes in words. */
export function WordedTable({
  label,
  table,
}: {
  readonly label: string
  readonly table: PageTable
}): JSX.Element | null {
  if (table.rows.length === 0) return null
  return (
    <DataTable
      label={label}
      columns={table.columns.map(({ header, isText }, at) => ({
        // Two columns may have one name, where the one before says of what.
        header: table.columns.findIndex((other) => other.header === header) === at ? header : `${header} `,
        isText,
        cell: (row: PageTable['rows'][number]) => (
          <bdi class={row[at]?.tone ?? undefined}>{row[at]?.text}</bdi>
        ),
      }))}
      rows={table.rows}
      keyOf={(row) => row.map(({ text }) => text).join(' ')}
    />
  )
}

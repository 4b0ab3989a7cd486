import type { JSX } from 'preact'
import type { Cell, Table } from '#reports/page'
import { ContenderName } from './layout.tsx'
import { ScrollRegion } from './scroll-region.tsx'

export interface DataTableProps {
  /** What the table holds, for those who do not see it. */
  readonly label: string
  readonly table: Table
  /** Ids of the contenders in the order of the config, which gives them their colours. */
  readonly contenders?: readonly string[]
}

type Column = Table['columns'][number]

/** A table that scrolls sideways where it is wider than the page; nothing without rows. The first column names the row. */
export function DataTable({ label, table, contenders = [] }: DataTableProps): JSX.Element | null {
  const { columns, rows } = table
  if (rows.length === 0) return null
  return (
    <ScrollRegion label={label}>
      <table>
        <thead>
          <tr>
            {columns.map((column, place) => (
              <Heading column={place === 0 ? { ...column, align: 'left' } : column} key={place} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, place) => {
                const column = columns[place]
                const words = <CellText cell={cell} column={column} contenders={contenders} />
                return place === 0 ? (
                  <th scope="row" key={place}>
                    {words}
                  </th>
                ) : (
                  <td class={classOf(column)} key={place}>
                    {words}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  )
}

/** The heading of one column. */
export function Heading({ column }: { readonly column: Column }): JSX.Element {
  const { header, meaning } = column
  return (
    <th scope="col" class={classOf(column)} title={meaning}>
      {header === '' ? <span class="unseen">figure</span> : header}
    </th>
  )
}

export interface CellTextProps {
  readonly cell: Cell
  readonly column: Column | undefined
  readonly contenders: readonly string[]
}

/** The text of a cell, with what follows it and, on a phone, what is below it. */
export function CellText({ cell, column, contenders }: CellTextProps): JSX.Element {
  const { text, tone, note, narrow } = cell
  const index = column?.kind === 'contender' ? contenders.indexOf(text) : -1
  return (
    <>
      {index >= 0 ? (
        <ContenderName index={index} id={text} />
      ) : column?.kind === 'code' ? (
        <code>{text}</code>
      ) : (
        <bdi class={tone}>{text}</bdi>
      )}
      {note === undefined ? null : <small class="quiet"> {note}</small>}
      {narrow === undefined ? null : <small class="quiet only-narrow">{narrow}</small>}
    </>
  )
}

/** The class of a cell, by its column. */
export function classOf(column: Column | undefined): string {
  return [
    column?.align === 'right' ? 'number' : '',
    column?.isLong === true ? 'long' : '',
    column?.isOnlyWide === true ? 'only-wide' : '',
  ]
    .join(' ')
    .trim()
}

import type { ComponentChildren, JSX } from 'preact'
import { ScrollRegion } from './scroll-region.tsx'

/** One column of a table in a page. */
export interface DataColumn<Row> {
  readonly header: string
  /** What it means, for a hovering mouse. */
  readonly meaning?: string
  /** Words stand at the beginning of their cell; figures, unless told, at the end. */
  readonly isText?: boolean
  /** A column of long texts, which may break. */
  readonly isLong?: boolean
  /** Left out on a phone, where another column holds the same. */
  readonly isOnlyWide?: boolean
  cell(row: Row): ComponentChildren
}

export interface DataTableProps<Row> {
  /** What the table holds, for those who do not see it. */
  readonly label: string
  /** The first one names the row. */
  readonly columns: readonly DataColumn<Row>[]
  readonly rows: readonly Row[]
  keyOf(row: Row): string
}

/** A table that scrolls sideways where it is wider than the page. */
export function DataTable<Row>({ label, columns, rows, keyOf }: DataTableProps<Row>): JSX.Element {
  const [first, ...others] = columns
  return (
    <ScrollRegion label={label}>
      <table>
        <thead>
          <tr>
            {columns.map((column, at) => (
              <th
                scope="col"
                class={classOf(at === 0 ? { ...column, isText: true } : column)}
                title={column.meaning}
                key={column.header}
              >
                {column.header === '' ? (
                  <span class="unseen">{at === 0 ? 'figure' : 'remark'}</span>
                ) : (
                  column.header
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              <th scope="row">{first?.cell(row)}</th>
              {others.map((column) => (
                <td class={classOf(column)} key={column.header}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  )
}

function classOf({
  isText = false,
  isLong = false,
  isOnlyWide = false,
}: Pick<DataColumn<never>, 'isText' | 'isLong' | 'isOnlyWide'>): string {
  return [isText ? '' : 'number', isLong ? 'long' : '', isOnlyWide ? 'only-wide' : ''].join(' ').trim()
}

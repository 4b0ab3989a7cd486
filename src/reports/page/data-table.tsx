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
            {columns.map(({ header, meaning, isText = false }, at) => (
              <th scope="col" class={at === 0 || isText ? '' : 'number'} title={meaning} key={header}>
                {header === '' ? <span class="unseen">{at === 0 ? 'figure' : 'remark'}</span> : header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              <th scope="row">{first?.cell(row)}</th>
              {others.map(({ header, isText = false, isLong = false, cell }) => (
                <td class={`${isText ? '' : 'number'} ${isLong ? 'long' : ''}`.trim()} key={header}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  )
}

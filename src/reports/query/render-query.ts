import type { ShownColumn } from '../layout/column.ts'
import { layTable } from '../layout/table.ts'
import { foreign, type Terminal } from '../layout/terminal.ts'
import { absent, formatCount } from '../layout/units.ts'

/** A value of a query's result; lists and structures are JSON text. */
export type QueryCell = string | number | boolean | null

export interface QueryRows {
  readonly columns: readonly string[]
  /** The first rows of the result. */
  readonly rows: readonly (readonly QueryCell[])[]
  /** Of the whole result. */
  readonly rowCount: number
}

/** The result of a query as a table of a terminal. */
export function renderQuery({ columns, rows, rowCount }: QueryRows, terminal: Terminal): string {
  const shown = columns.map(
    (header, place): ShownColumn<readonly QueryCell[]> => ({
      header,
      align: rows.every((row) => typeof (row[place] ?? 0) === 'number') ? 'right' : 'left',
      dropOrder: 0,
      cell: (row) => cellText(row[place] ?? null),
    }),
  )
  const { lines } = layTable(shown, rows, '  ', terminal)
  const counts =
    rows.length < rowCount
      ? `first ${formatCount(rows.length)} of ${formatCount(rowCount)} rows; all of them: --format csv`
      : `${formatCount(rowCount)} ${rowCount === 1 ? 'row' : 'rows'}`
  return [...lines, '', `  ${counts}`].join('\n')
}

/** A person reads six digits; files have all of them. */
function cellText(cell: QueryCell): string {
  if (cell === null) return absent
  if (typeof cell !== 'number') return foreign(String(cell))
  return String(Number.isInteger(cell) ? cell : Number(cell.toPrecision(6)))
}

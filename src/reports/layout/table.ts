import { inSigns, pad, paint, type Terminal, type Tone, widthOf } from './terminal.ts'

/** One column of a table on a screen. */
export interface TableColumn<Row> {
  readonly header: string
  readonly align: 'left' | 'right'
  /** Columns with the highest number go first, together, where the terminal is too narrow; 0 stays always. */
  readonly dropOrder: number
  cell(row: Row): string
  tone?(row: Row): Tone | null
}

const gap = '  '

/**
 * Lays rows out in columns that fit the terminal. Where they do not, columns are left out, the most
 * dispensable first, rather than broken over two lines.
 *
 * @returns the lines, headers first, and the headers of what was left out
 */
export function layTable<Row>(
  columns: readonly TableColumn<Row>[],
  rows: readonly Row[],
  indent: string,
  terminal: Terminal,
): { readonly lines: readonly string[]; readonly leftOut: readonly string[] } {
  let laid = columns.map((column) => {
    const header = inSigns(column.header, terminal)
    const cells = rows.map((row) => inSigns(column.cell(row), terminal))
    return { column, header, cells, width: Math.max(widthOf(header), ...cells.map(widthOf)) }
  })
  const leftOut: string[] = []
  const total = (): number =>
    widthOf(indent) + laid.reduce((sum, { width }) => sum + width, 0) + gap.length * (laid.length - 1)
  while (total() > terminal.width) {
    const mostDispensable = Math.max(...laid.map(({ column }) => column.dropOrder))
    if (mostDispensable === 0) break
    const dropped = laid.filter(({ column }) => column.dropOrder === mostDispensable)
    leftOut.unshift(...dropped.map(({ header }) => header))
    laid = laid.filter(({ column }) => column.dropOrder !== mostDispensable)
  }
  const line = (cells: readonly string[]): string => (indent + cells.join(gap)).trimEnd()
  const header = line(laid.map(({ column, header, width }) => pad(header, width, column.align)))
  const body = rows.map((row, index) =>
    line(
      laid.map(({ column, cells, width }) =>
        paint(pad(cells[index] ?? '', width, column.align), column.tone?.(row) ?? null, terminal),
      ),
    ),
  )
  return { lines: [paint(header, 'faint', terminal), ...body], leftOut }
}

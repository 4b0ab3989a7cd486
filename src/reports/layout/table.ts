import { sumOf } from '#prelude'
import { type Cell, type ShownColumn, type TableColumn, tableOf } from './column.ts'
import { foreign, inSigns, pad, paint, type Terminal, widthOf } from './terminal.ts'

const gap = '  '

/** What is said of a contender belongs to every table that names it; other notes have no room here. */
function textOf(cell: Cell | undefined, { kind }: TableColumn): string {
  const note = kind === 'contender' ? cell?.note : undefined
  return `${cell?.text ?? ''}${note === undefined ? '' : ` (${note})`}`
}

/**
 * Lays rows out in columns that fit the terminal. Where they do not, columns are omitted, the most
 * dispensable first, rather than broken over two lines.
 *
 * @returns the lines, headers first, and the headers of the omitted ones
 */
export function layTable<Row>(
  columns: readonly ShownColumn<Row>[],
  rows: readonly Row[],
  indent: string,
  terminal: Terminal,
): { readonly lines: readonly string[]; readonly leftOut: readonly string[] } {
  const table = tableOf(columns, rows)
  let laid = table.columns.map((column, place) => {
    const header = inSigns(foreign(column.header), terminal)
    const cells = table.rows.map((row) => inSigns(foreign(textOf(row[place], column)), terminal))
    const tones = table.rows.map((row) => row[place]?.tone ?? null)
    return { column, header, cells, tones, width: Math.max(widthOf(header), ...cells.map(widthOf)) }
  })
  const leftOut: string[] = []
  const total = (): number =>
    widthOf(indent) + sumOf(laid, ({ width }) => width) + gap.length * (laid.length - 1)
  while (total() > terminal.width) {
    const mostDispensable = Math.max(...laid.map(({ column }) => column.dropOrder))
    if (mostDispensable === 0) break
    const dropped = laid.filter(({ column }) => column.dropOrder === mostDispensable)
    leftOut.unshift(...dropped.map(({ header }) => header))
    laid = laid.filter(({ column }) => column.dropOrder !== mostDispensable)
  }
  const line = (cells: readonly string[]): string => (indent + cells.join(gap)).trimEnd()
  const header = line(laid.map(({ column, header, width }) => pad(header, width, column.align)))
  const body = rows.map((_, index) =>
    line(
      laid.map(({ column, cells, tones, width }) =>
        paint(pad(cells[index] ?? '', width, column.align), tones[index] ?? null, terminal),
      ),
    ),
  )
  return { lines: [paint(header, 'faint', terminal), ...body], leftOut }
}

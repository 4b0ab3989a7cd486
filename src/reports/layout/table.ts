import { sumOf } from '#prelude'
import type { Bounds } from '#statistics/bounds'
import { foreign, inSigns, measureWidth, pad, paint, type Terminal, type Tone } from './terminal.ts'
import { formatCount, formatMilliseconds, formatPercent, formatRange, orAbsent, shortened } from './units.ts'

/** One column as people see it. Every medium (terminal, Markdown, JUnit, page) uses the same definition. */
export interface ShownColumn<Row> {
  readonly header: string
  /** Default: left. */
  readonly align?: 'left' | 'right'
  /** A narrow terminal first drops the columns with the highest number, together. Default: 0, never dropped. */
  readonly dropOrder?: number
  cell(row: Row): string
  tone?(row: Row): Tone | null
  /** The column is omitted if no row needs it. Default: every row does. */
  isNeeded?(row: Row): boolean
  /** Explanation of the figures, shown when the pointer is on the heading. */
  readonly meaning?: string | undefined
  /** On a page, ids of contenders have their colour, and code has a monospaced font. */
  readonly kind?: 'contender' | 'code' | undefined
  /** Note behind the cell, shown by media with enough space. */
  note?(row: Row): string
  /** Whether cells are long texts that may wrap. */
  readonly isLong?: boolean | undefined
  /** Whether a narrow page hides the column, because the `narrow` text of another column repeats it. */
  readonly isOnlyWide?: boolean | undefined
  /** Text below the cell on a narrow page. */
  narrow?(row: Row): string
}

export interface FileColumn<Row> {
  /** Name in the header row, with the unit: `latency_p50_ms`. */
  readonly name: string
  /** Null is an empty cell. Numbers are written unrounded. */
  value(row: Row): string | number | boolean | null
}

/** One column of a table for files and for people. */
export interface Column<Row> extends FileColumn<Row> {
  /** Null for a column that only files have. */
  readonly shown: ShownColumn<Row> | null
}

/** A table in words, which every medium lays out and a page embeds. */
export interface Table {
  readonly columns: readonly TableColumn[]
  /** A cell for each column. */
  readonly rows: readonly (readonly Cell[])[]
}

type TableColumn = Required<Pick<ShownColumn<never>, 'header' | 'align' | 'dropOrder'>> &
  Pick<ShownColumn<never>, 'meaning' | 'kind' | 'isLong' | 'isOnlyWide'>

export interface Cell {
  readonly text: string
  readonly tone?: Tone | undefined
  readonly note?: string | undefined
  readonly narrow?: string | undefined
}

/** Formats the rows of a table in words, and omits the columns that no row needs. */
export function makeTable<Row>(columns: readonly ShownColumn<Row>[], rows: readonly Row[]): Table {
  const needed = columns.filter(({ isNeeded }) => isNeeded === undefined || rows.some(isNeeded))
  return {
    columns: needed.map(({ header, align = 'left', dropOrder = 0, meaning, kind, isLong, isOnlyWide }) => ({
      header,
      align,
      dropOrder,
      meaning,
      kind,
      isLong,
      isOnlyWide,
    })),
    rows: rows.map((row) => needed.map((column) => wordCell(column, row))),
  }
}

function wordCell<Row>(column: ShownColumn<Row>, row: Row): Cell {
  return {
    text: column.cell(row),
    tone: column.tone?.(row) ?? undefined,
    note: column.note?.(row) || undefined,
    narrow: column.narrow?.(row) || undefined,
  }
}

/** The columns that people see; all of them, or the named ones in the given order. */
export function shownColumns<Row>(
  columns: readonly Column<Row>[],
  names: readonly string[] = columns.map(({ name }) => name),
): readonly ShownColumn<Row>[] {
  return names.flatMap((name) => {
    const column = columns.find((each) => each.name === name)
    if (column === undefined) throw new TypeError(`there is no column ${name}`)
    return column.shown ?? []
  })
}

/**
 * Lays rows out in columns that fit the terminal. If they do not fit, columns are omitted by `dropOrder` rather than
 * wrapped.
 *
 * @returns the lines, headers first, and the headers of the omitted ones
 */
export function layTable<Row>(
  columns: readonly ShownColumn<Row>[],
  rows: readonly Row[],
  terminal: Terminal,
): LaidTable {
  return layWords(makeTable(columns, rows), terminal)
}

interface LaidTable {
  readonly lines: readonly string[]
  readonly leftOut: readonly string[]
}

/** Lays out a table that is already in words. */
export function layWords(table: Table, terminal: Terminal): LaidTable {
  let laid = table.columns.map((column, index) => {
    const header = inSigns(foreign(column.header), terminal)
    const cells = table.rows.map((row) => inSigns(foreign(cellText(row[index], column)), terminal))
    const tones = table.rows.map((row) => row[index]?.tone ?? null)
    return {
      column,
      header,
      cells,
      tones,
      width: cells.reduce((max, cell) => Math.max(max, measureWidth(cell)), measureWidth(header)),
    }
  })
  const leftOut: string[] = []
  const total = (): number =>
    indent.length + sumOf(laid, ({ width }) => width) + gap.length * (laid.length - 1)
  while (total() > terminal.width) {
    const mostDispensable = Math.max(...laid.map(({ column }) => column.dropOrder))
    if (mostDispensable === 0) break
    const dropped = laid.filter(({ column }) => column.dropOrder === mostDispensable)
    leftOut.unshift(...dropped.map(({ header }) => header))
    laid = laid.filter(({ column }) => column.dropOrder !== mostDispensable)
  }
  const line = (cells: readonly string[]): string => (indent + cells.join(gap)).trimEnd()
  const header = line(laid.map(({ column, header, width }) => pad(header, width, column.align)))
  const body = table.rows.map((_, index) =>
    line(
      laid.map(({ column, cells, tones, width }) =>
        paint(pad(cells[index] ?? '', width, column.align), tones[index] ?? null, terminal),
      ),
    ),
  )
  return { lines: [paint(header, 'faint', terminal), ...body], leftOut }
}

const indent = '  '
const gap = '  '

/** The text of a cell. A terminal has room only for the notes on contenders, which every table shows. */
function cellText(cell: Cell | undefined, { kind }: TableColumn): string {
  const note = kind === 'contender' ? cell?.note : undefined
  return `${cell?.text ?? ''}${note === undefined ? '' : ` (${note})`}`
}

/** A figure that only people see: its value in words, or a dash. */
export function figure<Row, Type>(
  header: string,
  value: (row: Row) => Type | null | undefined,
  format: (value: Type) => string,
  look: Partial<ShownColumn<Row>> = {},
): ShownColumn<Row> {
  return { header, align: 'right', cell: (row) => orAbsent(value(row), format), ...look }
}

/** How people see a column: its heading, or properties that differ from its kind's; null if only files have it. */
export type Look<Row> = string | Partial<ShownColumn<Row>> | null

/** A field of the row, or a value computed from the row. */
type Value<Row, Type> = FieldOf<Row, Type> | ((row: Row) => Type | null | undefined)
type FieldOf<Row, Type> = {
  [Name in keyof Row & string]: Row[Name] extends Type | null | undefined ? Name : never
}[keyof Row & string]

type BoundsOf<Row> = (row: Row) => Bounds | null | undefined

export type Columns<Row> = ReturnType<typeof columnsOf<Row>>

/**
 * Makers of columns for files and for people. By default, the heading is the name in words without its unit: the
 * heading of `recall_rate` is `recall`.
 */
export function columnsOf<Row>() {
  const makeColumn = <Type extends string | number>(
    name: string,
    field: Value<Row, Type>,
    { align, look, cell }: { align: 'left' | 'right'; look: Look<Row>; cell(value: Type): string },
  ): Column<Row> => {
    const value = (row: Row): Type | null =>
      (typeof field === 'function' ? field(row) : (row[field] as Type | null | undefined)) ?? null
    const shown = {
      header: name.replace(/_(rate|ms)$/, '').replaceAll('_', ' '),
      align,
      cell: (row: Row) => orAbsent(value(row), cell),
    }
    if (look === null) return { name, value, shown: null }
    return { name, value, shown: { ...shown, ...(typeof look === 'string' ? { header: look } : look) } }
  }
  const column = <Type extends string | number>(
    name: string,
    value: Value<Row, Type>,
    format: (value: Type) => string,
    look: Look<Row> = {},
  ): Column<Row> => makeColumn(name, value, { align: 'right', look, cell: format })
  const file = (name: string, value: Column<Row>['value']): Column<Row> => ({ name, value, shown: null })
  /** The ends of an interval, as two columns that only files have. */
  const fileInterval = (name: string, bounds: BoundsOf<Row>, ending = ''): readonly Column<Row>[] => [
    file(`${name}_low95${ending}`, (row) => bounds(row)?.low ?? null),
    file(`${name}_high95${ending}`, (row) => bounds(row)?.high ?? null),
  ]
  /** An interval: one column for people, two in files. */
  const bounded =
    (unit: string, format: (value: number) => string) =>
    (name: string, bounds: BoundsOf<Row>, look: Partial<ShownColumn<Row>> = { dropOrder: 1 }) => {
      const [low, high] = fileInterval(name, bounds, `_${unit}`) as [Column<Row>, Column<Row>]
      const cell = (row: Row): string => orAbsent(bounds(row), (ends) => formatRange(ends, format))
      return [{ ...low, shown: { header: '95% interval', align: 'left', cell, ...look } }, high] as const
    }
  return {
    column,
    file,
    fileInterval,
    /** Any text. A look may show less of it than a file contains. */
    text: (name: string, value: Value<Row, string>, look: Look<Row> = {}) =>
      makeColumn(name, value, { align: 'left', look, cell: (text) => text }),
    /** A long text: its beginning for people, all of it in files. */
    longText: (name: string, value: Value<Row, string>, look: Look<Row> = {}, shownLength = 40) =>
      makeColumn(name, value, { align: 'left', look, cell: (text) => shortened(text, shownLength) }),
    count: (name: string, value: Value<Row, number>, look: Look<Row> = {}) =>
      column(name, value, formatCount, look),
    /** A rate: 0..1 in files, percent for people. */
    rate: (name: string, value: Value<Row, number>, look: Look<Row> = {}) =>
      column(name, value, formatPercent, look),
    /** @param mark prefix of times that do not show which contender or run is faster */
    milliseconds: (name: string, value: Value<Row, number>, look: Look<Row> = {}, mark = '') =>
      column(name, value, (milliseconds) => `${mark}${formatMilliseconds(milliseconds)}`, look),
    rateInterval: bounded('rate', formatPercent),
    millisecondsInterval: bounded('ms', formatMilliseconds),
  }
}

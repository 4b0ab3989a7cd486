import type { Tone } from './terminal.ts'

/** One column as people read it. Every medium (terminal, Markdown, JUnit, page) reads the same definition. */
export interface ShownColumn<Row> {
  readonly header: string
  readonly align: 'left' | 'right'
  /** Columns with the highest number go first, together, where a terminal is too narrow; 0 stays always. */
  readonly dropOrder: number
  cell(row: Row): string
  tone?(row: Row): Tone | null
  /** The column is omitted where no row needs it. Default: every row does. */
  isNeeded?(row: Row): boolean
  /** What the figures are, for people who point at the heading. */
  readonly meaning?: string
  /** Cells that are ids of contenders have their colour on a page; code is set as code. */
  readonly kind?: 'contender' | 'code'
  /** Behind the cell, where a medium has room for it. */
  note?(row: Row): string
  /** Long texts, which may break. */
  readonly isLong?: boolean
  /** Left out on a phone, where the `narrow` of another column says the same. */
  readonly isOnlyWide?: boolean
  /** Below the cell on a phone. */
  narrow?(row: Row): string
}

/** One column of a file. */
export interface FileColumn<Row> {
  /** As in the header row, with the unit: `latency_p50_ms`. */
  readonly name: string
  /** Null is an empty cell. Numbers are written as they are, never rounded. */
  value(row: Row): string | number | boolean | null
}

/** One column of a table for files and for people. */
export interface Column<Row> extends FileColumn<Row> {
  /** Null for a column that is in files alone. */
  readonly shown: ShownColumn<Row> | null
}

/** A table in words: what every medium for people lays out, and what a page carries. */
export interface Table {
  readonly columns: readonly TableColumn[]
  /** A cell for each column. */
  readonly rows: readonly (readonly Cell[])[]
}

export type TableColumn = Pick<
  ShownColumn<never>,
  'header' | 'align' | 'dropOrder' | 'meaning' | 'kind' | 'isLong' | 'isOnlyWide'
>

export interface Cell {
  readonly text: string
  readonly tone?: Tone
  readonly note?: string
  readonly narrow?: string
}

/** Words the rows of a table, and leaves out the columns that none of them needs. */
export function tableOf<Row>(columns: readonly ShownColumn<Row>[], rows: readonly Row[]): Table {
  const needed = columns.filter(({ isNeeded }) => isNeeded === undefined || rows.some(isNeeded))
  return {
    columns: needed.map(({ header, align, dropOrder, meaning, kind, isLong, isOnlyWide }) => ({
      header,
      align,
      dropOrder,
      ...(meaning === undefined ? {} : { meaning }),
      ...(kind === undefined ? {} : { kind }),
      ...(isLong === undefined ? {} : { isLong }),
      ...(isOnlyWide === undefined ? {} : { isOnlyWide }),
    })),
    rows: rows.map((row) => needed.map((column) => cellOf(column, row))),
  }
}

function cellOf<Row>(column: ShownColumn<Row>, row: Row): Cell {
  const [tone, note, narrow] = [column.tone?.(row), column.note?.(row), column.narrow?.(row)]
  return {
    text: column.cell(row),
    ...(tone ? { tone } : {}),
    ...(note ? { note } : {}),
    ...(narrow ? { narrow } : {}),
  }
}

/** The columns that people read; all of them, or those of these names in their order. */
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

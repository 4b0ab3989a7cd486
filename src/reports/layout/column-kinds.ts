import type { Column, ShownColumn } from './column.ts'
import { absent, formatCount, formatMilliseconds, formatPercent, formatRange, orAbsent } from './units.ts'

/** How people see a column, as far as it differs from others of its kind; null for one that is in files alone. */
export type Look<Row> = (Partial<ShownColumn<Row>> & Pick<ShownColumn<Row>, 'header'>) | null

type Value<Row, Type> = (row: Row) => Type | null

/** A column whose cells are its values in words. */
export function column<Row, Type extends string | number>(
  name: string,
  look: Look<Row>,
  value: Value<Row, Type>,
  format: (value: Type) => string,
): Column<Row> {
  const shown = look === null ? null : shownAs('right', look, (row) => orAbsent(value(row), format))
  return { name, value, shown }
}

/** Text from outside or of ours. A look may show less of it than a file holds. */
export function textColumn<Row>(name: string, look: Look<Row>, value: Value<Row, string>): Column<Row> {
  return { name, value, shown: look && shownAs('left', look, (row) => value(row) ?? absent) }
}

/** A text that would fill a screen: its beginning for people, all of it in files. */
export function longTextColumn<Row>(
  name: string,
  look: NonNullable<Look<Row>>,
  value: Value<Row, string>,
  shownLength = 40,
): Column<Row> {
  const cell = (row: Row): string => orAbsent(value(row), (text) => beginningOf(text, shownLength))
  return textColumn(name, { cell, ...look }, value)
}

function beginningOf(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text
}

export function countColumn<Row>(name: string, look: Look<Row>, value: Value<Row, number>): Column<Row> {
  return column(name, look, value, formatCount)
}

/** A rate: 0..1 in files, percent for people. */
export function rateColumn<Row>(name: string, look: Look<Row>, value: Value<Row, number>): Column<Row> {
  return column(name, look, value, formatPercent)
}

export function millisecondsColumn<Row>(
  name: string,
  look: Look<Row>,
  value: Value<Row, number>,
): Column<Row> {
  return column(name, look, value, formatMilliseconds)
}

/** What files alone hold. */
export function fileColumn<Row>(name: string, value: Column<Row>['value']): Column<Row> {
  return { name, value, shown: null }
}

interface Bounds {
  readonly low: number
  readonly high: number
}

/** An interval of a rate: one column for people, two in files. */
export function intervalColumns<Row>(
  name: string,
  interval: (row: Row) => Bounds | null,
  look: Partial<ShownColumn<Row>> = { dropOrder: 1 },
): readonly Column<Row>[] {
  return boundColumns([name, 'rate', formatPercent], interval, look)
}

/** The same of a duration. */
export function millisecondsIntervalColumns<Row>(
  name: string,
  interval: (row: Row) => Bounds | null,
): readonly Column<Row>[] {
  return boundColumns([name, 'ms', formatMilliseconds], interval, { dropOrder: 1 })
}

function boundColumns<Row>(
  [name, unit, format]: readonly [name: string, unit: string, format: (value: number) => string],
  interval: (row: Row) => Bounds | null,
  look: Partial<ShownColumn<Row>>,
): readonly Column<Row>[] {
  const cell = (row: Row): string => orAbsent(interval(row), (bounds) => formatRange(bounds, format))
  return [
    {
      name: `${name}_low95_${unit}`,
      value: (row) => interval(row)?.low ?? null,
      shown: shownAs('left', { header: '95% interval', ...look }, cell),
    },
    fileColumn(`${name}_high95_${unit}`, (row) => interval(row)?.high ?? null),
  ]
}

function shownAs<Row>(
  align: ShownColumn<Row>['align'],
  look: NonNullable<Look<Row>>,
  cell: (row: Row) => string,
): ShownColumn<Row> {
  return { align, dropOrder: 0, cell, ...look }
}

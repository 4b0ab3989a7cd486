import type { RunMaterial, ScoredRow } from '#analysis'
import { lazily } from '#prelude'
import type { DescribedColumn, FileCell } from './described-column.ts'
import type { DescribedField } from './described-fields.ts'

/** A recorded run with its scored requests. */
export interface TabledRun {
  readonly run: RunMaterial
  /** Made when they are first asked for: two of the tables hold no scores. */
  scored(): readonly ScoredRow[]
}

/** A column of a table without the way to its values. */
export interface TableField extends DescribedField {
  readonly name: string
}

/** A table of a run for programs. Its rows are made one by one: there may be many millions. */
export interface ResultTable {
  readonly name: string
  readonly description: string
  fields(): readonly TableField[]
  /** The cells of every row, in the order of the fields. */
  rows(run: TabledRun): Iterable<readonly FileCell[]>
}

interface TableDefinition<Row> {
  readonly name: string
  readonly description: string
  columns(): readonly DescribedColumn<Row>[]
  rows(run: TabledRun): Iterable<Row>
}

export function defineTable<Row>({ name, description, columns, rows }: TableDefinition<Row>): ResultTable {
  const checked = lazily(() => {
    const all = columns()
    const repeated = all.find(
      (column, place) => all.findIndex((other) => other.name === column.name) !== place,
    )
    if (repeated !== undefined) throw new TypeError(`two columns of ${name} are called ${repeated.name}`)
    return all
  })
  return {
    name,
    description,
    fields: checked,
    *rows(run) {
      const all = checked()
      for (const row of rows(run)) yield all.map(({ value }) => value(row))
    },
  }
}

import type { z } from 'zod'
import type { FileColumn } from '../layout/column.ts'
import { type DescribedField, describedFields } from './described-fields.ts'

/** A column of a file that says what is in it. */
export interface DescribedColumn<Row> extends FileColumn<Row>, DescribedField {}

export type FileCell = ReturnType<FileColumn<never>['value']>

interface SchemaColumns<Row> {
  /** The object that the schema describes. */
  part(row: Row): object
  /** Names of columns by the path of the value, where they are not the field's own name. */
  readonly names?: Readonly<Record<string, string>>
  /** Beginnings of the names of columns by the path of the object around them. */
  readonly groups?: Readonly<Record<string, string>>
}

/**
 * A column for every value of a schema, in its order: type, unit and description are the schema's. A column is called as the
 * field (`audioSeconds` is `audio_seconds`, `contenderId` is `contender`).
 */
export function columnsOfSchema<Row>(
  schema: z.ZodType,
  { part, names = {}, groups = {} }: SchemaColumns<Row>,
): readonly DescribedColumn<Row>[] {
  return [...describedFields(schema)].map(([path, field]) => {
    const keys = path.split('.')
    const group = groups[keys.slice(0, -1).join('.')]
    const own = names[path] ?? snakeCase(keys.at(-1) ?? '')
    return {
      ...field,
      name: group === undefined ? own : `${group}_${own}`,
      value: (row) => cellAt(part(row), keys),
    }
  })
}

function snakeCase(name: string): string {
  return name.replace(/(?<=.)Id$/, '').replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function cellAt(part: object, keys: readonly string[]): FileCell {
  let value: unknown = part
  for (const key of keys) {
    if (value === null || value === undefined) return null
    value = (value as Readonly<Record<string, unknown>>)[key]
  }
  if (value === undefined || value === null) return null
  return typeof value === 'object' ? JSON.stringify(value) : (value as FileCell)
}

import {
  type BasicType,
  type ColumnSource,
  fileWriter,
  ParquetWriter,
  schemaFromColumnData,
} from 'hyparquet-writer'
import type { FieldType, FileCell, TableField } from '#reports'
import { batches } from '../batches.ts'
import type { TableWriter } from '../table-format.ts'

/**
 * Cells that are in memory at a time, as rows and as columns: 100 bytes each. A group of rows is as long as that. What describes
 * the groups waits in memory for the end of the file: of a third of that, it would be larger than what it saves.
 */
const cellsInGroup = 300_000

/** Key of the description of the columns in the metadata of a file. */
const columnsKey = 'transcribench.columns'

export const parquet: TableWriter = {
  name: 'parquet',
  summary: 'typed columns with units and descriptions in the metadata',
  mediaType: 'application/vnd.apache.parquet',
  async write(path, table, rows) {
    const fields = table.fields()
    const writer = new ParquetWriter({
      writer: fileWriter(path),
      schema: schemaFromColumnData({ columnData: columnData(fields, []) }),
      createdBy: 'transcribench',
      kvMetadata: [
        { key: 'transcribench.table', value: table.description },
        { key: columnsKey, value: JSON.stringify(fields.map(describedField)) },
      ],
    })
    const rowsInGroup = Math.ceil(cellsInGroup / fields.length)
    for (const batch of batches(rows, rowsInGroup)) {
      await writer.write({ columnData: columnData(fields, batch), rowGroupSize: rowsInGroup })
    }
    await writer.finish()
  },
}

/** A column's way to its values is not part of its description. */
function describedField({ name, type, unit, description }: TableField): TableField {
  return { name, type, unit, description }
}

/** Arrays and objects are JSON text: the writer's own JSON type would encode the text again. */
const parquetTypes: Readonly<Record<FieldType, BasicType>> = {
  string: 'STRING',
  integer: 'INT64',
  number: 'DOUBLE',
  boolean: 'BOOLEAN',
  array: 'STRING',
  object: 'STRING',
}

function columnData(fields: readonly TableField[], rows: readonly (readonly FileCell[])[]): ColumnSource[] {
  return fields.map(({ name, type }, place) => ({
    name,
    type: parquetTypes[type],
    // A group has one page of each column: an index of pages would say nothing, and wait in memory for the end of the file.
    offsetIndex: false,
    data: rows.map((row) => {
      const cell = row[place] ?? null
      return type === 'integer' && typeof cell === 'number' ? BigInt(cell) : cell
    }),
  }))
}

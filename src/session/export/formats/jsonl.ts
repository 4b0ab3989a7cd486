import { writeFile } from 'node:fs/promises'
import type { FileCell, TableField } from '#reports'
import { batches } from '../batches.ts'
import type { TableWriter } from '../table-format.ts'

const rowsInPiece = 1000

export const jsonl: TableWriter = {
  name: 'jsonl',
  summary: 'one JSON object a line, null for what is absent',
  mediaType: 'application/jsonl',
  write: (path, table, rows) => writeFile(path, pieces(table.fields(), rows)),
}

function* pieces(fields: readonly TableField[], rows: Iterable<readonly FileCell[]>): Iterable<string> {
  const keys = fields.map(({ name }) => JSON.stringify(name))
  const isJson = fields.map(({ type }) => type === 'array' || type === 'object')
  const textOf = (cell: FileCell, place: number): string =>
    isJson[place] === true ? String(cell) : JSON.stringify(cell)
  for (const batch of batches(rows, rowsInPiece)) {
    yield batch
      .map((row) => `{${row.map((cell, place) => `${keys[place]}:${textOf(cell, place)}`)}}\n`)
      .join('')
  }
}

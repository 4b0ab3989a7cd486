import { writeFile } from 'node:fs/promises'
import { csvLines, type FileCell } from '#reports'
import { batches } from '../batches.ts'
import type { TableWriter } from '../table-format.ts'

const rowsInPiece = 1000

export const csv: TableWriter = {
  name: 'csv',
  summary: 'RFC 4180, a header row, empty cells for what is absent',
  mediaType: 'text/csv',
  write: (path, table, rows) =>
    writeFile(
      path,
      pieces(
        table.fields().map(({ name }) => name),
        rows,
      ),
    ),
}

function* pieces(names: readonly string[], rows: Iterable<readonly FileCell[]>): Iterable<string> {
  yield csvLines([names])
  for (const batch of batches(rows, rowsInPiece)) yield csvLines(batch)
}

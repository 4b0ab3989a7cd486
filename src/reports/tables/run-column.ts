import { runRecord } from '#journal'
import type { DescribedColumn } from './described-column.ts'

/** The first column of every table: it separates runs where many are read at once. */
export function runColumn<Row>(runId: (row: Row) => string): DescribedColumn<Row> {
  const { description = '' } = runRecord.shape.id
  return { name: 'run', type: 'string', unit: null, description, value: runId }
}

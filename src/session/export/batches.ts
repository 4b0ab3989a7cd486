/** The rows in lists of equal length; the last one is shorter. */
export function* batches<Row>(rows: Iterable<Row>, length: number): Iterable<readonly Row[]> {
  let batch: Row[] = []
  for (const row of rows) {
    batch.push(row)
    if (batch.length < length) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

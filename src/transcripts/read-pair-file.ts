import type { TranscriptFormat } from './formats.ts'
import { type Input, readLineBlocks } from './input.ts'
import { checkIds, noLines, type ProblemList } from './problems.ts'
import { jsonRows, lacks, type NumberedRow, parsePairRows, type RowNames, type RowPair } from './rows.ts'
import type { RowReader } from './tables.ts'

interface PairFileOptions {
  readonly format: TranscriptFormat | 'folder' | undefined
  readonly names: RowNames
}

/** Reads one file whose rows hold a reference and a hypothesis each. */
export async function* readPairFile(
  input: Input,
  { format, names }: PairFileOptions,
  problems: ProblemList,
): AsyncGenerator<{ readonly pairs: readonly RowPair[]; readonly bytesRead: number }> {
  const { shownPath } = input
  const rows = await startRows(format, names)
  if (rows === null) {
    problems.report({ where: shownPath, what: 'is alone', hint: 'name the file of hypotheses as well' })
    return
  }
  const ids = checkIds(shownPath, problems)
  const before = problems.count
  let isEmpty = true
  let bytesRead = 0
  const pairsOf = (read: readonly NumberedRow[]): readonly RowPair[] => {
    const { pairs, problems: found } = parsePairRows(read, names)
    for (const problem of found) problems.report({ ...problem, where: `${shownPath}:${problem.where}` })
    for (const { reference } of pairs) ids.add(reference)
    isEmpty &&= pairs.length === 0
    return pairs
  }
  for await (const block of readLineBlocks(input, problems.report)) {
    bytesRead = block.bytesRead
    yield { pairs: pairsOf(rows.push(block)), bytesRead }
  }
  yield { pairs: pairsOf(rows.end()), bytesRead }
  if (isEmpty && problems.count === before) problems.report({ where: shownPath, ...noLines })
}

/** Null for a format whose rows never hold both texts. */
async function startRows(format: PairFileOptions['format'], names: RowNames): Promise<RowReader | null> {
  if (format === 'csv' || format === 'tsv') {
    const { startTable } = await import('./tables.ts')
    return startTable(format, (row) => lacks(row, 'both', names))
  }
  return format === 'jsonl' ? { push: jsonRows, end: () => [] } : null
}

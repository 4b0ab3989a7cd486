import { type Evaluation, evaluateRun } from '#analysis'
import { readRun, runFiles, writeRunDocument } from '#journal'
import { renderSummaryDocument, summaryCsv, utterancesCsv } from '#reports'

/**
 * Scores what a journal holds and writes the documents that stand beside it. Sends nothing.
 *
 * @param folder a run folder
 * @throws BenchError of the journal's table
 */
export async function scoreRun(
  folder: string,
  options: { readonly profile?: string | undefined } = {},
): Promise<Evaluation> {
  const evaluation = evaluateRun(await readRun(folder), options)
  await writeRunDocument(folder, runFiles.evaluation, `${JSON.stringify(evaluation, null, 1)}\n`)
  await writeRunDocument(folder, runFiles.summary, renderSummaryDocument(evaluation))
  await writeRunDocument(folder, runFiles.summaryTable, summaryCsv(evaluation))
  await writeRunDocument(folder, runFiles.utteranceTable, utterancesCsv(evaluation))
  return evaluation
}

import type { RunMaterial } from '#analysis/requests/resolved-run'
import type { RunRecord } from '#journal/run-record'
import { createRun } from '#journal/run-writer'

/**
 * Writes a run as it would stand on disk.
 *
 * @param made with the corpus that its config names
 * @returns its folder
 */
export async function writeRun(
  results: string,
  id: string,
  made: RunMaterial & { readonly corpus: string },
): Promise<string> {
  await using writer = await createRun(results, id)
  const record: RunRecord = { ...made.record, id: writer.id, config: { corpus: made.corpus } }
  await writer.writeRecord(record)
  await writer.writePlan([...made.utterances, ...made.requests])
  for (const attempt of made.attempts) await writer.appendAttempt(attempt)
  return writer.folder
}

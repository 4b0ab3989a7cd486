import type { RunMaterial } from '#analysis/requests/resolved-run'
import { createRun } from '#journal/run-writer'

/** Puts a recorded run on disk. */
export async function writeRunFolder(run: RunMaterial, results: string, id: string): Promise<string> {
  await using writer = await createRun(results, id)
  await writer.writeRecord({ ...run.record, id: writer.id })
  await writer.writePlan([...run.utterances, ...run.requests])
  for (const attempt of run.attempts) await writer.appendAttempt(attempt)
  for (const line of run.telemetry ?? []) await writer.appendTelemetry(line)
  return writer.folder
}

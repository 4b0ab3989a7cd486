import {
  type PlanLine,
  type PlannedUtterance,
  type RunRecord,
  type RunWriter,
  runFiles,
  writeRunDocument,
} from '#journal'
import {
  mergedAttempts,
  mergedRequests,
  mergedReused,
  mergedTelemetry,
  type PlacedRun,
} from './merged-lines.ts'

export interface MergedRunContent {
  readonly utterances: Iterable<PlannedUtterance>
  readonly placed: readonly PlacedRun[]
  readonly record: RunRecord
}

/** Writes the journals of several hosts as those of one run. The record comes last: a folder with one is complete. */
export async function writeMergedRun(
  writer: RunWriter,
  { utterances, placed, record }: MergedRunContent,
): Promise<void> {
  await writer.writePlan(planLines(utterances, placed))
  const reused = mergedReused(placed)
  if (reused.length > 0) await writer.writeReused(reused)
  await writeRunDocument(writer.folder, runFiles.telemetry, linesOf(mergedTelemetry(placed)))
  await writeRunDocument(writer.folder, runFiles.journal, linesOf(mergedAttempts(placed)))
  await writer.writeRecord(record)
}

function* planLines(
  utterances: Iterable<PlannedUtterance>,
  placed: readonly PlacedRun[],
): Iterable<PlanLine> {
  yield* utterances
  yield* mergedRequests(placed)
}

function* linesOf(values: Iterable<unknown>): Iterable<string> {
  for (const value of values) yield `${JSON.stringify(value)}\n`
}

import { basename } from 'node:path'
import { type RunRecord, type RunWriter, readRun } from '#journal'
import type { HostPlan } from '../plan/host-plan.ts'
import { plannedUtterances } from '../plan/open-corpus.ts'
import type { HostFolder } from './merge-runs.ts'
import { placeRuns } from './merged-lines.ts'
import { mergedRecord } from './merged-record.ts'
import { refuseUnlike } from './refuse-unlike.ts'
import { writeMergedRun } from './write-merged-run.ts'

/**
 * Makes one run of the parts of a plan that hosts have measured.
 *
 * @param folders a run folder for each part; hosts follow each other
 * @param facts what only this run has in its record
 * @throws BenchError MERGE_MISMATCH where hosts did not measure the same, and of the journal's table
 */
export async function mergeParts(
  folders: readonly HostFolder[],
  {
    writer,
    plan,
    facts,
  }: {
    readonly writer: RunWriter
    readonly plan: HostPlan
    facts(record: RunRecord): Partial<RunRecord>
  },
): Promise<RunRecord> {
  const runs = []
  for (const { host, folder } of folders) {
    const run = await readRun(folder)
    // The copy of the corpus on a host, and its paths, are no part of the plan.
    const record = { ...run.record, ...plan.recorded, id: basename(folder) }
    runs.push({ host, run: { ...run, record } })
  }
  const [first, ...others] = runs.map(({ host, run }) => ({ host, record: run.record }))
  if (first === undefined) throw new RangeError('a fleet measured no part')
  refuseUnlike([first, ...others], { mayBeOneHost: true })
  const merged = mergedRecord(writer.id, [first, ...others])
  const record: RunRecord = { ...merged, ...facts(merged) }
  const placed = placeRuns(runs, true)
  await writeMergedRun(writer, { utterances: plannedUtterances(plan.corpus), placed, record })
  return record
}

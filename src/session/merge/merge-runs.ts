import type { Evaluation } from '#analysis'
import { createRun, type RecordedRun, readRecord, readRun } from '#journal'
import { type Clock, systemClock } from '#load'
import { allOf } from '#prelude'
import { runId } from '../measure/run-record.ts'
import { scoreRun } from '../stored/score-run.ts'
import { placeRuns } from './merged-lines.ts'
import { mergedRecord } from './merged-record.ts'
import { type HostRun, refuseUnlike } from './refuse-unlike.ts'
import { writeMergedRun } from './write-merged-run.ts'

/** A run folder with the name of the host that measured it. */
export interface HostFolder {
  readonly host: string
  readonly folder: string
}

export interface MergeOptions {
  /** Absolute path of the folder that the merged run is written to. */
  readonly results: string
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clock?: Clock
}

export interface MergedRun {
  readonly folder: string
  readonly evaluation: Evaluation
}

/**
 * Makes one run of the runs of several hosts: each contender of each host becomes a contender of the merged run, with the host as its
 * target and machine. The journals are kept line by line; the figures are computed anew from them.
 *
 * @throws BenchError MERGE_MISMATCH with everything that differs, and of the journal's table
 */
export async function mergeRuns(
  folders: readonly [HostFolder, ...HostFolder[]],
  { results, command, env, clock = systemClock }: MergeOptions,
): Promise<MergedRun> {
  const named = async ({ host, folder }: HostFolder): Promise<HostRun> => ({
    host,
    record: await readRecord(folder),
  })
  const [first, ...others] = await allOf<HostRun[]>(folders.map(named))
  if (first === undefined) throw new RangeError('a merge needs runs')
  refuseUnlike([first, ...others])
  const runs: { host: string; run: RecordedRun }[] = []
  for (const { host, folder } of folders) runs.push({ host, run: await readRun(folder) })
  const placed = placeRuns(runs)
  const name = `${first.record.name}-merged`
  await using writer = await createRun(results, runId(clock.today(), name))
  const hostRuns = [first, ...others] as const
  const roundCounts = [...Map.groupBy(hostRuns, ({ host }) => host).values()].map((own) => own.length)
  await writeMergedRun(writer, {
    // The utterances are the same on all hosts.
    utterances: placed[0]?.run.utterances ?? [],
    placed,
    record: {
      ...mergedRecord(writer.id, hostRuns),
      name,
      command,
      rounds: Math.max(...roundCounts) * first.record.rounds,
    },
  })
  const { evaluation, unwritten } = await scoreRun(writer.folder, { env })
  if (unwritten !== null) throw unwritten
  return { folder: writer.folder, evaluation }
}

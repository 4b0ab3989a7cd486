import type { Evaluation } from '#analysis'
import {
  createRun,
  type PlanLine,
  type RecordedRun,
  type RunRecord,
  readRecord,
  readRun,
  runFiles,
  runFormatVersion,
  writeRunDocument,
} from '#journal'
import { type Clock, systemClock } from '#load'
import { allOf } from '#prelude'
import { runId } from '../measure/run-record.ts'
import { scoreRun } from '../stored/score-run.ts'
import {
  contenderOnHost,
  mergedAttempts,
  mergedRequests,
  mergedTelemetry,
  type PlacedRun,
  placeRuns,
} from './merged-lines.ts'
import { type HostRun, refuseUnlike } from './refuse-unlike.ts'

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
  await using writer = await createRun(results, runId(clock.today(), `${first.record.name}-merged`))
  await writer.writePlan(planOf(placed))
  await writeRunDocument(writer.folder, runFiles.telemetry, linesOf(mergedTelemetry(placed)))
  await writeRunDocument(writer.folder, runFiles.journal, linesOf(mergedAttempts(placed)))
  await writer.writeRecord(mergedRecord(writer.id, [first, ...others], command))
  const { evaluation, unwritten } = await scoreRun(writer.folder, { env })
  if (unwritten !== null) throw unwritten
  return { folder: writer.folder, evaluation }
}

/** The utterances are the same on all hosts. */
function* planOf(placed: readonly PlacedRun[]): Iterable<PlanLine> {
  yield* placed[0]?.run.utterances ?? []
  yield* mergedRequests(placed)
}

function* linesOf(values: Iterable<unknown>): Iterable<string> {
  for (const value of values) yield `${JSON.stringify(value)}\n`
}

function mergedRecord(
  id: string,
  runs: readonly [HostRun, ...HostRun[]],
  command: readonly string[],
): RunRecord {
  const [{ record: first }] = runs
  const byHost = [...Map.groupBy(runs, ({ host }) => host)].map(([host, own]) => ({
    host,
    records: own.map(({ record }) => record),
    record: own[0]?.record ?? first,
  }))
  const starts = runs.map(({ record }) => record.startedAt).sort()
  const ends = runs.flatMap(({ record }) => record.endedAt ?? []).sort()
  return {
    ...first,
    formatVersion: runFormatVersion,
    id,
    name: `${first.name}-merged`,
    startedAt: starts[0] ?? first.startedAt,
    endedAt: ends.at(-1) ?? first.endedAt,
    resume: undefined,
    resumedAt: undefined,
    pid: process.pid,
    processStartedAt: null,
    command,
    rounds: Math.max(...byHost.map(({ records }) => records.length)) * first.rounds,
    contenders: byHost.flatMap(({ host, record }) =>
      record.contenders.map((contender) => ({
        ...contender,
        id: contenderOnHost(contender.id, host),
        target: host,
        merged: { contender: contender.id, host },
      })),
    ),
    skipped: byHost.flatMap(({ host, record }) =>
      record.skipped.map(({ id: contender, reason }) => ({ id: contenderOnHost(contender, host), reason })),
    ),
    targets: byHost.map(({ host, record }) => ({
      ...record.target,
      id: host,
      machine: host,
      roundTripMs: null,
    })),
    hosts: byHost.map(({ host, records, record }) => ({
      name: host,
      runIds: records.map((each) => each.id),
      machine: record.host,
    })),
    counts: sumOfCounts(runs.map(({ record }) => record)),
    givenUp: givenUpOf(runs),
  }
}

function sumOfCounts(records: readonly RunRecord[]): RunRecord['counts'] {
  const sum = { planned: 0, answered: 0, failed: 0, dropped: 0, notSent: 0 }
  for (const { counts } of records) {
    for (const key of Object.keys(sum) as (keyof typeof sum)[]) sum[key] += counts?.[key] ?? 0
  }
  return sum
}

function givenUpOf(runs: readonly HostRun[]): RunRecord['givenUp'] {
  const all = runs.flatMap(({ host, record }) =>
    (record.givenUp ?? []).map((one) => ({ ...one, id: contenderOnHost(one.id, host) })),
  )
  return all.length === 0 ? undefined : all
}

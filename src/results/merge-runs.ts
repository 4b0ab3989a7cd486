import { basename, relative, resolve } from 'node:path'
import type { Evaluation } from '#analysis/documents/evaluation'
import { runId } from '#journal/find-run'
import type { PlanLine, PlannedUtterance } from '#journal/plan-line'
import { type RecordedRun, readRecord, readRun } from '#journal/run-reader'
import { type RunRecord, runFormatVersion } from '#journal/run-record'
import { createRun, type RunWriter, runFiles, writeRunDocument } from '#journal/run-writer'
import { type Clock, systemClock } from '#load/clock'
import { allOf } from '#prelude'
import {
  contenderOnHost,
  type HostRun,
  mergedAttempts,
  mergedRequests,
  mergedReused,
  mergedTelemetry,
  type PlacedRun,
  placeRuns,
  refuseUnlike,
} from './merged-lines.ts'
import { scoreRun } from './scores.ts'

export interface HostFolder {
  readonly host: string
  readonly folder: string
}

export interface MergeOptions {
  /** Absolute path of the results folder for the merged run. */
  readonly results: string
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clock?: Clock
}

/**
 * Merges the runs of several hosts: each contender of each host becomes a contender of the merged run, with the host
 * as its target and machine. Journal lines are kept; the figures are computed again from them.
 *
 * @throws BenchError MERGE_MISMATCH with everything that differs, and of the journal's table
 */
export async function mergeRuns(
  folders: readonly [HostFolder, ...HostFolder[]],
  { results, command, env, clock = systemClock }: MergeOptions,
): Promise<{ readonly folder: string; readonly evaluation: Evaluation }> {
  const records = folders.map(async ({ host, folder }) => ({ host, record: await readRecord(folder) }))
  const [first, ...others] = await allOf<HostRun[]>(records)
  if (first === undefined) throw new RangeError('a merge needs runs')
  const hostRuns = [first, ...others] as const
  refuseUnlike(hostRuns, { areParts: false })
  const runs: { host: string; run: RecordedRun }[] = []
  for (const { host, folder } of folders) runs.push({ host, run: await readRun(folder) })
  const placed = placeRuns(runs, { areParts: false })
  const name = `${first.record.name}-merged`
  await using writer = await createRun(results, runId(clock.today(), name))
  const roundCounts = [...Map.groupBy(hostRuns, ({ host }) => host).values()].map((rounds) => rounds.length)
  await writeMergedRun(writer, {
    // All hosts have the same utterances.
    utterances: placed[0]?.run.utterances ?? [],
    placed,
    record: {
      ...mergedRecord(writer.id, hostRuns),
      name,
      command,
      rounds: Math.max(...roundCounts) * first.record.rounds,
      manifest:
        first.record.manifest && relative(writer.folder, resolve(folders[0].folder, first.record.manifest)),
    },
  })
  const { evaluation, unwritten } = await scoreRun(writer.folder, { env })
  if (unwritten !== null) throw unwritten
  return { folder: writer.folder, evaluation }
}

/**
 * Merges the parts of a plan that hosts have measured into one run.
 *
 * @param folders a run folder for each part, grouped by host
 * @param facts of the record that only this run has
 * @throws BenchError MERGE_MISMATCH if hosts did not measure the same, and of the journal's table
 */
export async function mergeParts(
  folders: readonly HostFolder[],
  parts: {
    readonly writer: RunWriter
    readonly plan: {
      /** The part of the record that is the same for every host. */
      readonly recorded: Partial<RunRecord>
      readonly utterances: Iterable<PlannedUtterance>
    }
    facts(record: RunRecord): Partial<RunRecord>
  },
): Promise<RunRecord> {
  const { writer, plan, facts } = parts
  const runs = []
  for (const { host, folder } of folders) {
    const run = await readRun(folder)
    // The plan's corpus replaces that of the host, whose copy and paths are different.
    const record = { ...run.record, ...plan.recorded, id: basename(folder) }
    runs.push({ host, run: { ...run, record } })
  }
  const [first, ...others] = runs.map(({ host, run }) => ({ host, record: run.record }))
  if (first === undefined) throw new RangeError('a fleet measured no part')
  refuseUnlike([first, ...others], { areParts: true })
  const merged = mergedRecord(writer.id, [first, ...others])
  const record: RunRecord = { ...merged, ...facts(merged) }
  const placed = placeRuns(runs, { areParts: true })
  await writeMergedRun(writer, { utterances: plan.utterances, placed, record })
  return record
}

/** The record of a run merged from these; the first one provides their common plan. */
function mergedRecord(id: string, runs: readonly [HostRun, ...HostRun[]]): RunRecord {
  const [{ record: first }] = runs
  const byHost = [...Map.groupBy(runs, ({ host }) => host)].map(([host, hostRuns]) => ({
    host,
    records: hostRuns.map(({ record }) => record),
    record: hostRuns[0]?.record ?? first,
  }))
  const areSeveral = byHost.length > 1
  const starts = runs.map(({ record }) => record.startedAt).sort()
  const ends = runs.flatMap(({ record }) => record.endedAt ?? []).sort()
  return {
    ...first,
    formatVersion: runFormatVersion,
    id,
    startedAt: starts[0] ?? first.startedAt,
    endedAt: ends.at(-1) ?? first.endedAt,
    resume: undefined,
    resumedAt: undefined,
    pid: process.pid,
    contenders: byHost.flatMap(({ host, record }) =>
      record.contenders.map((contender) => ({
        ...contender,
        id: contenderOnHost(contender.id, host),
        ...(areSeveral ? { target: host } : {}),
        merged: { contender: contender.id, host },
      })),
    ),
    skipped: byHost.flatMap(({ host, record }) =>
      record.skipped.map(({ id: contender, reason }) => ({ id: contenderOnHost(contender, host), reason })),
    ),
    ...(areSeveral
      ? {
          targets: byHost.map(({ host, record }) => ({
            ...record.target,
            id: host,
            machine: host,
            roundTripMs: null,
          })),
        }
      : {}),
    hosts: byHost.map(({ host, records, record }) => ({
      name: host,
      runIds: records.map((each) => each.id),
      machine: record.host,
    })),
    counts: sumOfCounts(runs.map(({ record }) => record)),
  }
}

function sumOfCounts(records: readonly RunRecord[]): RunRecord['counts'] {
  const sum = { planned: 0, answered: 0, failed: 0, dropped: 0, notSent: 0 }
  for (const { counts } of records) {
    for (const key of Object.keys(sum) as (keyof typeof sum)[]) sum[key] += counts?.[key] ?? 0
  }
  return sum
}

/** Merges the journals of several hosts into one run. The record is written last, because it marks a complete run. */
async function writeMergedRun(
  writer: RunWriter,
  {
    utterances,
    placed,
    record,
  }: {
    readonly utterances: Iterable<PlannedUtterance>
    readonly placed: readonly PlacedRun[]
    readonly record: RunRecord
  },
): Promise<void> {
  const planLines = function* (): Iterable<PlanLine> {
    yield* utterances
    yield* mergedRequests(placed)
  }
  await writer.writePlan(planLines())
  const reused = mergedReused(placed)
  if (reused.length > 0) await writer.writeReused(reused)
  await writeRunDocument(writer.folder, runFiles.telemetry, writeLines(mergedTelemetry(placed)))
  await writeRunDocument(writer.folder, runFiles.journal, writeLines(mergedAttempts(placed)))
  await writer.writeRecord(record)
}

function* writeLines(values: Iterable<unknown>): Iterable<string> {
  for (const value of values) yield `${JSON.stringify(value)}\n`
}

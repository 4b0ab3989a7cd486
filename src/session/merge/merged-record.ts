import { type RunRecord, runFormatVersion } from '#journal'
import { contenderOnHost } from './merged-lines.ts'
import type { HostRun } from './refuse-unlike.ts'

/** The record of a run that is made of these, with what the first one says of their common plan. */
export function mergedRecord(id: string, runs: readonly [HostRun, ...HostRun[]]): RunRecord {
  const [{ record: first }] = runs
  const byHost = [...Map.groupBy(runs, ({ host }) => host)].map(([host, own]) => ({
    host,
    records: own.map(({ record }) => record),
    record: own[0]?.record ?? first,
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
    processStartedAt: null,
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

import type { RunRecord, RunWriter } from '#journal'
import { mergeParts } from '#session/merge'
import type { HostPlan } from '#session/plan'
import type { BlockResult, HostClock } from '../queue/messages.ts'
import type { PartStore } from '../queue/part-store.ts'
import type { FleetBlock, FleetMode } from './fleet-blocks.ts'

export interface MergeInput {
  readonly writer: RunWriter
  readonly plan: HostPlan
  readonly blocks: readonly FleetBlock[]
  readonly counted: ReadonlyMap<string, BlockResult>
  readonly store: PartStore
  readonly mode: FleetMode
}

type RecordedHost = NonNullable<RunRecord['hosts']>[number]

/**
 * Makes one run of the results that count, in its folder, and removes what was received.
 *
 * @throws BenchError MERGE_MISMATCH
 */
export async function mergeResults(input: MergeInput): Promise<RunRecord> {
  const { writer, plan, blocks, counted, store, mode } = input
  const results = blocks
    .flatMap(({ id, part }) => {
      const result = counted.get(id)
      return result === undefined ? [] : [{ id, part, host: result.host, clock: result.clock }]
    })
    .toSorted((one, other) => Number(one.host > other.host) - Number(one.host < other.host))
  const folders = []
  for (const { id, part, host } of results) {
    folders.push({ host, folder: await store.unpack(id, plan.parts[part]?.requests ?? []) })
  }
  const further = await store.further()
  const faults = (await store.faults()).toSorted((one, other) => one.part - other.part)
  const factsOf = (host: RecordedHost): RecordedHost => {
    const own = further.filter((result) => result.host === host.name)
    return {
      ...host,
      clock: worstClock(results.filter((result) => result.host === host.name).map(({ clock }) => clock)),
      ...(own.length === 0
        ? {}
        : { further: own.map(({ part, answeredCount }) => ({ part, answeredCount })) }),
    }
  }
  const record = await mergeParts(folders, {
    writer,
    plan,
    facts: ({ hosts }) => ({
      fleetMode: mode,
      hosts: hosts?.map(factsOf),
      ...(faults.length === 0 ? {} : { hostFaults: faults }),
    }),
  })
  await store.remove()
  return record
}

/** Of all blocks of a host, what is furthest off. */
function worstClock(clocks: readonly HostClock[]): HostClock {
  const most = (of: (clock: HostClock) => number): number =>
    clocks.reduce((found, clock) => (Math.abs(of(clock)) > Math.abs(found) ? of(clock) : found), 0)
  const hasStart = clocks.some(({ startErrorMs }) => startErrorMs !== null)
  return {
    offsetMs: most(({ offsetMs }) => offsetMs),
    uncertaintyMs: most(({ uncertaintyMs }) => uncertaintyMs),
    startErrorMs: hasStart ? most(({ startErrorMs }) => startErrorMs ?? 0) : null,
  }
}

import { readFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { type BenchConfig, recordedConfig } from '#config/bench-config'
import { manifestFrom } from '#corpus/locate'
import { runId } from '#journal/find-run'
import { readRecord } from '#journal/run-reader'
import type { RunRecord } from '#journal/run-record'
import { createRun, type RunWriter, reopenRun, writeRunDocument } from '#journal/run-writer'
import { systemClock } from '#load/clock'
import { fingerprint, parseJson, shellWord } from '#prelude'
import { mergeParts } from '#results/merge-runs'
import { plannedUtterances } from '#run/inputs'
import type { Executor } from '#run/measure'
import { type HostPlan, planForHosts } from '#run/plan/host-plan'
import { claimRun, throwIfStopped } from '#run/segment'
import { fleetErrors } from '../errors.ts'
import { type BrokerAddress, openBroker } from '../queue/broker.ts'
import type { BlockResult, HostClock } from '../queue/messages.ts'
import { openPartStore, type PartStore } from '../queue/part-store.ts'
import { type CollectEvent, collectBlocks } from './collect-blocks.ts'
import {
  type FleetBlock,
  type FleetMode,
  fleetBlocks,
  type PlanDocuments,
  planDocuments,
} from './fleet-blocks.ts'

/** Progress of a fleet run, for display. */
export type FleetEvent =
  | {
      readonly kind: 'handedOut'
      readonly run: string
      readonly hosts: readonly string[] | null
      readonly blockCount: number
      readonly countedCount: number
      readonly idleLimitMs: number
    }
  | CollectEvent

export interface FleetOptions {
  readonly address: BrokerAddress
  readonly mode: FleetMode
  /** Hosts that measure the plan; null in shard mode. */
  readonly hosts: readonly string[] | null
  /** Maximum audio of one block of one host. */
  readonly maxAudioSeconds: number
  /** Milliseconds that missing blocks are waited for without an agent measuring for their host. */
  readonly idleLimitMs: number
  /** A folder in which hosts put results; null if results come through Redis. */
  readonly sharedFolder: string | null
  /** Folder of a run to resume; null for a new one. */
  readonly resume: string | null
  readonly onEvent: (event: FleetEvent) => void
}

/**
 * The executor for many hosts: plans, hands out parts of the plan, collects results, and merges them into one run.
 *
 * @throws BenchError of the table of this module, FLEET_UNFIT, MERGE_MISMATCH, and of the corpus
 */
export function fleetExecutor(fleet: FleetOptions): Executor {
  return async ({
    config,
    settingSources,
    command,
    onEvent,
    stop,
    env = process.env,
    clock = systemClock,
  }) => {
    const { maxAudioSeconds, resume } = fleet
    const options = { env, onEvent, signal: stop, settingSources, command, maxAudioSeconds }
    const plan = await planForHosts(asRecorded(config), options).catch((error: unknown) => {
      throwIfStopped(stop)
      throw error
    })
    const documents = planDocuments(plan)
    refuseUnfitMode(plan, fleet)
    using _claim = resume === null ? null : await claimRun(resume)
    await using broker = await openBroker(fleet.address, 'transcribench-coordinator')
    await using writer =
      resume === null
        ? await createRun(resolve(config.results), runId(clock.today(), config.name))
        : await reopenRun(resume)
    await beginOrGoOn(writer.folder, documents, { fleet, settingSources, config })
    const store = await openPartStore(join(writer.folder, 'parts'))
    const blocks = fleetBlocks(plan, fleet.hosts)
    const counted = new Map(await store.counted())
    const { id: run } = writer
    const { hosts, idleLimitMs, sharedFolder } = fleet
    const counts = { blockCount: blocks.length, countedCount: counted.size }
    fleet.onEvent({ kind: 'handedOut', run, hosts, ...counts, idleLimitMs })
    await collectBlocks({
      broker,
      run,
      hosts,
      documents,
      blocks,
      counted,
      store,
      stop,
      idleLimitMs,
      sharedFolder,
      isResumed: resume !== null,
      onEvent: fleet.onEvent,
    })
    const record = await mergeResults({ writer, plan, blocks, counted, store, mode: fleet.mode, env })
    return { folder: writer.folder, record, config, unwritten: null }
  }
}

function refuseUnfitMode({ isOpen }: HostPlan, { mode, hosts }: FleetOptions): void {
  const refuse = (message: string, hint: string): never => {
    throw fleetErrors.make('FLEET_MODE_UNFIT', { message, hint })
  }
  if (mode === 'replicate' && hosts === null)
    refuse('replicate needs the names of the hosts', 'name them: --hosts gpu1,gpu2')
  if (mode === 'shard' && hosts !== null)
    refuse('a shard has no fixed hosts: any agent takes its blocks', 'leave out --hosts')
  if (mode === 'shard' && isOpen) refuse('a shard needs a closed load', 'give it one: --concurrency 4')
}

async function beginOrGoOn(
  folder: string,
  documents: PlanDocuments,
  { fleet, ...given }: { readonly fleet: FleetOptions } & Pick<FleetFile, 'config' | 'settingSources'>,
): Promise<void> {
  const planFingerprint = fingerprint(documents.hashes)
  const { mode, hosts, maxAudioSeconds, address, resume } = fleet
  if (resume === null) {
    const file: FleetFile = { fleet: address.fleet, mode, hosts, maxAudioSeconds, ...given, planFingerprint }
    return writeRunDocument(folder, fileName, `${JSON.stringify(file, null, 2)}\n`)
  }
  const before = await readFleetFile(folder)
  if (before.planFingerprint === planFingerprint && before.fleet === address.fleet) return
  throw fleetErrors.make('FLEET_RUN_DIFFERS', {
    message: `${folder} began with another plan${before.fleet === address.fleet ? '' : `, in the fleet "${before.fleet}"`}`,
    hint: 'put back the corpus and the version of transcribench, or measure anew: transcribench fleet run <config>',
  })
}

interface MergeInput {
  readonly writer: RunWriter
  readonly plan: HostPlan
  readonly blocks: readonly FleetBlock[]
  readonly counted: ReadonlyMap<string, BlockResult>
  readonly store: PartStore
  readonly mode: FleetMode
  readonly env: Readonly<Record<string, string | undefined>>
}

type RecordedHost = NonNullable<RunRecord['hosts']>[number]

/**
 * Merges the counted results into one run in its folder, and removes the received files.
 *
 * @throws BenchError MERGE_MISMATCH
 */
async function mergeResults(input: MergeInput): Promise<RunRecord> {
  const { writer, plan, blocks, counted, store, mode, env } = input
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
    const furtherResults = further.filter((result) => result.host === host.name)
    return {
      ...host,
      clock: worstClock(results.filter((result) => result.host === host.name).map(({ clock }) => clock)),
      ...(furtherResults.length === 0
        ? {}
        : { further: furtherResults.map(({ part, answeredCount }) => ({ part, answeredCount })) }),
    }
  }
  const record = await mergeParts(folders, {
    writer,
    plan: { recorded: plan.recorded, utterances: plannedUtterances(plan.corpus) },
    facts: ({ hosts }) => ({
      fleetMode: mode,
      manifest: manifestFrom(writer.folder, plan.corpus.manifestPath, env),
      hosts: hosts?.map(factsOf),
      ...(faults.length === 0 ? {} : { hostFaults: faults }),
    }),
  })
  await store.remove()
  return record
}

/** The largest deviations of a host's clock over all its blocks. */
function worstClock(clocks: readonly HostClock[]): HostClock {
  const largest = (of: (clock: HostClock) => number): number =>
    clocks.reduce((found, clock) => (Math.abs(of(clock)) > Math.abs(found) ? of(clock) : found), 0)
  const hasStart = clocks.some(({ startErrorMs }) => startErrorMs !== null)
  return {
    offsetMs: largest(({ offsetMs }) => offsetMs),
    uncertaintyMs: largest(({ uncertaintyMs }) => uncertaintyMs),
    startErrorMs: hasStart ? largest(({ startErrorMs }) => startErrorMs ?? 0) : null,
  }
}

/** The start of a fleet run: everything that another process needs to resume it. */
export interface FleetFile {
  readonly fleet: string
  readonly mode: FleetMode
  /** Null in shard mode. */
  readonly hosts: readonly string[] | null
  readonly maxAudioSeconds: number
  readonly config: BenchConfig
  readonly settingSources: RunRecord['settingSources']
  /** Fingerprint of the documents that hosts fetch. */
  readonly planFingerprint: string
}

const fileName = 'fleet.json'

/**
 * @param folder of an incomplete run
 * @throws BenchError FLEET_RUN_UNKNOWN
 */
export async function readFleetFile(folder: string): Promise<FleetFile> {
  const isComplete = await readRecord(folder).then(
    () => true,
    () => false,
  )
  const text = isComplete ? null : await readFile(join(folder, fileName), 'utf8').catch(() => null)
  if (text === null) {
    throw fleetErrors.make('FLEET_RUN_UNKNOWN', {
      message: `${basename(folder)} is ${isComplete ? 'complete' : 'no run of a fleet'}`,
      hint: isComplete
        ? `transcribench report ${shellWord(basename(folder))}`
        : 'name its folder: --resume results/<run>',
    })
  }
  const file = parseJson(text) as FleetFile | undefined
  const config = recordedConfig.safeParse(file?.config)
  if (file !== undefined && config.success) return { ...file, config: config.data }
  throw fleetErrors.make('FLEET_RUN_UNKNOWN', {
    message: `${join(folder, fileName)}, which says how the run began, is damaged`,
    hint: 'restore the file from a copy, or measure anew: transcribench fleet run <config>',
  })
}

/** The config as a later process reads it, so that both make an identical plan. */
function asRecorded(config: BenchConfig): BenchConfig {
  return recordedConfig.parse(JSON.parse(JSON.stringify(config)))
}

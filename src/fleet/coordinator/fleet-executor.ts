import { join, resolve } from 'node:path'
import { createRun, reopenRun } from '#journal'
import { systemClock } from '#load'
import { fingerprint } from '#prelude'
import { type Executor, runId } from '#session/measure'
import { type HostPlan, planForHosts } from '#session/plan'
import { fleetErrors } from '../errors.ts'
import { asRecorded, type FleetFile, readFleetFile, writeFleetFile } from '../fleet-file.ts'
import { type BrokerAddress, openBroker } from '../queue/broker.ts'
import { openPartStore } from '../queue/part-store.ts'
import { type CollectEvent, collectBlocks } from './collect-blocks.ts'
import { type FleetMode, fleetBlocks, type PlanDocuments, planDocuments } from './fleet-blocks.ts'
import { mergeResults } from './merge-results.ts'

/** What a run of a fleet does, for display. */
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
  /** Hosts that measure the plan; null in a shard. */
  readonly hosts: readonly string[] | null
  /** Max audio of one block of one host. */
  readonly maxAudioSeconds: number
  /** How long missing blocks are waited for while no agent measures one of their host. */
  readonly idleLimitMs: number
  /** A folder that hosts put results into; null where these come through Redis. */
  readonly sharedFolder: string | null
  /** Folder of a run to go on with; null for a new one. */
  readonly resume: string | null
  readonly onEvent: (event: FleetEvent) => void
}

/**
 * The executor of many hosts: plans, hands out the parts of the plan, collects what hosts measured, and makes one run of it.
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
    const plan = await planForHosts(asRecorded(config), options)
    const documents = planDocuments(plan)
    refuseOpenShard(plan, fleet)
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
      ...{ broker, run, hosts, documents, blocks, counted, store, stop, idleLimitMs, sharedFolder },
      isResumed: resume !== null,
      onEvent: fleet.onEvent,
    })
    const record = await mergeResults({ writer, plan, blocks, counted, store, mode: fleet.mode })
    return { folder: writer.folder, record, config, unwritten: null }
  }
}

function refuseOpenShard({ isOpen }: HostPlan, { mode, hosts }: FleetOptions): void {
  if ((mode === 'shard') === (hosts === null) && !(mode === 'shard' && isOpen)) return
  const [message, hint] =
    mode === 'replicate'
      ? ['replicate needs the names of the hosts', 'name them: --hosts gpu1,gpu2']
      : hosts !== null
        ? ['a shard has no fixed hosts: any agent takes its blocks', 'leave out --hosts']
        : ['a shard needs a closed load', 'give it one: --concurrency 4']
  throw fleetErrors.make('FLEET_MODE_UNFIT', { message, hint })
}

async function beginOrGoOn(
  folder: string,
  documents: PlanDocuments,
  { fleet, ...given }: { readonly fleet: FleetOptions } & Pick<FleetFile, 'config' | 'settingSources'>,
): Promise<void> {
  const planFingerprint = fingerprint(documents.hashes)
  const { mode, hosts, maxAudioSeconds, address, resume } = fleet
  if (resume === null) {
    const file = { fleet: address.fleet, mode, hosts, maxAudioSeconds, ...given, planFingerprint }
    return writeFleetFile(folder, file)
  }
  const before = await readFleetFile(folder)
  if (before.planFingerprint === planFingerprint && before.fleet === address.fleet) return
  throw fleetErrors.make('FLEET_RUN_DIFFERS', {
    message: `${folder} began with another plan${before.fleet === address.fleet ? '' : `, in the fleet "${before.fleet}"`}`,
    hint: 'put back the corpus and the version of transcribench, or measure anew: transcribench fleet run <config>',
  })
}

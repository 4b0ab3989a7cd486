import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '#load/clock'
import { fleetErrors } from '../errors.ts'
import { type Broker, type BrokerAddress, keyPrefix, openBroker } from '../queue/broker.ts'
import { type AskKind, type Asks, askQueue, jobPlace, openKey, validMs } from '../queue/messages.ts'
import { expired, otherKey, seal, unseal } from '../queue/seal.ts'

/** The run of a question has ended, so there will be no answer. */
export class RunOverError extends Error {}

const firstPauseMs = 20
const longestPauseMs = 1000

/**
 * Sends a question to the coordinator of a run and waits for its answer, even while the coordinator is away. A
 * question that expired or that Redis lost is sent again.
 *
 * @param id of the question: equal ids are one question
 * @throws RunOverError; BenchError FLEET_BLOCKS_FAILED if the coordinator refuses
 */
export async function ask<Kind extends AskKind>(
  broker: Broker,
  run: string,
  { kind, id, body, signal }: { kind: Kind; id: string; body: Asks[Kind]['ask']; signal: AbortSignal },
): Promise<Asks[Kind]['answer']> {
  const { address, redis } = broker
  const queueName = askQueue(run)
  const queue = broker.queue(queueName)
  const place = jobPlace(queueName, id)
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    signal.throwIfAborted()
    const state = await queue.getJobState(id)
    if (state === 'completed' || state === 'failed') {
      const job = await queue.getJob(id)
      await job?.remove()
      if (job === undefined || job.failedReason === expired) continue
      if (state === 'failed') throw refused(run, job.failedReason)
      return unseal(job.returnvalue, address, { place: `${place}/answer`, nowMs: await broker.nowMs() })
    }
    if (state === 'unknown') {
      if ((await redis.exists(openKey(keyPrefix(address), run))) === 0)
        throw new RunOverError(`the run ${run} has ended`)
      const expiresAtMs = (await broker.nowMs()) + validMs
      await queue.add(kind, seal(body, address, { place, expiresAtMs }), {
        jobId: id,
        removeOnComplete: { age: 3600 },
        removeOnFail: { age: 3600 },
      })
    }
    await sleep(pauseMs, undefined, { signal })
  }
}

function refused(run: string, reason: string | undefined): Error {
  return fleetErrors.make('FLEET_BLOCKS_FAILED', {
    message: `the coordinator refused a message: ${reason ?? 'no reason given'}`,
    hint:
      reason === otherKey
        ? 'check that every host of the fleet has the same TRANSCRIBENCH_FLEET_KEY'
        : `solve that on the host of the coordinator, then: transcribench fleet run --resume ${run}`,
  })
}

/** The options of a host's agent. */
export interface AgentHost {
  readonly address: BrokerAddress
  readonly name: string
  /** Folder for measured blocks, kept until they are confirmed, and for fetched files. */
  readonly dataFolder: string
  /** A folder for results that the coordinator also sees; null if results go through Redis. */
  readonly sharedFolder: string | null
  /** Corpora on this host. */
  readonly corpora: readonly string[]
  /** The target of this host, and its engines; null for those of the config. */
  readonly target: string | null
  readonly engines: string | null
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  /** Ends the agent; requests in flight are awaited. */
  readonly stop: AbortSignal
  readonly drop: AbortSignal
}

/** A connection of a host, with its name in CLIENT LIST. */
export function openHostBroker({ address, name }: AgentHost, patience?: AbortSignal): Promise<Broker> {
  return openBroker(address, `transcribench-agent-${name}`, patience)
}

export function findOutbox({ dataFolder }: Pick<AgentHost, 'dataFolder'>): string {
  return join(dataFolder, 'outbox')
}

/** Folder of the files that were fetched for runs, by their hashes. */
export function findObjects({ dataFolder }: Pick<AgentHost, 'dataFolder'>): string {
  return join(dataFolder, 'objects')
}

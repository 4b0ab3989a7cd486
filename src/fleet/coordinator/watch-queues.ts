import { setTimeout as sleep } from 'node:timers/promises'
import type { Queue } from 'bullmq'
import type { Broker } from '../queue/broker.ts'
import { blockQueue } from '../queue/places.ts'
import type { FleetBlock } from './fleet-blocks.ts'

/** A block that no host measures any more. */
export interface FailedBlock {
  readonly block: FleetBlock
  /** In the words of the host. */
  readonly reason: string
}

export interface QueueWatch {
  /** By the ids of their jobs. */
  readonly blocks: ReadonlyMap<string, FleetBlock>
  readonly signal: AbortSignal
  readonly onFailed: (failed: FailedBlock) => void
  /** The agent of this host fell silent while it measured a block: it was killed, or its network was cut. */
  readonly onLost: (block: FleetBlock, host: string) => void
  /** Called again and again: for how long no agent has measured a block of this queue. */
  readonly onSilence: (host: string | null, silentMs: number) => void
}

const shortestPauseMs = 2000
const pausePerQueueMs = 10

/** Looks for blocks that failed on their hosts, and for queues that no agent takes blocks of, until the signal comes. */
export async function watchQueues(
  { broker }: { readonly broker: Broker },
  { blocks, onFailed, onLost, onSilence, signal }: QueueWatch,
): Promise<void> {
  const hosts = [...new Set([...blocks.values()].map(({ host }) => host))]
  const pauseMs = Math.max(shortestPauseMs, hosts.length * pausePerQueueMs)
  // Only pauses are added up: while Redis is away, no host can be heard.
  const silentMs = new Map<string | null, number>()
  while (!signal.aborted) {
    for (const host of hosts) {
      const queue = broker.queue(blockQueue(host))
      for (const { id = '', failedReason } of await queue.getFailed()) {
        const block = blocks.get(id)
        if (block !== undefined) onFailed({ block, reason: printable(failedReason) })
      }
      const before = silentMs.get(host)
      const { isMeasured, lost } = await lookAtActive(broker, queue)
      for (const { id, by } of lost) {
        const block = blocks.get(id)
        if (block !== undefined) onLost(block, by)
      }
      const isSilent = before !== undefined && !isMeasured
      silentMs.set(host, isSilent ? before + pauseMs : 0)
      onSilence(host, silentMs.get(host) ?? 0)
    }
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined)
  }
}

/**
 * Whether an agent has a block of the queue, and which blocks were lost with their agents: that of one that was killed stays
 * active, without a lock.
 */
async function lookAtActive(
  { redis }: Broker,
  queue: Queue,
): Promise<{ readonly isMeasured: boolean; readonly lost: readonly { id: string; by: string }[] }> {
  let isMeasured = false
  const lost: { id: string; by: string }[] = []
  for (const { id, progress } of await queue.getActive()) {
    if (id === undefined) continue
    if ((await redis.exists(queue.toKey(`${id}:lock`))) > 0) isMeasured = true
    else if (typeof progress === 'string') lost.push({ id, by: printable(progress) })
  }
  return { isMeasured, lost }
}

/** The reason comes from another machine, and goes to a terminal. */
function printable(reason: string | undefined): string {
  return (reason ?? 'no reason given').replaceAll(/\p{Cc}+/gu, ' ').slice(0, 500)
}

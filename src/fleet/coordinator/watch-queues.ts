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
  /** Called again and again: for how long no agent has measured a block of this queue. */
  readonly onSilence: (host: string | null, silentMs: number) => void
}

const shortestPauseMs = 2000
const pausePerQueueMs = 10

/** Looks for blocks that failed on their hosts, and for queues that no agent takes blocks of, until the signal comes. */
export async function watchQueues(
  { broker }: { readonly broker: Broker },
  { blocks, onFailed, onSilence, signal }: QueueWatch,
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
      const isSilent = before !== undefined && !(await isMeasured(broker, queue))
      silentMs.set(host, isSilent ? before + pauseMs : 0)
      onSilence(host, silentMs.get(host) ?? 0)
    }
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined)
  }
}

/** Whether an agent has a block of the queue. That of an agent that was killed stays active, without a lock. */
async function isMeasured({ redis }: Broker, queue: Queue): Promise<boolean> {
  const active = await queue.getActive()
  const locks = active.flatMap(({ id }) => (id === undefined ? [] : [queue.toKey(`${id}:lock`)]))
  return locks.length > 0 && (await redis.exists(...locks)) > 0
}

/** The reason comes from another machine, and goes to a terminal. */
function printable(reason: string | undefined): string {
  return (reason ?? 'no reason given').replaceAll(/\p{Cc}+/gu, ' ').slice(0, 500)
}

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
  /** The agent of this host measures a block. */
  readonly onMeasured: (block: FleetBlock, host: string) => void
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
  { blocks, onFailed, onMeasured, onLost, onSilence, signal }: QueueWatch,
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
      const active = await lookAtActive(broker, queue)
      for (const { id, by, isLocked } of active) {
        const block = blocks.get(id)
        if (block !== undefined && by !== null) (isLocked ? onMeasured : onLost)(block, by)
      }
      const isSilent = before !== undefined && active.every(({ isLocked }) => !isLocked)
      silentMs.set(host, isSilent ? before + pauseMs : 0)
      onSilence(host, silentMs.get(host) ?? 0)
    }
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined)
  }
}

/** A block that an agent has taken. */
interface ActiveBlock {
  readonly id: string
  /** The host of the agent; null until it has said so. */
  readonly by: string | null
  /** False where the agent was killed: its block stays active, without a lock, until another agent looks for such blocks. */
  readonly isLocked: boolean
}

async function lookAtActive({ redis }: Broker, queue: Queue): Promise<readonly ActiveBlock[]> {
  const active: ActiveBlock[] = []
  for (const { id, progress } of await queue.getActive()) {
    if (id === undefined) continue
    const isLocked = (await redis.exists(queue.toKey(`${id}:lock`))) > 0
    active.push({ id, by: typeof progress === 'string' ? printable(progress) : null, isLocked })
  }
  return active
}

/** The reason comes from another machine, and goes to a terminal. */
function printable(reason: string | undefined): string {
  return (reason ?? 'no reason given').replaceAll(/\p{Cc}+/gu, ' ').slice(0, 500)
}

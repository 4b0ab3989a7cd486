import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Job, Worker } from 'bullmq'
import { type Broker, lockMs } from '../queue/broker.ts'
import { blockQueue } from '../queue/places.ts'

/** A job that is locked for this host. */
export interface TakenBlock {
  readonly queue: string
  readonly jobId: string
  /** Of the lock. */
  readonly token: string
  readonly sealed: unknown
}

const pauseMs = 1000

/** How often a block may be lost with its agent before it is no longer tried. */
const mostLosses = 5

export interface Patience {
  readonly host: string
  readonly signal: AbortSignal
  /** Whether a block that any host may take is one for this host: not shortly after it has failed one. */
  readonly sharesAgain: () => boolean
}

/**
 * Waits for a block: of the queue of this host first, then of the queue of all. Only a host that waits looks for blocks of agents that
 * fell silent; nothing of this goes on while a block is measured.
 *
 * @returns null where the signal came first
 */
export async function takeBlock(
  broker: Broker,
  { host, signal, sharesAgain }: Patience,
): Promise<TakenBlock | null> {
  const names = [blockQueue(host), blockQueue(null)]
  const workers = names.map((name) =>
    broker.worker(name, null, {
      autorun: false,
      lockDuration: lockMs,
      stalledInterval: lockMs / 3,
      maxStalledCount: mostLosses,
    }),
  )
  for (const worker of workers) await worker.startStalledCheckTimer()
  try {
    while (!signal.aborted) {
      for (const [place, worker] of workers.entries()) {
        if (place > 0 && !sharesAgain()) continue
        const token = randomUUID()
        const job: Job | undefined = await worker.getNextJob(token, { block: false })
        if (job?.id === undefined) continue
        // Who it was, where this agent falls silent. Only for display: it is not signed.
        await job.updateProgress(host)
        return { queue: worker.name, jobId: job.id, token, sealed: job.data }
      }
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined)
    }
    return null
  } finally {
    await Promise.all(workers.map((worker: Worker) => worker.close(true)))
  }
}

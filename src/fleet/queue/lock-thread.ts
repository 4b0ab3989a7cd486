/**
 * Entry point of the thread that renews the lock of a block while it is measured. Its own connection and event loop
 * keep measurement and Redis from disturbing each other. It receives an order for each block, and null at its end.
 */
import { setInterval } from 'node:timers/promises'
import { type MessagePort, parentPort } from 'node:worker_threads'
import { type BrokerAddress, lockMs, openBroker } from './broker.ts'

export interface LockOrder {
  readonly address: BrokerAddress
  readonly queue: string
  readonly jobId: string
  readonly token: string
  /** Host of the agent. */
  readonly host: string
}

let held = new AbortController()

function main(port: MessagePort): void {
  port.on('message', (order: LockOrder | null) => {
    held.abort()
    held = new AbortController()
    // Pending calls to Redis fail when the lock is no longer needed.
    if (order !== null) hold(order, held.signal).catch(() => undefined)
  })
}

async function hold({ address, queue, jobId, token, host }: LockOrder, released: AbortSignal): Promise<void> {
  await using broker = await openBroker(address, `transcribench-lock-${host}`, released)
  const job = await broker.queue(queue).getJob(jobId)
  for await (const _ of setInterval(lockMs / 4, undefined, { signal: released })) {
    // A lost lock is not taken again, because another host measures the block by then.
    await job?.extendLock(token, lockMs).catch(() => undefined)
  }
}

if (parentPort !== null) main(parentPort)

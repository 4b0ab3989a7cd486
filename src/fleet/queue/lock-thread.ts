/**
 * The program of the thread that renews the lock of a block while it is measured. It has its own connection and event loop, so that
 * neither a busy measurement nor a slow Redis disturbs the other. It is sent an order for each block, and null when that is over.
 */
import { setInterval } from 'node:timers/promises'
import { type MessagePort, parentPort } from 'node:worker_threads'
import { type BrokerAddress, lockMs, openBroker } from './broker.ts'

export interface LockOrder {
  readonly address: BrokerAddress
  readonly queue: string
  readonly jobId: string
  readonly token: string
  /** Whose agent it is. */
  readonly host: string
}

let held = new AbortController()

function main(port: MessagePort): void {
  port.on('message', (order: LockOrder | null) => {
    held.abort()
    held = new AbortController()
    // What waits for Redis when the lock is no longer needed ends with an error.
    if (order !== null) hold(order, held.signal).catch(() => undefined)
  })
}

async function hold({ address, queue, jobId, token, host }: LockOrder, released: AbortSignal): Promise<void> {
  await using broker = await openBroker(address, `transcribench-lock-${host}`, released)
  const job = await broker.queue(queue).getJob(jobId)
  for await (const _ of setInterval(lockMs / 4, undefined, { signal: released })) {
    // A lock that is lost is not taken again: another host measures the block by now.
    await job?.extendLock(token, lockMs).catch(() => undefined)
  }
}

if (parentPort !== null) main(parentPort)

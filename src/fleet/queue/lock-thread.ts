/**
 * The program of the thread that renews the lock of a block while it is measured. It has its own connection and event loop, so that
 * neither a busy measurement nor a slow Redis disturbs the other.
 */
import { once } from 'node:events'
import { setInterval } from 'node:timers/promises'
import { type MessagePort, parentPort } from 'node:worker_threads'
import { type BrokerAddress, lockConnection, lockMs, openBroker } from './broker.ts'

export interface LockOrder {
  readonly address: BrokerAddress
  readonly queue: string
  readonly jobId: string
  readonly token: string
  /** Whose agent it is. */
  readonly host: string
}

async function main(port: MessagePort): Promise<void> {
  const [{ address, queue, jobId, token, host }] = (await once(port, 'message')) as [LockOrder]
  const broker = await openBroker(address, lockConnection(host), new AbortController().signal)
  const job = await broker.queue(queue).getJob(jobId)
  for await (const _ of setInterval(lockMs / 4)) {
    // A lock that is lost is not taken again: another host measures the block by now.
    await job?.extendLock(token, lockMs).catch(() => undefined)
  }
}

if (parentPort !== null) await main(parentPort)

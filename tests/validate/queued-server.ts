import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** What decides the capacity of a server, and the text that it answers to every recording. */
export interface QueuedServer {
  readonly workers: number
  /** Mean time of one request. */
  readonly workMs: number
  /** Standard deviation of the logarithm of that time; 0: all take the same. */
  readonly spread: number
  /** Share of requests that fail after their time, at random. */
  readonly failureShare: number
  /** Requests that may wait; further ones are refused. No bound where left out. */
  readonly queueBound?: number
  /** Requests a second that are let in, so many of them at once. No limit where left out. */
  readonly rate?: { readonly perSecond: number; readonly burst: number }
  /** How many times its time a request takes from four minutes after the first one on, evenly more until then. 1 where left out. */
  readonly slowsTo?: number
  readonly text: string
}

/** Starts such a server in its own process. */
export async function startQueuedServer(
  server: QueuedServer,
): Promise<AsyncDisposable & { readonly target: string }> {
  const child = fork(join(import.meta.dirname, 'queued-program.ts'), [JSON.stringify(server)])
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('the queued server has ended')))
  ended.catch(() => undefined)
  const [port] = (await Promise.race([once(child, 'message'), ended])) as [number]
  return {
    target: `openai:http://127.0.0.1:${port}/v1`,
    async [Symbol.asyncDispose]() {
      const exited = once(child, 'exit')
      child.disconnect()
      await exited
    },
  }
}

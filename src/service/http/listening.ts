import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { StopOptions } from '../options.ts'
import { maxTimeoutSeconds } from '../settings.ts'

/** How long a client may take to receive its last answer when the service stops. */
const lastAnswerMs = 2_000

/** @returns the port on 127.0.0.1, which is the given one unless that is 0 */
export async function listen(server: FastifyInstance, port: number): Promise<number> {
  await server.listen({ host: '127.0.0.1', port })
  return (server.server.address() as AddressInfo).port
}

/**
 * Takes no more connections, lets the requests under way finish as long as it may, ends the others, lets their
 * answers out, and closes every connection.
 */
export async function closeServer(
  server: FastifyInstance,
  stopping: AbortController,
  { finishWithinSeconds = 0, hurry }: StopOptions,
): Promise<void> {
  const closed = server.close()
  if (finishWithinSeconds > 0 && hurry?.aborted !== true) {
    await Promise.race([closed, passed(Math.min(finishWithinSeconds, maxTimeoutSeconds) * 1000, hurry)])
  }
  stopping.abort()
  const impatience = setTimeout(() => server.server.closeAllConnections(), lastAnswerMs)
  await closed
  clearTimeout(impatience)
}

function passed(durationMs: number, hurry: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    // Nothing is left to wait for once every connection has closed.
    setTimeout(resolve, durationMs).unref()
    hurry?.addEventListener('abort', () => resolve(), { once: true })
  })
}

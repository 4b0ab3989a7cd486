import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** How long a client may take to receive its last answer when the service stops. */
const lastAnswerMs = 2_000

/** @returns the port on 127.0.0.1, which is the given one unless that is 0 */
export async function listen(server: FastifyInstance, port: number): Promise<number> {
  await server.listen({ host: '127.0.0.1', port })
  return (server.server.address() as AddressInfo).port
}

/** Ends the requests under way, lets their answers out, and closes every connection. */
export async function closeServer(server: FastifyInstance, stopping: AbortController): Promise<void> {
  const closed = server.close()
  stopping.abort()
  const impatience = setTimeout(() => server.server.closeAllConnections(), lastAnswerMs)
  await closed
  clearTimeout(impatience)
}

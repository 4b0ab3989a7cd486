import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { keepsIdleConnections } from '../client/odd-server.ts'

/** What a provider was asked. */
interface Asked {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: {
    readonly model?: string
    readonly messages?: readonly { readonly content: string }[]
  } | null
}

/** A server that speaks as much of the OpenAI chat protocol as is asked of it. */
export interface ChatServer extends AsyncDisposable {
  readonly baseUrl: string
  readonly asked: readonly Asked[]
}

/** @param reply the body for a chat, or an HTTP status, or null to stay silent */
export async function startChatServer(reply: (text: string) => unknown): Promise<ChatServer> {
  const asked: Asked[] = []
  const server = createServer(keepsIdleConnections, async (request, response) => {
    const body = request.method === 'POST' ? ((await json(request)) as Asked['body']) : null
    asked.push({ path: request.url ?? '', headers: request.headers, body })
    const said =
      body === null ? { data: [{ id: 'first-model' }] } : reply(body.messages?.at(-1)?.content ?? '')
    if (said === null) return
    if (typeof said === 'number') response.writeHead(said).end('{}')
    else response.end(typeof said === 'string' ? said : JSON.stringify(said))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

export function saying(content: string): unknown {
  return { choices: [{ message: { role: 'assistant', content } }] }
}

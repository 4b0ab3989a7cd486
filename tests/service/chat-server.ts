import type { IncomingHttpHeaders } from 'node:http'
import { startOddServer } from '../client/odd-server.ts'

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
  const server = await startOddServer(({ method, url: path, headers, body: sent }, response) => {
    const body = method === 'POST' ? (JSON.parse(String(sent)) as Asked['body']) : null
    asked.push({ path, headers, body })
    const said =
      body === null ? { data: [{ id: 'first-model' }] } : reply(body.messages?.at(-1)?.content ?? '')
    if (said === null) return
    if (typeof said === 'number') response.writeHead(said).end('{}')
    else response.end(typeof said === 'string' ? said : JSON.stringify(said))
  })
  const baseUrl = `http://127.0.0.1:${server.port}/v1`
  return { baseUrl, asked, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

export function saying(content: string): unknown {
  return { choices: [{ message: { role: 'assistant', content } }] }
}

import type { IncomingHttpHeaders } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { startOddServer } from '../client/odd-server.ts'

/** A request as the provider got it. Of a form, the fields by name; files as their bytes. */
export interface Recorded {
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly fields: Readonly<Record<string, readonly string[]>>
  readonly form: FormData | null
  readonly json: null
  /** The audio, from a form or the body. */
  readonly audio: Uint8Array
}

export interface Canned {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON, or as it is where it is text. Undefined: no answer at all. */
  readonly body?: unknown
  /** The connection is closed in the middle of the answer. */
  readonly isCut?: boolean
  /** The answer begins this long after the request ended. */
  readonly delayMs?: number
}

export interface ProviderServer extends AsyncDisposable {
  readonly baseUrl: string
  readonly requests: readonly Recorded[]
}

/** A server on 127.0.0.1 that records what it is asked and answers what the test says. */
export async function startProvider(
  answer: (request: Recorded, index: number) => Canned,
): Promise<ProviderServer> {
  const requests: Recorded[] = []
  const server = await startOddServer(async ({ url, headers, body }, response) => {
    const { pathname: path, searchParams: query } = new URL(url, 'http://127.0.0.1')
    const type = headers['content-type'] ?? ''
    let audio = new Uint8Array(body)
    const form = type.startsWith('multipart/form-data')
      ? await new Response(audio, { headers: { 'content-type': type } }).formData()
      : null
    const fields: Record<string, string[]> = {}
    for (const [name, value] of form?.entries() ?? []) {
      if (typeof value === 'string') fields[name] = [...(fields[name] ?? []), value]
      else audio = new Uint8Array(await value.arrayBuffer())
    }
    const recorded = { path, query, headers, fields, form, json: null, audio }
    requests.push(recorded)
    const canned = answer(recorded, requests.length - 1)
    if (canned.body === undefined) return
    if (canned.delayMs !== undefined) await sleep(canned.delayMs)
    const content = typeof canned.body === 'string' ? canned.body : JSON.stringify(canned.body)
    response.writeHead(canned.status ?? 200, { 'content-type': 'application/json', ...canned.headers })
    if (canned.isCut === true) response.write(content.slice(0, -5), () => response.destroy())
    else response.end(content)
  })
  const baseUrl = `http://127.0.0.1:${server.port}`
  return { baseUrl, requests, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

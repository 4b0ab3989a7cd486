import { writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Connection } from '#client/connection'
import { connect, type RunningTarget, resolveTarget } from '#client/target'
import { systemClock } from '#load/clock'

export const token: string = 'tOkEn-1_abcdefghijklmnopqrstuvwxyz0123456789'

/** One request as the server saw it. */
interface SeenRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

export type Handler = (
  seen: SeenRequest,
  response: ServerResponse,
  request: IncomingMessage,
) => void | Promise<void>

/** A real HTTP server that does what a test sets, on a port of the system's choice. */
export interface OddServer extends AsyncDisposable {
  readonly port: number
  readonly seen: SeenRequest[]
  handle: Handler
}

/**
 * For servers in the process of the tests. After it was stopped for longer than the usual 5 s,
 * the timer of an idle connection would fire before the request that has arrived meanwhile is read.
 */
export const keepsIdleConnections = { keepAliveTimeout: 0 }

/**
 * Answers `/health` and `/models` like a service; the rest is the test's.
 *
 * @param options.readsBody false hands the request to the handler before its body was read
 */
export async function startOddServer(
  handle: Handler,
  options: { readonly readsBody?: boolean } = {},
): Promise<OddServer> {
  const seen: SeenRequest[] = []
  const server = createServer(keepsIdleConnections, async (request, response) => {
    const chunks: Buffer[] = []
    if (options.readsBody !== false) for await (const chunk of request) chunks.push(chunk)
    const { method = '', url = '', headers } = request
    const entry = { method, url, headers, body: Buffer.concat(chunks) }
    seen.push(entry)
    await odd.handle(entry, response, request)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const odd: OddServer = {
    port: (server.address() as AddressInfo).port,
    seen,
    handle,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return odd
}

export function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

export function healthOf(port: number, pid: number = process.pid): object {
  return { ok: true, app_version: '2.36.0', api_version: 1, port, pid }
}

/** `/health` and `/models` as a service answers them, with a check of the token; the rest goes to `others`. */
export function serviceWith(others: Handler, accepts: () => string = () => token): Handler {
  return (seen, response, request) => {
    const host = seen.headers.host ?? ''
    const port = Number(host.split(':')[1])
    if (seen.url === '/health') return sendJson(response, healthOf(port))
    if (seen.headers.authorization !== `Bearer ${accepts()}`) {
      return sendJson(
        response,
        { ok: false, error: { code: 'INVALID_REQUEST', message: 'Missing or invalid token' } },
        401,
      )
    }
    if (seen.url.startsWith('/models')) return sendJson(response, { ok: true, models: [] })
    return others(seen, response, request)
  }
}

/** Writes `local-api.json` into a folder, and gives its path. */
export async function writeDiscovery(
  folder: string,
  content: Readonly<Record<string, unknown>>,
): Promise<string> {
  const path = join(folder, 'local-api.json')
  await writeFile(path, JSON.stringify({ pid: process.pid, token, ...content }), { mode: 0o600 })
  return path
}

export const emptyWorld = { env: {}, home: '/nowhere', platform: 'linux' } as const

export async function targetOf(text: string): Promise<RunningTarget> {
  const target = await resolveTarget(text, emptyWorld)
  if (target.kind === 'embedded') throw new Error('not a running target')
  return target
}

/** A connection to a server that behaves like a service but for what the test says. */
export async function connectTo(discoveryPath: string, connections = 4): Promise<Connection> {
  return connect(await targetOf(discoveryPath), { clock: systemClock, connections })
}

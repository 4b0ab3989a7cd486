import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import {
  createServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { RunningService } from '#service/settings'
import { keepsIdleConnections } from '../client/odd-server.ts'

export interface ProxiedRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  /** Null for a body that was passed on as it came. */
  readonly body: string | null
}

export interface ProxiedReply {
  readonly status: number
  readonly text: string
  /** Whether the connection ends with the reply. */
  readonly closes?: boolean
}

/** How a proxy falsifies what goes through it. Whatever it leaves out stays true. */
export interface Falsification {
  request?(request: ProxiedRequest): ProxiedRequest
  /** An answer of the proxy's own, without asking the service; null asks it. */
  instead?(request: ProxiedRequest): ProxiedReply | null | Promise<ProxiedReply | null>
  /** Called when a client has closed its connection before it had an answer. */
  hungUp?(): void
  reply?(reply: ProxiedReply, request: ProxiedRequest): ProxiedReply
}

export interface LyingProxy extends AsyncDisposable {
  /** A discovery file that leads to the proxy. */
  readonly discoveryPath: string
  falsify(how: Falsification): void
}

/** Bodies up to this size can be falsified; longer ones pass. */
const readBytes = 1_000_000

/** Is in front of a service, on a separate port, and answers truthfully until a test sets something else. */
export async function startLyingProxy(service: RunningService): Promise<LyingProxy> {
  let falsification: Falsification = {}
  const server = createServer(
    { ...keepsIdleConnections, requireHostHeader: false, maxHeaderSize: 2 ** 20 },
    async (incoming, outgoing) => {
      const { port } = server.address() as AddressInfo
      const leaving = new AbortController()
      outgoing.once('close', () => {
        if (outgoing.writableFinished) return
        falsification.hungUp?.()
        leaving.abort()
      })
      const truth = await readRequest(incoming, port, service.port).catch(() => null)
      if (truth === null) return
      const asked = falsification.request?.(truth) ?? truth
      const own = await falsification.instead?.(asked)
      const forwarded = own ?? (await forward(asked, incoming, service, leaving.signal).catch(() => null))
      // A client that is gone needs none.
      if (forwarded === null) return void outgoing.destroy()
      const reply = own ?? inverse(forwarded, port, service.port)
      const { status, text, closes } = falsification.reply?.(reply, asked) ?? reply
      if (closes === true) outgoing.setHeader('connection', 'close')
      outgoing.writeHead(status, text === '' ? {} : { 'content-type': 'application/json' })
      outgoing.end(text)
    },
  )
  server.maxHeadersCount = 0
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const folder = await mkdtemp(join(tmpdir(), 'transcribench-proxy-'))
  const discoveryPath = join(folder, 'local-api.json')
  const { port } = server.address() as AddressInfo
  const content = {
    port,
    token: service.token,
    pid: process.pid,
    started_at: '2026-06-02T13:57:46Z',
    api_version: 1,
    app_version: '0.0.0',
  }
  await writeFile(discoveryPath, JSON.stringify(content), { mode: 0o600 })
  return {
    discoveryPath,
    falsify(how) {
      falsification = how
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function readRequest(incoming: IncomingMessage, own: number, other: number): Promise<ProxiedRequest> {
  const { method = '', url = '', headers } = incoming
  const renamed = (value: string | undefined) => value?.replace(new RegExp(`:${own}$`), `:${other}`)
  const { host, origin, ...rest } = headers
  const translated: IncomingHttpHeaders = { ...rest }
  if (host !== undefined) translated.host = renamed(host) ?? host
  if (origin !== undefined) translated.origin = renamed(origin) ?? origin
  const isShort = Number(headers['content-length'] ?? Number.POSITIVE_INFINITY) <= readBytes
  const body = isShort ? Buffer.concat(await incoming.toArray()).toString('latin1') : null
  return { method, url, headers: translated, body }
}

function forward(
  asked: ProxiedRequest,
  incoming: IncomingMessage,
  { port }: RunningService,
  signal: AbortSignal,
): Promise<ProxiedReply> {
  const { method, url: path, headers, body } = asked
  const { 'content-length': _, ...rest } = headers
  const sent =
    body === null ? headers : { ...rest, 'content-length': String(Buffer.byteLength(body, 'latin1')) }
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      host: '127.0.0.1',
      port,
      method,
      path,
      headers: sent,
      setHost: false,
      agent: false,
      signal,
    })
    request.once('response', async (response) => {
      const text = Buffer.concat(await response.toArray()).toString('utf8')
      const status = response.statusCode ?? 0
      // Every other reply says so too, because it was asked for on a separate connection.
      resolve({ status, text, closes: status === 431 && response.headers.connection === 'close' })
    })
    // After an early answer the rest of the body has nowhere to go.
    request.on('error', reject)
    if (body !== null) request.end(body, 'latin1')
    else pipeline(incoming, request).catch(() => undefined)
  })
}

/** The service names its own port in its health snapshot. */
function inverse(reply: ProxiedReply, own: number, other: number): ProxiedReply {
  const { text } = reply
  return { ...reply, text: text.replace(`"port":${other}`, `"port":${own}`) }
}

/** The reply with its JSON changed. */
export function withJson(
  reply: ProxiedReply,
  change: (json: Record<string, unknown>) => Record<string, unknown>,
): ProxiedReply {
  return { ...reply, text: JSON.stringify(change(JSON.parse(reply.text) as Record<string, unknown>)) }
}
